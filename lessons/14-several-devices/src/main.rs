//! Lesson 14: several devices, several machines. Uploads, kernels and downloads at the same
//! time; a product on all devices of a machine; a product on many machines.
//!
//! # Layout
//!
//! - `work` is a device at work: blocks of C on their way in three queues.
//! - `product` lets all devices, or the only one, take blocks from a board.
//! - `table` shows several ways to compute the product: on one device, and on several.
//! - `ranks` has mpirun start many processes, and the model; with the feature `mpi`, `summa` is
//!   one of them, and their product.

mod product;
mod ranks;
#[cfg(feature = "mpi")]
mod summa;
mod table;
mod work;

use std::process::ExitCode;

use clap::Args;
use common::Error;
use common::session::{Need, side_of};
use lesson::lesson_with;
use verify::element::Type;
use verify::shape::Shape;

/// The flags of this lesson alone.
#[derive(Args)]
pub struct Own {
    /// Only the first part: several queues on one device
    #[arg(long, conflicts_with = "split")]
    overlap: bool,
    /// Only the second part: several devices
    #[arg(long)]
    split: bool,
    /// The devices of the second part, by their numbers in lesson01's listing or parts of names
    /// [default: all GPUs and a CPU; without a GPU, every driver of the CPU; else two parts of the
    /// one device]
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    devices: Vec<String>,
    /// Let this device, or this rank, from 0, fail after its first block
    #[arg(long, value_name = "N")]
    fail: Option<usize>,
    /// Let this device stop answering after its first block
    #[arg(long, value_name = "N", conflicts_with = "ranks")]
    hang: Option<usize>,
    /// The third part, on this machine: so many ranks, by mpirun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    ranks: Option<u16>,
    /// The third part, in a process that mpirun has started
    #[arg(long)]
    mpi: bool,
}

fn main() -> ExitCode {
    // A rank of MPI is no child of ours.
    #[cfg(feature = "mpi")]
    if std::env::args().any(|word| word == "--mpi") {
        return watchdog::end(summa::rank().map(|()| ExitCode::SUCCESS).map_err(Into::into));
    }
    let title = "several devices, several machines";
    lesson_with(14, title, &["14-several-devices.cl"], |lesson, own: &Own| {
        if cfg!(not(feature = "mpi")) && (own.mpi || own.ranks.is_some()) {
            let why = "this lesson14 was built without MPI\n  next: ./setup --mpi\n        \
                       cargo run -p lesson14 --features mpi -- --ranks 4";
            return Err(Error::Usage(why.into()));
        }
        if let Some(ranks) = own.ranks {
            return ranks::start(lesson, ranks.into(), own);
        }
        lesson.must_be_of_floats()?;
        // The host needs room for copies, too, in the memory that devices read and write.
        let Shape { m, n, k } = lesson.shape()?;
        let copies = [m * k, k * n, m * n].map(|floats| Need::Written(4 * floats as u64));
        lesson.session()?.must_have_room(&copies, |bytes| Some(side_of(bytes, Type::Float)))?;
        let problem = lesson.problem()?;
        if !own.split {
            table::queues(lesson, &problem)?;
        }
        if !own.overlap {
            table::devices(lesson, own, &problem)?;
        }
        Ok(())
    })
}
