//! The flags of this lesson alone: which part of it, on which devices, and what is to go wrong.

use clap::Args;

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
    /// [default: all GPUs and a CPU; without a GPU, every driver of the CPU; else two parts of the
    /// one device]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    pub fail: Option<usize>,
    /// Let this device stop answering after its first block
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    pub hang: Option<usize>,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    pub mpi: bool,
}
