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
//!   is one of them, and `summa` their product. `flags` are those of this lesson alone.

mod board;
mod devices;
mod engine;
mod flags;
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

use flags::Own;
use lesson::lesson_with;

fn main() -> ExitCode {
    // A rank of MPI is no child of ours, and asks for nothing twice.
    let words: Vec<String> = std::env::args().collect();
    if words.iter().any(|word| word == "--mpi") && !words.iter().any(|word| word == "--help") {
        #[cfg(feature = "mpi")]
        let done = rank::rank();
        #[cfg(not(feature = "mpi"))]
        let done = Err(common::Error::Usage(ranks::WITHOUT.into()));
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
