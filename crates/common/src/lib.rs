//! What the lessons share. Lesson 2 writes an OpenCL program out in full; this
//! library is those steps packed up, plus checking and timing. One idea a file.

mod ablate;
pub mod cli;
pub mod codes;
pub mod copy;
pub mod device;
pub mod diff;
pub mod element;
pub mod error;
pub mod events;
mod host;
mod lesson;
mod limits;
pub mod matrix;
mod measure;
pub mod narrate;
pub mod ndrange;
pub mod prepare;
pub mod probe;
pub mod program;
pub mod reference;
mod refusal;
pub mod report;
mod resume;
mod run;
pub mod session;
pub mod source;
pub mod step;
pub mod stream;
pub mod supervise;
pub mod timing;
pub mod traffic;
pub mod verify;
pub mod watch;
pub mod wrap;

pub use ablate::Ablation;
pub use copy::Copy;
pub use error::{Error, Result};
pub use lesson::Lesson;
pub use measure::Outcome;
pub use prepare::{Operand, Preparation};
pub use run::{lesson, lesson_with, show_error};
pub use step::{Axes, Layout, Step};
pub use traffic::Traffic;
