//! The life of a lesson: its flags, its steps as data, measuring them, its tables.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `measure` is what happens to each [`Task`](task::Task): **build, arguments, launch, read, check**, and
//!   only then time. `refusal` says why one is skipped, `bind` gives its kernels their
//!   memory, and then it is `ready`: poisoned before, watched after. `rerun` runs one again
//!   that was wrong, or was right by chance.
//! - `lesson` is what was asked for, the problem and the end. It has two parts: what it
//!   says (`console`, which prints through [`report`]) and what it computes with
//!   (`workbench`: session, programs, operands).
//! - [`step`] says each step as it happens, with `--step`, and waits for a key.
//! - `simulator` puts what a simulator reported into the row of the kernel that ran.
//! - `run` leads from `main` to a lesson, whose flags are in [`cli`]; the work is done by
//!   a child process that the crate `process` watches.
//! - `choice` marks the one step of a table that is expected to be the fastest, by what was
//!   `kept` of its candidates; [`results`] says in which file.
//! - `host` is what the same product takes without a device; `ablate` times a kernel with
//!   one part taken out, which an `ablation` names.

mod ablate;
mod ablation;
mod bind;
mod choice;
pub mod cli;
mod console;
mod host;
mod kept;
mod lesson;
mod measure;
mod ready;
mod refusal;
pub mod report;
mod rerun;
pub mod results;
mod run;
mod simulator;
pub mod step;
mod workbench;

pub use ablate::AblateFlag;
pub use choice::ChoiceFlags;
pub use console::Console;
pub use kept::{Candidates, Kept, Measured};
pub use lesson::Lesson;
pub use ready::Ready;
pub use run::{lesson, lesson_with};
pub use step::Part;
