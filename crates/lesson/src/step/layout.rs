//! How the matrices of a step lie in memory: padded by the host or not, row by row or not.

use std::borrow::Cow;

use clap::ValueEnum;
use common::element::Type;
use common::matrix::Matrix;
use common::problem::Problem;
use common::shape::Shape;
use narrate::Look;
use serde::{Deserialize, Serialize};

use super::Step;

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

impl Step {
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
    use crate::helper::{Helper, Operand};
    use common::matrix::Fill;

    const ODD: Shape = Shape {
        m: 37,
        n: 91,
        k: 53,
    };

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
