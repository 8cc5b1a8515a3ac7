//! A kernel's task: tried on a device and in a simulator, and judged.
//!
//! # Layout
//!
//! In the order in which to read them.
//!
//! - `task` is the worker in which a task runs; `work` is what such workers are asked.
//! - `subject` is what is looked at, a lesson's kernel or a task; `how` says by which flags.
//! - `check` runs it at all sizes, and in the simulator. `answer` says what follows from how the
//!   worker ended, `simulator` what Oclgrind reported, and `exchange` where that errs of atomics;
//!   each is an `observation`.
//! - `verdict` is what follows, and [`rates`] are how fast it is.
//! - [`exercise`] checks what a task asks beyond a right result.

mod answer;
mod check;
mod exchange;
pub mod exercise;
mod how;
mod observation;
pub mod rates;
mod simulator;
mod subject;
mod task;
mod verdict;
mod work;

pub use answer::End;
pub use check::Check;
pub use check::results::{Reason, Results};
pub use how::{How, SEEDS, Seen, TIMEOUT};
pub use observation::{Detection, Detector, Evidence, Observation, Part};
pub use subject::{LaunchFlags, Sides, Subject, drafts, is_own, is_task};
pub use task::asked::Case;
pub use task::child;
pub use task::other::Other;
pub use verdict::{LIMITED, Verdict};
pub use work::timed;
