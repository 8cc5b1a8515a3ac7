//! What this lesson can be asked besides what all lessons can.

use std::thread;
use std::time::Duration;

use clap::Args;
use common::error::{Error, Result};

/// The flags of this lesson alone.
#[derive(Args)]
pub struct Own {
    /// Only the first part: several queues on one device
    #[arg(long, conflicts_with = "split")]
    pub overlap: bool,
    /// Only the second part: several devices
    #[arg(long)]
    pub split: bool,
    /// The devices of the second part, by their numbers in lesson01's listing
    /// [default: all GPUs and a CPU; without a GPU, every driver of the CPU]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub devices: Vec<usize>,
    /// Cut the one device into so many parts instead
    #[arg(long, value_name = "N", conflicts_with = "devices", value_parser = clap::value_parser!(u16).range(2..=64))]
    pub parts: Option<u16>,
    /// The second part once more with A and B on the devices before the clock begins
    #[arg(long)]
    pub resident: bool,
    /// What is to go wrong.
    #[command(flatten)]
    pub mishap: Mishap,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    pub mpi: bool,
}

/// What is to go wrong, and with which device or rank, from 0.
#[derive(Args, Clone, Default, PartialEq)]
pub struct Mishap {
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    pub fail: Option<usize>,
    /// Let this one stop answering after its first block
    #[arg(long, value_name = "N")]
    pub hang: Option<usize>,
    /// Believe that this one is ten times as fast as it is
    #[arg(long, value_name = "N")]
    pub overrate: Option<usize>,
}

impl Mishap {
    /// Each flag that was given, and its number.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let all = [
            ("fail", self.fail),
            ("hang", self.hang),
            ("overrate", self.overrate),
        ];
        all.into_iter()
            .filter_map(|(name, number)| Some((name, number?)))
    }

    /// Strikes this device, or this rank, if it was asked to.
    pub fn strike(&self, me: usize) -> Result<()> {
        if self.hang == Some(me) {
            thread::sleep(Duration::from_secs(3600));
        }
        match self.fail == Some(me) {
            true => Err(Error::Died("it failed, as --fail asks".into())),
            false => Ok(()),
        }
    }
}
