//! A kernel's task: tried on a device and in a simulator, and judged.
//!
//! # Layout
//!
//! In the order in which to read them.
//!
//! - `task` is the process in which a task runs.
//! - `subject` is what is looked at, a lesson's kernel or a task; `how` says by which flags.
//! - `check` runs it at all sizes, and in the simulator. `answer` reads what a process that did so
//!   has to say, `simulator` what Oclgrind reported; each is an `observation`.
//! - `verdict` is what follows, and [`rates`] are how fast it is.
//! - [`exercise`] checks what a task asks beyond a right result.

mod answer;
mod check;
pub mod exercise;
mod how;
mod observation;
pub mod rates;
mod simulator;
mod subject;
mod task;
mod verdict;

pub use crate::task::child;
pub use check::{At, Check, NO_DEVICE, Results, SIMULATED, SIZES};
pub use how::{How, SEEDS, Seen, TIMEOUT};
pub use observation::{Detection, Observation};
pub use subject::{By, LaunchFlags, Sides, Subject, drafts, is_own, is_task, macro_of};
pub use verdict::{LIMITED, Verdict};
