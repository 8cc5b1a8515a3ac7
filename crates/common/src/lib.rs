//! What every lesson needs of OpenCL: setting up a device, and knowing whether a
//! result is right and how long it took. Lesson 2 writes an OpenCL program out in
//! full; this library is those steps packed up, plus checking and timing.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`device`] lists platforms and devices with their limits, and chooses one; in it `drivers`: how
//!   they are found, PoCL's cache, and why there is no device.
//! - [`session`] is one device's context and queue: **buffers, arguments, launches**, and who
//!   hears of each call (`--step`). Those that docs/anatomy.md counts stand here and in `program`.
//! - [`source`] finds a kernel file and reads it, as every [`file`](mod@file) that people
//!   name is read, in the clone of the course or elsewhere; [`program`] builds it. What the text and a
//!   build log say is the crate `diagnostics`'.
//! - [`ndrange`] is the shape of a launch, and whether a device can run it.
//! - [`verify`], a crate of its own, is the problem and the host's data, and holds a result
//!   against them.
//! - [`memory`] is what a kernel is given: what it may only read, what it must write, and guards on
//!   either side; and memory of the host that a device can reach.
//! - [`timing`] says which event times can be believed, what they come to, and what the device does
//!   at most.
//! - [`record`] is one kernel's result, for people and for programs, with what it loads and stores;
//!   [`outcome`] whether it is right, and [`stage`] what its process did, and how that died.
//! - [`error`] is the one error type, and the same for another process; [`failure`] what people are
//!   told of it, and what each status of OpenCL means.
//! - [`command`] is how commands of the course are typed here.
//! - [`host`] is what this process may have: memory, threads, and which limits are set.

#![warn(clippy::missing_errors_doc)]

pub mod command;
pub mod device;
pub mod error;
pub mod failure;
pub mod file;
pub mod host;
pub mod memory;
pub mod ndrange;
pub mod outcome;
pub mod program;
pub mod record;
pub mod session;
pub mod source;
pub mod stage;
pub mod timing;

pub use error::{Error, Result};
