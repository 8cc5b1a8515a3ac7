//! OpenCL C as text, what compilers say of it, and how text is laid out for people.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`tokens`] are the words and signs of a file, without comments; [`functions`] finds
//!   its functions and kernels, [`directives`] its macros and includes.
//! - [`types`] says what a type's name means, [`exchange`] where a race is none.
//! - [`log`] turns a compiler's build log into errors with file, line, caret and an
//!   explanation.
//! - [`near`] finds the names that are like one.
//! - [`terminal`] is lines, tables, differences and signs of life on a terminal.

pub mod directives;
pub mod exchange;
pub mod functions;
pub mod log;
pub mod near;
pub mod terminal;
pub mod tokens;
pub mod types;

pub use log::File;
