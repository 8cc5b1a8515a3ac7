//! OpenCL C as text: what a kernel file says, as far as that can be read without a
//! compiler, and what compilers say of it.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`tokens`] are the words and signs of a file, without comments; [`functions`] finds
//!   its functions and kernels, [`directives`] its macros, includes and line numbers.
//! - [`types`] says what a type's name means.
//! - [`log`] turns a compiler's build log into errors with file, line, caret and an
//!   explanation.

pub mod directives;
pub mod functions;
pub mod log;
pub mod tokens;
pub mod types;

pub use log::File;
