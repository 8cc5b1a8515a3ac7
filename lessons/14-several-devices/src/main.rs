//! Lesson 14: several devices, several machines. Uploads, kernels and downloads at the same
//! time; a product on all devices of a machine; a product on many machines.

mod board;
mod engine;
mod flags;
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

use std::process::ExitCode;

use lesson::lesson_with;

use flags::Own;
use split::Mishap;

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
        &["14-several-devices.cl"],
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
