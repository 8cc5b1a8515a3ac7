//! A kernel's task: what it is launched with, what it is given, what must come out, what it costs.
//! It is text first, in a file beside the kernel, an exercise's page or a lesson's steps.toml, and
//! then a value that whoever builds, launches, checks, counts or times a kernel knows it by.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `task` is the value, a [`Task`]: kernels with their launches, their memory and what is right.
//! - [`form`] is a launch as text. [`signature`] is what a driver tells of a kernel, which the text
//!   need not say again, and [`product`] what every product of matrices has.
//! - [`table`] reads a lesson's rows.
//! - [`file`](mod@file) reads a task file, with its [`sizes`]; [`make`] makes of text and
//!   signature what runs, and [`drawn`] tells at which sizes that no file says. [`draft`] is a
//!   first text from a signature alone.
//! - [`cases`] is what an exercise asks beside: with which macros it must be right, and
//!   where it is counted, by which of the [`counts`]. [`choices`] is what a tuner tries.

pub mod cases;
pub mod choices;
pub mod counts;
pub mod draft;
pub mod drawn;
pub mod file;
pub mod form;
pub mod make;
pub mod product;
pub mod signature;
pub mod sizes;
pub mod table;
mod task;

pub use task::{Arg, Buffer, Fill, Launch, Plan, Right, Role, Task, Work};
