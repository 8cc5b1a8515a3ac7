//! Is a result right, and if not, what does it look like? What the host computes stands here,
//! and nothing of OpenCL: this crate is optimised in debug builds, too, and all others build
//! without.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`element`] and [`matrix`] are the host's data: types, sizes, fills, padding; [`draw`] has
//!   numbers that are drawn, and others, far from these; [`numbers`] writes figures with three digits.
//! - [`problem`] is a product to compute: its operands, what C must come to, and how near
//!   a right one is to that.
//! - [`formula`] evaluates formulas of sizes and elements; `each` holds a result against one,
//!   `same` against what another kernel computed.
//! - [`poison`] is what a result holds before a kernel writes it.
//! - `check` holds C against the problem; `wrong` is what is wrong with it, and where, `symptoms`
//!   says what it looks like. [`vectors`] tries a product that is too large for that.
//! - [`reference`] is the host's own product; [`cores`] shares work among cores.

mod check;
pub mod cores;
pub mod draw;
mod each;
pub mod element;
pub mod formula;
pub mod matrix;
pub mod numbers;
pub mod poison;
pub mod problem;
pub mod reference;
mod same;
mod symptoms;
pub mod vectors;
mod wrong;

pub use check::check;
pub use each::check_each;
pub use element::{Elements, Type};
pub use formula::{Formula, Scope};
pub use matrix::{Matrix, Shape};
pub use problem::Problem;
pub use same::{Same, check_same, halved, inputs_of_each, shake, shaken};
pub use wrong::{Differences, Look};
