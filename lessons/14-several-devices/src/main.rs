//! Lesson 14: several devices, several machines. Uploads, kernels and downloads at the same
//! time; a product on all devices of a machine; a product on many machines.

mod board;
mod engine;
mod host;
#[cfg(feature = "mpi")]
mod model;
mod overlap;
mod ranks;
mod split;
#[cfg(feature = "mpi")]
mod summa;
mod tables;
mod timeline;
#[cfg(feature = "mpi")]
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lesson::lesson_with;

use split::Mishap;

/// The flags of this lesson alone.
#[derive(Args)]
struct Own {
    /// Only the first part: several queues on one device
    #[arg(long, conflicts_with = "split")]
    overlap: bool,
    /// Write the time line of the overlapped product as an SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Only the second part: several devices
    #[arg(long)]
    split: bool,
    /// The devices of the second part, by their numbers in lesson01's listing
    /// [default: all GPUs and a CPU; without a GPU, every driver of the CPU]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    devices: Vec<usize>,
    /// Cut the one device into so many parts instead
    #[arg(long, value_name = "N", conflicts_with = "devices", value_parser = clap::value_parser!(u16).range(2..=64))]
    parts: Option<u16>,
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    fail: Option<usize>,
    /// Let this one stop answering after its first block
    #[arg(long, value_name = "N")]
    hang: Option<usize>,
    /// Believe that this one is ten times as fast as it is
    #[arg(long, value_name = "N")]
    overrate: Option<usize>,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    mpi: bool,
}

fn main() -> ExitCode {
    // A rank of MPI is no child of ours, and asks for nothing twice.
    let words: Vec<String> = std::env::args().collect();
    if words.iter().any(|word| word == "--mpi") && !words.iter().any(|word| word == "--help") {
        return ranks::rank();
    }
    let title = "several devices, several machines";
    lesson_with(
        14,
        title,
        Some("14-several-devices.cl"),
        |lesson, own: &Own| {
            if let Some(ranks) = own.ranks {
                return ranks::start(lesson, ranks, [own.fail, own.hang]);
            }
            let problem = tables::problem(lesson)?;
            if !own.split {
                tables::overlap(lesson, own.svg.as_deref(), &problem)?;
            }
            if !own.overlap {
                let mishap = Mishap {
                    fails: own.fail,
                    hangs: own.hang,
                };
                tables::split(lesson, own, mishap, &problem)?;
            }
            Ok(())
        },
    )
}
