//! What every lesson needs of OpenCL: setting up a device, and knowing whether a
//! result is right and how long it took. Lesson 2 writes an OpenCL program out in
//! full; this library is those steps packed up, plus checking and timing.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`device`] lists platforms and devices with their limits, and chooses one.
//! - [`session`] is one device's context and queue: **buffers, arguments, launches**.
//!   The calls of OpenCL that docs/anatomy.md counts stand here and in `program`.
//! - [`source`] finds a kernel file and reads it, as every [`file`](mod@file) that people
//!   name is read; [`program`] builds it. What the text and a build log say is the crate
//!   `language`'s.
//! - [`ndrange`] is the shape of a launch, and whether a device can run it.
//! - [`shape`], [`element`] and [`matrix`] are the problem and the host's data: sizes,
//!   types, fills, padding.
//! - [`problem`] is a product to compute: its operands, what C must come to, and how near
//!   a right one is to that; [`verify`] holds C against it and says what a wrong one
//!   looks like.
//! - [`memory`] is what a kernel is given: what it may only read, what it must write,
//!   and guards on either side.
//! - [`timing`] says which event times can be believed, and what they come to;
//!   [`probe`] measures the device's own limits, which results are a share of.
//! - [`simulator`] reads what Oclgrind, which sees every access, reports of a kernel.
//! - `reference` is what the host does in the same time; `gemm` is the library there.
//! - [`traffic`] evaluates the formulas of what a kernel loads and stores.
//! - [`record`] is one kernel's result, for people and for programs; [`numbers`]
//!   writes figures with three digits.
//! - [`error`] is the one error type, with [`codes`], what each status of OpenCL
//!   means, and `limits`, which limit a failed call met.
//! - [`tell`] is how whoever listens (`--step`) hears of each call.
//! - [`threads`] asks whether there are any to be had, [`host`] how much memory is left.

pub mod codes;
pub mod device;
pub mod element;
pub mod error;
pub mod file;
mod gemm;
pub mod host;
mod limits;
pub mod matrix;
pub mod memory;
pub mod ndrange;
pub mod numbers;
pub mod probe;
pub mod problem;
pub mod program;
pub mod record;
pub mod reference;
pub mod session;
pub mod shape;
pub mod simulator;
pub mod source;
pub mod tell;
pub mod threads;
pub mod timing;
pub mod traffic;
pub mod verify;

pub use error::{Error, Result};
pub use traffic::Traffic;
