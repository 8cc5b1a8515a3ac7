//! What the course's kernels come to on a device: on one page, and beside the libraries that
//! the device's owner would call instead.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`command`] is `course report`: it runs or goes on with a report, and says what came of it.
//! - `model` is what a report holds; `plan` lists its jobs, and `collect` does them.
//! - `rows` are what is shown of it: `html` is the page, `ladder` and `roofline` its figures,
//!   which share what is in `figure`; `compare` holds two reports side by side.
//! - [`peers`] is the comparison with libraries.

mod collect;
pub mod command;
mod compare;
mod figure;
mod html;
mod ladder;
mod model;
pub mod peers;
mod plan;
mod roofline;
mod rows;
