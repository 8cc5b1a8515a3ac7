//! A kernel's task: read from a file, made ready, tried on a device and in a simulator, and judged.
//!
//! # Layout
//!
//! In the order in which to read them.
//!
//! - `task` is a task as text, beside a kernel of the learner's own or in an exercise's page, and
//!   the process in which it runs.
//! - `subject` is what is looked at, a lesson's kernel or a task; `how` says by which flags.
//! - `check` runs it at all sizes, and in the simulator. `answer` reads what a process that did so
//!   has to say, `simulator` what Oclgrind reported; each is an `observation`.
//! - `verdict` is what follows, and [`rates`] are how fast it is.
//! - [`exercise`] checks what a task asks beyond a right result, by [`counts`] among others.

mod answer;
mod check;
pub mod counts;
pub mod exercise;
mod how;
mod observation;
pub mod rates;
mod simulator;
mod subject;
mod task;
mod verdict;

pub use check::{At, Check, NO_DEVICE, Results, SIMULATED, SIZES};
pub use counts::Count;
pub use how::{How, SEEDS, Seen, TIMEOUT};
pub use observation::{Detection, Observation};
pub use subject::{By, LaunchFlags, Sides, Subject, drafts, is_own, is_task, macro_of};
pub use task::file::Tried;
pub use task::sizes::{Sizes, in_words};
pub use task::{TaskFile, child};
pub use verdict::{LIMITED, Verdict};
