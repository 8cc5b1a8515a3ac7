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
//! - `table` lets several ways to compute the product take turns, `timeline` draws what ran
//!   when. `queues` and `devices` are the lesson's two tables.
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
mod timeline;
mod work;

use std::process::ExitCode;

use clap::Args;
use lesson::lesson_with;

/// The flags of this lesson alone.
#[derive(Args)]
struct Own {
    /// Only the first part: several queues on one device
    #[arg(long, conflicts_with = "split")]
    overlap: bool,
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
    /// The second part once more with A and B on the devices before the clock begins
    #[arg(long)]
    resident: bool,
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    fail: Option<usize>,
    /// Let this device stop answering after its first block
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    hang: Option<usize>,
    /// Believe that this device is ten times as fast as it is
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    overrate: Option<usize>,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    mpi: bool,
}

/// What is said where this program was built without MPI.
const WITHOUT: &str = "this lesson14 was built without MPI\n  next: ./setup --mpi\n        \
                       cargo run -p lesson14 --features mpi -- --ranks 4";

fn main() -> ExitCode {
    // A rank of MPI is no child of ours, and asks for nothing twice.
    let words: Vec<String> = std::env::args().collect();
    if words.iter().any(|word| word == "--mpi") && !words.iter().any(|word| word == "--help") {
        #[cfg(feature = "mpi")]
        let done = rank::rank();
        #[cfg(not(feature = "mpi"))]
        let done = Err(common::Error::Usage(WITHOUT.into()));
        return watchdog::end(done.map(|()| ExitCode::SUCCESS).map_err(Into::into));
    }
    let title = "several devices, several machines";
    let file = &["14-several-devices.cl"];
    lesson_with(14, title, file, |lesson, own: &Own| {
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
