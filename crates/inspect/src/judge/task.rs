//! The process in which a task runs.
//!
//! `asked` is what a worker is asked, `child` does it; `other` tells of other numbers than the
//! task's, `beside` runs other kernels there, and `reference` says what a result is held against.

pub mod asked;
mod beside;
pub mod child;
pub mod other;
mod reference;
