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
//! - `flags` are the lesson's own.
//! - `ranks` has mpirun start many processes, and the model; with the feature `mpi` a `rank`
//!   is one of them, and `summa` their product.

mod board;
mod devices;
mod engine;
mod flags;
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

use common::Error;
use lesson::lesson_with;

use flags::Own;

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
