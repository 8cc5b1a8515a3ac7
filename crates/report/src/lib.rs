//! What the course's kernels come to on a device, on one page.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`command`] is `course report`: it runs a report, and says what came of it.
//! - `survey` is what a report holds, its jobs among it, and does them.
//! - `rows` are what is shown of it, with the `roofline` of each size; `filled` puts that into
//!   the page, and fills all else that learners read.

pub mod command;
mod filled;
mod roofline;
mod rows;
mod survey;

pub use filled::filled;
pub use rows::intensity;
