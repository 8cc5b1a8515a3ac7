//! One step of a lesson: a kernel and how it is launched.

use std::borrow::Cow;

use clap::ValueEnum;
use common::element::Type;
use common::error::Result;
use common::matrix::Matrix;
use common::ndrange::NdRange;
use common::problem::Problem;
use common::record::Helped;
use common::shape::Shape;
use common::traffic::{Counts, Traffic};
use narrate::{Geometry, Look};
use serde::{Deserialize, Serialize};

use crate::helper::{Helper, Operand, setters};

/// Which matrix index runs along which dimension of the NDRange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Axes {
    /// get_global_id(0) counts columns, id(1) rows: neighbours share a row.
    ColumnsFirst,
    /// get_global_id(0) counts rows, id(1) columns: neighbours share a column.
    RowsFirst,
    /// One dimension, which counts rows.
    Rows,
    /// One work-group over the whole of C, dimension 0 along the columns.
    OneGroup,
}

/// How the host lays the operands out before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Layout {
    /// A, B and C row-major.
    RowMajor,
    /// A and C row-major, B transposed: both are read along k.
    BTransposed,
    /// A, B and C column-major.
    ColumnMajor,
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
    pub(crate) fn name(&self) -> Option<String> {
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
    pub no_integers: Option<&'static str>,
    /// Whether it uses what one vendor's compilers alone understand: then one that
    /// does not is no error, and the step is left out.
    pub vendor_specific: bool,
    /// What it loads and stores.
    pub traffic: Option<Traffic>,
    /// Whether it was chosen before the run: see [`crate::choose`].
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
            traffic: None,
            chosen: false,
        }
    }

    setters! {
        /// Sets what the dimensions count.
        axes: Axes,
        /// Sets the work-group's shape.
        group: [usize; 2],
        /// Sets how many elements of C one item computes in each dimension.
        per_item: [usize; 2],
        /// Sets the layout of the operands.
        layout: Layout,
    }

    /// Sets the work-group's shape, from which the kernel does not allow another.
    pub fn exact_group(mut self, group: [usize; 2]) -> Step {
        self.exact_group = true;
        self.group(group)
    }

    /// Adds a kernel that runs beside this one, which then gets the matrices unpadded.
    pub fn helper(mut self, helper: Helper) -> Step {
        self.helpers.push(helper);
        self.guarded()
    }

    /// Pads M, N and K with zeros to multiples of these, on the host.
    pub fn pad(mut self, m: usize, n: usize, k: usize) -> Step {
        self.multiples = Shape { m, n, k };
        self.host_pads = true;
        self
    }

    /// Leaves the matrices as they are: the kernel itself asks what exists.
    pub fn guarded(mut self) -> Step {
        self.host_pads = false;
        self
    }

    /// Cuts K into shares; the helper adds up what they found of C.
    pub fn shares(mut self, shares: usize, helper: Helper) -> Step {
        self.shares = shares;
        self.helper(helper)
    }

    /// Gives the compiler a macro.
    pub fn define(mut self, name: &str, value: usize) -> Step {
        self.defines.push((name.into(), value));
        self
    }

    /// Names a size that stands in the kernel's file, so that the formulas of its
    /// traffic can use it; the compiler is not told, and a learner may change it.
    pub fn constant(mut self, name: &str, value: usize) -> Step {
        self.constants.push((name.into(), value));
        self
    }

    /// Names the step that this one was made from, where it is not the row above.
    pub fn made_from(mut self, name: &str) -> Step {
        self.origin = Origin::Row(name.into());
        self
    }

    /// Says that no other step of this table leads to this one.
    pub fn starts_anew(mut self) -> Step {
        self.origin = Origin::Nothing;
        self
    }

    /// Names this launch of a kernel that is launched in several ways.
    pub fn variant(mut self, variant: impl Into<String>) -> Step {
        self.variant = variant.into();
        self
    }

    /// Says why the kernel does not exist for integers.
    pub fn no_integers(mut self, reason: &'static str) -> Step {
        self.no_integers = Some(reason);
        self
    }

    /// Says that the kernel uses what one vendor's compilers alone understand.
    pub fn vendor_specific(mut self) -> Step {
        self.vendor_specific = true;
        self
    }

    /// States what the kernel loads and stores.
    pub fn traffic(mut self, traffic: Traffic) -> Step {
        self.traffic = Some(traffic);
        self
    }

    /// The elements that one launch loads and stores, by these formulas. They know M,
    /// N and K as the kernel gets them; MP, NP and KP, which are these rounded up to
    /// the step's multiples; G, the items that a group really has along dimension 0;
    /// the step's macros and constants.
    ///
    /// # Errors
    /// When a formula cannot be evaluated.
    pub fn count(
        &self,
        traffic: Option<Traffic>,
        problem: Shape,
        group: &[usize],
    ) -> Result<Option<Counts>> {
        let s = self.shape(problem);
        let padded = self.padded(problem);
        let value = |name: &str| {
            let number = match name {
                "M" => s.m,
                "N" => s.n,
                "K" => s.k,
                "MP" => padded.m,
                "NP" => padded.n,
                "KP" => padded.k,
                "G" => *group.first()?,
                _ => {
                    let mut known = self.defines.iter().chain(&self.constants);
                    known.find(|(define, _)| define == name)?.1
                }
            };
            Some(number as f64)
        };
        traffic.map(|traffic| traffic.count(value)).transpose()
    }

    /// What the record tells of the helpers, before they have run.
    pub fn helped(&self, problem: Shape) -> Result<Vec<Helped>> {
        let helped = |one: &Helper| {
            Ok(Helped {
                kernel: one.kernel.clone(),
                after: one.operand == Operand::C,
                seconds_median: None,
                traffic_formulas: one.traffic,
                traffic_elements: self.count(one.traffic, problem, &one.group)?,
            })
        };
        self.helpers.iter().map(helped).collect()
    }

    /// The elements that a helper's operand takes on the device, in the layout that is not
    /// the problem's; `padded` is what [`Step::padded`] gives.
    pub(crate) fn room_for(&self, helper: &Helper, padded: Shape) -> usize {
        let operand: usize = helper.operand.size(padded).iter().product();
        match helper.operand {
            Operand::C => self.shares * operand,
            _ => operand,
        }
    }

    /// Those that lay A and B out.
    pub(crate) fn helpers_before(&self) -> impl Iterator<Item = &Helper> {
        let helpers = self.helpers.iter();
        helpers.filter(|one| one.operand != Operand::C)
    }

    /// The one that adds the shares of C up.
    pub(crate) fn helper_after(&self) -> Option<&Helper> {
        let mut helpers = self.helpers.iter();
        helpers.find(|one| one.operand == Operand::C)
    }

    /// The names of all kernels that it runs.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let helpers = self.helpers.iter().map(|one| &one.kernel);
        helpers.chain([&self.kernel]).map(String::as_str)
    }

    /// Whether no other group will do: the kernel says so, or there is only one.
    pub fn has_exact_group(&self) -> bool {
        self.exact_group || self.axes == Axes::OneGroup
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

    /// The sizes that the kernel is told, and that C has: those of the problem,
    /// padded where the host pads.
    pub fn shape(&self, problem: Shape) -> Shape {
        if self.host_pads {
            self.padded(problem)
        } else {
            problem
        }
    }

    /// The launch for a product of this (padded) shape.
    pub fn range(&self, s: Shape) -> NdRange {
        let items = |size: usize, dim: usize| size.div_ceil(self.per_item[dim]);
        let [x, y] = self.group;
        match self.axes {
            Axes::ColumnsFirst if self.shares > 1 => {
                NdRange::cover(&[items(s.n, 0), items(s.m, 1), self.shares], &[x, y, 1])
            }
            Axes::ColumnsFirst => NdRange::cover(&[items(s.n, 0), items(s.m, 1)], &self.group),
            Axes::RowsFirst => NdRange::cover(&[items(s.m, 0), items(s.n, 1)], &self.group),
            Axes::Rows => NdRange::cover(&[items(s.m, 0)], &self.group[..1]),
            Axes::OneGroup => NdRange::cover(&[s.n, s.m], &[s.n, s.m]),
        }
    }

    /// A and B as the kernel wants them: padded, then laid out.
    pub fn operands<'a>(&self, problem: &'a Problem) -> (Cow<'a, Matrix>, Cow<'a, Matrix>) {
        let s = self.shape(problem.shape);
        let a = padded(&problem.a, s.m, s.k);
        let b = padded(&problem.b, s.k, s.n);
        match self.layout {
            Layout::RowMajor => (a, b),
            Layout::BTransposed => (a, Cow::Owned(b.transposed())),
            Layout::ColumnMajor => (Cow::Owned(a.transposed()), Cow::Owned(b.transposed())),
        }
    }

    /// How to look at C in the device's memory; `padded` is what [`Step::shape`] gives.
    pub(crate) fn look_at_c(&self, padded: Shape, ty: Type) -> Look {
        let (rows, cols) = match self.layout {
            Layout::ColumnMajor => (padded.n, padded.m),
            _ => (padded.m, padded.n),
        };
        Look { rows, cols, ty }
    }

    /// How the items of a group lie on C, for a drawing; not where they are all of them.
    pub(crate) fn geometry(&self) -> Option<Geometry> {
        let [first, second] = self.per_item;
        let (rows, columns) = match self.axes {
            Axes::ColumnsFirst => (second, first),
            Axes::RowsFirst => (first, second),
            Axes::Rows => (first, 0),
            Axes::OneGroup => return None,
        };
        let each = match (rows, columns) {
            (1, 0) => "a row of C".into(),
            (rows, 0) => format!("{rows} rows of C"),
            (1, 1) => "an element of C".into(),
            (rows, columns) => format!("{rows} x {columns} elements of C"),
        };
        Some(Geometry {
            group: self.group,
            along_rows: self.axes == Axes::ColumnsFirst,
            each,
        })
    }

    /// C as the problem wants it, from the padded result in the kernel's layout.
    pub fn result(&self, c: Matrix, problem: Shape) -> Matrix {
        let s = self.shape(problem);
        let c = match self.layout {
            Layout::ColumnMajor => Matrix {
                rows: s.n,
                cols: s.m,
                ..c
            }
            .transposed(),
            _ => c,
        };
        if s == problem {
            c
        } else {
            c.cropped(problem.m, problem.n)
        }
    }
}

