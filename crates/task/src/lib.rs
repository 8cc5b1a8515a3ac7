//! A kernel's task: what it is launched with, what it is given, what must come out, what it costs.
//! It is text first, in a file beside the kernel, an exercise's page or a lesson's rows, and
//! then a value that whoever builds, launches, checks, counts or times a kernel knows it by.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `task` is the value, a [`Task`]: kernels with their launches, their memory and what is right.
//! - [`form`] is the text, the same for a file, an exercise and a row. [`read`] reads a file's, and
//!   says where in it a field stands; [`table`] reads a lesson's rows, and chooses among them.
//! - [`signature`] is what a driver tells of a kernel, which the text need not say again. [`make`]
//!   makes of text and signature what runs, with the values of the [`names`] that the text gives, or
//!   a tuner tries.
//! - [`sizes`] are those of a file, with what is counted and where, and [`drawn`] those that no file
//!   says. [`draft`] is a first text from a signature alone.

pub mod draft;
pub mod drawn;
pub mod form;
pub mod make;
pub mod names;
pub mod read;
pub mod signature;
pub mod sizes;
pub mod table;
mod task;

pub use task::{Arg, Buffer, Fill, Launch, Plan, Right, Role, Task, Work};
