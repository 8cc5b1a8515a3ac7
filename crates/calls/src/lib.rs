//! The OpenCL calls of any program, whoever wrote it.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `line` is what is known of a call: a line of JSON.
//! - `layer` is loaded into the program by its OpenCL loader, and writes these lines: `table`
//!   has the calls that are told, `record` says how, and `profiling` has each queue note when
//!   its commands ran.
//! - [`program`] starts a program with that layer, and reads the lines while it runs.
//! - [`objects`] are those that the program made, by number: "buffer 2".
//! - [`story`] tells a call in a sentence, whose words are in `sentences.txt`; `names` has the
//!   constants' names.
//! - [`findings`] is what all calls come to: leaks, errors, waits and transfers for nothing, and
//!   commands that nothing keeps in order, which `order` finds.
//! - [`time_line`] draws when the commands ran.

pub mod findings;
mod layer;
pub mod line;
mod names;
pub mod objects;
mod order;
pub mod program;
pub mod story;
pub mod time_line;
