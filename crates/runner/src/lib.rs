//! The life of a lesson: its flags, its steps as data, measuring them, its tables.
//!
//! # Layout
//!
//! - [`lesson()`] leads from `main` to a running [`Lesson`] (`run`), whose flags are in
//!   [`cli`]; the work is done by a child process that `supervise` watches.
//! - [`Step`] is a kernel and how it is launched, as data; [`Preparation`] lays one of
//!   its operands out anew. [`Copy`] is a kernel that only moves floats.
//! - `measure` is what happens to each of them: build, arguments, launch, read, check,
//!   and only then time; `refusal` says why one is skipped.
//! - `ablate` times a kernel with one part taken out; `host` is what the same product
//!   takes without a device.
//! - [`report`] prints rows for people, or JSON lines.

mod ablate;
pub mod cli;
mod copy;
mod host;
mod lesson;
mod measure;
mod prepare;
mod refusal;
pub mod report;
mod resume;
mod run;
mod step;

pub use ablate::Ablation;
pub use copy::Copy;
pub use lesson::Lesson;
pub use measure::Outcome;
pub use prepare::{Operand, Preparation};
pub use run::{lesson, lesson_with};
pub use step::{Axes, Layout, Step};
