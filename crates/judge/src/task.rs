//! The process in which a task runs.
//!
//! `child` is that process; `other` tells of other numbers than the task's, `beside` runs other
//! kernels there, and `reference` says what a result is held against.

mod beside;
pub mod child;
pub mod other;
mod reference;
