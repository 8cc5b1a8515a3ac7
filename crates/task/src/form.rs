//! A launch as text: its range and its arguments, as a task file of the learner's own and a row of
//! a lesson's steps.toml say them. `maker` makes of it what runs.

mod maker;
mod or;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use verify::draw::Draw;
use verify::element::Type;
use verify::formula::Formula;

pub use maker::{Maker, range, wrong};
pub use or::Or;

/// A kernel's launch.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaunchForm {
    /// Its file, where that is not the task's.
    pub kernel: PathBuf,
    /// Name of the kernel, where its file has several.
    pub function: String,
    /// What each dimension of the range counts; rounded up to whole groups.
    pub global: Vec<Formula>,
    /// The same in groups.
    pub groups: Vec<Formula>,
    /// The items of a group in each dimension.
    pub local: Vec<Formula>,
    /// The first item's number.
    pub offset: Vec<Formula>,
    /// The arguments in order.
    pub args: Vec<Or<Formula, Given>>,
}

/// An argument that is more than a number.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// What formulas and later launches call it.
    pub name: Option<String>,
    /// Of its elements, where the driver does not tell.
    #[serde(rename = "type")]
    pub ty: Option<Type>,
    /// A number; of a vector or a struct those of its parts.
    pub value: Option<Or<Formula, Vec<Formula>>>,
    /// Elements that kernels read; two numbers are the width and the height of an image.
    #[serde(rename = "in")]
    pub input: Option<Length>,
    /// Elements that they write, all of them.
    pub out: Option<Length>,
    /// Elements that they change.
    pub inout: Option<Length>,
    /// Elements that one launch leaves to a later one.
    pub between: Option<Length>,
    /// Of an image how its pixels lie: "rgba float".
    pub format: Option<String>,
    /// How images are read: "clamp-to-edge nearest".
    pub sampler: Option<String>,
    /// Elements of local memory.
    pub local: Option<Formula>,
    /// "random", "any", "negative", "index", "sorted", "permutation", { ints = [0, 9] }, a number
    /// or formula of the index `i`, or the file of a kernel that fills.
    pub fill: Option<Or<String, Draw>>,
}

/// The elements of a buffer, or the sides of an image.
pub type Length = Or<Formula, Vec<Formula>>;
