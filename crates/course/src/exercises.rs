//! Exercises: kernels with a gap. What they are made of, and what checks them: a device, the
//! simulator, counts, and in some a race beside the lesson's own kernel.

mod check;
pub mod counts;
pub mod exercise;
pub mod process;
mod race;
pub mod simulated;
pub mod spec;
mod speed;

pub use exercise::all;
