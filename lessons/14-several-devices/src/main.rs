//! Lesson 14: several devices, several machines. Uploads, kernels and downloads at the same
//! time; a product on all devices of a machine; a product on many machines.
//!
//! # Layout
//!
//! - `flags` are the lesson's own.
//! - `work` is a device at work: blocks of C on their way in three queues.
//! - `product` lets all devices, or the only one, take blocks from a board.
//! - `table` shows several ways to compute the product: on one device, and on several.
//! - `ranks` has mpirun start many processes, and the model; with the feature `mpi`, `summa` is
//!   one of them, and their product.

mod flags;
mod product;
mod ranks;
#[cfg(feature = "mpi")]
mod summa;
mod table;
mod work;

use std::process::ExitCode;

use common::Error;
use common::session::{Need, side_of};
use verify::{Shape, element::Type};

use crate::flags::Own;

fn main() -> ExitCode {
    // A rank of MPI is no child of ours.
    #[cfg(feature = "mpi")]
    if std::env::args().any(|word| word == "--mpi") {
        return watchdog::end(summa::rank().map(|()| ExitCode::SUCCESS).map_err(Into::into));
    }
    let title = "several devices, several machines";
    lesson::lesson_with(14, title, &["14-several-devices.cl"], |lesson, own: &Own| {
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
