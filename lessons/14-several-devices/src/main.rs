//! Lesson 14: several devices, several machines. Uploads, kernels and downloads at the same
//! time; a product on all devices of a machine; a product on many machines.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `work` is a device at work: blocks of C on their way in three queues, whose commands wait
//!   for each other's events. `engine` has the queues and the program, `host` the memory that
//!   they read and write.
//! - `product` lets all devices take blocks from a `board`. One device is the case in which
//!   nobody else takes from it.
//! - `table` lets several ways to compute the product take turns. `queues` and `devices` are the
//!   lesson's two tables.
//! - `ranks` has mpirun start many processes, and the model; with the feature `mpi` a `rank`
//!   is one of them, and `summa` their product.

mod board;
mod devices;
mod engine;
mod host;
mod product;
mod queues;
#[cfg(feature = "mpi")]
mod rank;
mod ranks;
#[cfg(feature = "mpi")]
mod summa;
mod table;
mod work;

use std::process::ExitCode;

use clap::Args;
use common::Error;
use lesson::lesson_with;

/// The flags of this lesson alone.
#[derive(Args)]
pub struct Own {
    /// Only the first part: several queues on one device
    #[arg(long, conflicts_with = "split")]
    pub overlap: bool,
    /// Only the second part: several devices
    #[arg(long)]
    pub split: bool,
    /// The devices of the second part, by their numbers in lesson01's listing or parts of names
    /// [default: all GPUs and a CPU; without a GPU, every driver of the CPU]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// Cut the one device into so many parts instead
    #[arg(long, value_name = "N", conflicts_with = "devices", value_parser = clap::value_parser!(u16).range(2..=64))]
    pub parts: Option<u16>,
    /// The second part once more with A and B on the devices before the clock begins
    #[arg(long)]
    pub resident: bool,
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    pub fail: Option<usize>,
    /// Let this device stop answering after its first block
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    pub hang: Option<usize>,
    /// Believe that this device is ten times as fast as it is
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    pub overrate: Option<usize>,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    pub mpi: bool,
}

fn main() -> ExitCode {
    // A rank of MPI is no child of ours.
    #[cfg(feature = "mpi")]
    if std::env::args().any(|word| word == "--mpi") {
        let done = rank::rank();
        return watchdog::end(done.map(|()| ExitCode::SUCCESS).map_err(Into::into));
    }
    let title = "several devices, several machines";
    let file = &["14-several-devices.cl"];
    lesson_with(14, title, file, |lesson, own: &Own| {
        if cfg!(not(feature = "mpi")) && (own.mpi || own.ranks.is_some()) {
            let why = "this lesson14 was built without MPI\n  next: ./setup --mpi\n        \
                       cargo run -p lesson14 --features mpi -- --ranks 4";
            return Err(Error::Usage(why.into()));
        }
        if let Some(ranks) = own.ranks {
            return ranks::start(lesson, ranks.into(), own);
        }
        let problem = table::problem(lesson)?;
        if !own.split {
            queues::queues(lesson, &problem)?;
        }
        match own.overlap {
            true => Ok(()),
            false => devices::devices(lesson, own, &problem),
        }
    })
}
