//! The life of a lesson: its flags, its steps as data, measuring them, its tables.
//!
//! # Layout
//!
//! - [`lesson()`] leads from `main` to a running [`Lesson`] (`run`), whose flags are in
//!   [`cli`]; the work is done by a child process that `supervise` watches.
//! - [`Lesson`] has two parts: what it says ([`Console`], which prints through
//!   [`report`]) and what it computes with (`workbench`: session, programs, operands).
//! - [`Step`] is a product's kernel and how it is launched, as data; [`Preparation`]
//!   lays one of its operands out anew.
//! - `measure` is what happens to each kernel: **build, arguments, launch, read, check**,
//!   and only then time. It knows a kernel as a [`Task`]; `product` makes one of a step,
//!   [`Copy`] is one that only moves floats; `refusal` says why one is skipped.
//! - `ablate` times a kernel with one part taken out, which an `ablation` names; `host`
//!   is what the same product takes without a device; `resume` goes on after a kernel
//!   that took its process down.

mod ablate;
mod ablation;
pub mod cli;
mod console;
mod copy;
mod host;
mod lesson;
mod measure;
mod prepare;
mod product;
mod refusal;
pub mod report;
mod resume;
mod run;
mod step;
mod task;
mod workbench;

pub use ablate::AblateFlag;
pub use console::Console;
pub use copy::Copy;
pub use lesson::Lesson;
pub use prepare::{Operand, Preparation};
pub use run::{lesson, lesson_with};
pub use step::{Axes, Layout, Step};
pub use task::{Ready, Task};
