//! One step of a lesson: a kernel that multiplies matrices, and what is new in it. `product`
//! makes a task of it.

mod product;

use clap::ValueEnum;
use common::element::Type;
use common::shape::Shape;
use common::traffic::Traffic;
use serde::{Deserialize, Serialize};

use crate::helper::Helper;

pub use product::Given;

/// How the host lays the operands out before the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A, B and C row-major.
    #[default]
    RowMajor,
    /// A and C row-major, B transposed: both are read along k.
    BTransposed,
    /// A, B and C column-major.
    ColumnMajor,
}

/// Which matrix index runs along which dimension of the NDRange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axes {
    /// get_global_id(0) counts columns, id(1) rows: neighbours share a row.
    #[default]
    ColumnsFirst,
    /// get_global_id(0) counts rows, id(1) columns: neighbours share a column.
    RowsFirst,
    /// One dimension, which counts rows.
    Rows,
    /// One work-group over the whole of C, dimension 0 along the columns.
    OneGroup,
}

/// The step that another one was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The one above it in the table.
    RowAbove,
    /// The one of this name.
    Row(String),
    /// None in this lesson.
    Nothing,
}

impl Origin {
    /// As the record has it.
    fn name(&self) -> Option<String> {
        match self {
            Origin::RowAbove => None,
            Origin::Row(name) => Some(name.clone()),
            Origin::Nothing => Some(String::new()),
        }
    }
}

/// A kernel that multiplies matrices, and how it is launched. Every one has the
/// arguments (int M, int N, int K, A, B, C).
#[derive(Clone, Debug)]
pub struct Step {
    /// Name of the kernel function.
    pub kernel: String,
    /// What tells this launch from others of the same kernel, such as "16x16".
    pub variant: String,
    /// What is new in this step, in a few words.
    pub says: String,
    /// What it was made from, and is compared with.
    pub origin: Origin,
    /// What the dimensions of the NDRange count.
    pub axes: Axes,
    /// Items of one work-group, per dimension.
    pub group: [usize; 2],
    /// Whether the group must have this very shape; otherwise it shrinks where
    /// the device, or the kernel's registers, leave less room.
    pub exact_group: bool,
    /// Elements of C that one item computes, per dimension.
    pub per_item: [usize; 2],
    /// How the operands lie in memory.
    pub layout: Layout,
    /// What M, N, K are rounded up to, in whole tiles.
    pub multiples: Shape,
    /// Whether the host pads A, B and C to these with zeros, before anything is timed.
    /// Otherwise the kernel gets the problem's own M, N, K, and writes an M x N C: helpers
    /// pad, or the kernel asks what exists.
    pub host_pads: bool,
    /// How many groups share the sum of an element of C, each over a part of K. Several
    /// stand along dimension 2 of the NDRange, and a helper adds up what they found.
    pub shares: usize,
    /// Kernels that run in every run before this one, for A and B, or after it, for C.
    pub helpers: Vec<Helper>,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// Sizes that stand in the kernel's file, for the traffic formulas.
    pub constants: Vec<(String, usize)>,
    /// Why the kernel does not exist for integers, if it does not.
    pub no_integers: Option<String>,
    /// Whether it uses what not all compilers have, a vendor's instructions or sub-groups:
    /// then one that has not is no error, and the step is left out.
    pub vendor_specific: bool,
    /// Whether the device has room for it.
    pub fits: bool,
    /// The type of A and B, where it is not that of C.
    pub inputs: Option<Type>,
    /// What it loads and stores.
    pub traffic: Option<Traffic>,
    /// Whether it was chosen before the run: see [`crate::Candidates`].
    pub chosen: bool,
}

impl Step {
    /// A kernel with one element of C per item, in groups of 16 x 16.
    pub fn new(kernel: &str, says: &str) -> Step {
        Step {
            kernel: kernel.into(),
            variant: String::new(),
            says: says.into(),
            origin: Origin::RowAbove,
            axes: Axes::ColumnsFirst,
            group: [16, 16],
            exact_group: false,
            per_item: [1, 1],
            layout: Layout::RowMajor,
            multiples: Shape::cube(1),
            host_pads: false,
            shares: 1,
            helpers: Vec::new(),
            defines: Vec::new(),
            constants: Vec::new(),
            no_integers: None,
            vendor_specific: false,
            fits: true,
            inputs: None,
            traffic: None,
            chosen: false,
        }
    }

    /// Adds a kernel that runs beside this one, which then gets the matrices unpadded.
    pub fn helper(mut self, helper: Helper) -> Step {
        self.helpers.push(helper);
        self.host_pads = false;
        self
    }

    /// Pads M, N and K with zeros to multiples of these, on the host.
    pub fn pad(mut self, m: usize, n: usize, k: usize) -> Step {
        self.multiples = Shape { m, n, k };
        self.host_pads = true;
        self
    }

    /// The names of all kernels that it runs.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let helpers = self.helpers.iter().map(|one| &one.kernel);
        helpers.chain([&self.kernel]).map(String::as_str)
    }

    /// The kernel's name, with the variant where there is one.
    pub fn name(&self) -> String {
        let name = format!("{} {}", self.kernel, self.variant);
        name.trim_end().into()
    }

    /// The problem's sizes, rounded up to the step's multiples.
    pub fn padded(&self, problem: Shape) -> Shape {
        problem.padded(self.multiples)
    }

    /// The sizes that the kernel is told: those of the problem, padded where the host pads.
    pub fn shape(&self, problem: Shape) -> Shape {
        if self.host_pads {
            self.padded(problem)
        } else {
            problem
        }
    }
}
