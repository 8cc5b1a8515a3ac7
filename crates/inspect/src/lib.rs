//! A kernel looked at from all sides: what a compiler made of it, the room that it takes on a unit
//! of the device, its memory traffic; and whether it is right.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`code`] is machine code as the course reads it, whoever made it: instructions, and
//!   what each of them does.
//! - Readers make it of what drivers give: `elf` of a library for an x86-64 CPU, whose instructions it
//!   decodes; `nvidia` of what NVIDIA's tools write: PTX, which a driver compiles, and SASS, which the
//!   GPU runs. [`file`] tells which.
//! - `round` finds the innermost loop, and counts what one round of it does.
//! - [`launched`] is a kernel as its lesson launches it, and what the driver made of it.
//! - [`listing`] is all of that as lines for people and as one JSON object.
//! - [`occupancy`] is how many groups a unit of a device holds at once, and what binds.
//! - [`trace`] is every access to memory, as a simulator saw it, counted.
//! - [`judge`] tries a kernel's task, on a device and in a simulator, and gives the verdict.

pub mod code;
mod elf;
pub mod file;
pub mod judge;
pub mod launched;
pub mod listing;
mod nvidia;
pub mod occupancy;
mod round;
#[cfg(test)]
mod tests;
pub mod trace;
