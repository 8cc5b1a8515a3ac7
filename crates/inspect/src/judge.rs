//! A kernel's task: tried on a device and in a simulator, and judged.
//!
//! # Layout
//!
//! In the order in which to read them.
//!
//! - `child` is the worker in which tasks run, `asked` what it is asked, and by which flags; `other`
//!   tells of other numbers than the task's, and `reference` says what a result is held against, and
//!   runs the kernels beside a task's own for that.
//! - `subject` is what is looked at, a lesson's kernel or a task.
//! - `check` runs it at all sizes. `answer` says what follows from how a worker ended, and has one run
//!   in Oclgrind, whose reports it sorts; each is an `observation`, and what follows a
//!   verdict.
//! - [`rates`] are how fast it is, and [`exercise`] checks what a task asks beyond a right result.

mod answer;
mod asked;
mod check;
pub mod child;
pub mod exercise;
mod observation;
mod other;
pub mod rates;
mod reference;
mod subject;

pub use answer::End;
pub use asked::{Case, How, TIMEOUT, timed};
pub use check::Check;
pub use check::results::{Reason, Results};
pub use observation::{Detection, Detector, Evidence, LIMITED, Observation, Seen, Verdict};
pub use other::Other;
pub use subject::{LaunchFlags, Subject, drafts, is_own, is_task};