fn padded(matrix: &Matrix, rows: usize, cols: usize) -> Cow<'_, Matrix> {
    if (matrix.rows, matrix.cols) == (rows, cols) {
        Cow::Borrowed(matrix)
    } else {
        Cow::Owned(matrix.padded(rows, cols))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::matrix::Fill;

    const ODD: Shape = Shape {
        m: 37,
        n: 91,
        k: 53,
    };

    #[test]
    fn an_element_per_item_covers_c() {
        let range = Step::new("k", "").range(ODD);
        assert_eq!(range.global, [96, 48]);
        let range = Step::new("k", "").axes(Axes::RowsFirst).range(ODD);
        assert_eq!(range.global, [48, 96]);
        let rows = Step::new("k", "").axes(Axes::Rows).group([64, 1]);
        assert_eq!(rows.range(ODD).global, [64]);
    }

    #[test]
    fn several_elements_per_item_need_fewer_items() {
        let step = Step::new("k", "").group([16, 16]).per_item([8, 4]);
        assert_eq!(step.range(Shape::cube(256)).global, [32, 64]);
    }

    #[test]
    fn with_helpers_the_host_pads_nothing() {
        let pack_a = Helper::new("pack_a", Operand::A);
        let pack_b = Helper::new("pack_b", Operand::B);
        let step = Step::new("k", "")
            .pad(8, 32, 1)
            .helper(pack_a)
            .helper(pack_b);
        assert_eq!(step.shape(ODD), ODD);
        assert_eq!((step.padded(ODD).m, step.padded(ODD).n), (40, 96));
        let kernels: Vec<&str> = step.kernels().collect();
        assert_eq!(kernels, ["pack_a", "pack_b", "k"]);
    }

    #[test]
    fn operands_and_result_survive_padding_and_layout() {
        let problem = Problem::new(ODD, Type::Float, Fill::Random, 1);
        for layout in [Layout::RowMajor, Layout::ColumnMajor, Layout::BTransposed] {
            let step = Step::new("k", "").pad(16, 32, 8).layout(layout);
            let (a, _) = step.operands(&problem);
            let s = step.shape(ODD);
            assert_eq!((s.m, s.n, s.k), (48, 96, 56));
            assert_eq!(a.data.len(), 48 * 56);
            // A stands in for C: what goes out comes back.
            let square = Shape { n: 53, ..ODD };
            let wide = Step::new("k", "").pad(16, 8, 8).layout(layout);
            assert_eq!(wide.result(a.into_owned(), square), problem.a, "{layout:?}");
        }
    }
}
