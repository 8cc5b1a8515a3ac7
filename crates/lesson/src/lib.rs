//! The life of a lesson: its flags, its steps as data, measuring them, its tables.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `measure` is what happens to each [`Task`](task::Task): **build, arguments, launch, read, check**, and
//!   only then time. `bind` skips one that cannot run here, and gives its kernels their memory, which
//!   `ready` poisons before and watches after. `rows` is which tasks are measured, table by table.
//! - `lesson` is what was asked for, the problem, and what it computes with: session, programs,
//!   operands; `end` its last words, for which the same product is timed on the host. What it says goes
//!   through `console`, and is printed by [`report`].
//! - [`step`] says each step as it happens, with `--step`, and waits for a key.
//! - `run` leads from `main` to a lesson, as its `flags` ask; the work is done by a child process that
//!   the crate `watchdog` watches.
//! - `choice` marks the one step of a table that is expected to be the fastest, by the cost of each
//!   candidate, which is kept in a file.
//! - `ablate` times a kernel with one part taken out.

mod ablate;
mod bind;
mod choice;
mod console;
mod end;
mod flags;
mod lesson;
mod measure;
mod ready;
pub mod report;
mod rows;
mod run;
pub mod step;

pub use ablate::AblateFlag;
pub use choice::{CACHE_FOLDER_VARIABLE, Candidates, ChoiceFlags, Costs, kept_file};
pub use console::Console;
pub use flags::{Flags, apply_color};
pub use lesson::Lesson;
pub use ready::Ready;
pub use run::{lesson, lesson_with, tasks};
pub use step::Part;
