//! Kernels that lay an operand out anew on the device before the product: in
//! panels, transposed, or padded with zeros. They run in every timed run, since
//! without them the product could not run either.

use common::element::Type;
use common::error::Result;
use common::memory::Output;
use common::ndrange::NdRange;
use common::problem::Problem;
use common::program::Program;
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::traffic::Traffic;

use crate::lesson::Lesson;
use crate::step::{Step, setters};
use crate::workbench::Operands;

/// One of the two matrices that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// M x K.
    A,
    /// K x N.
    B,
}

impl Operand {
    /// Its rows and columns in a product of this shape.
    pub fn size(self, s: Shape) -> [usize; 2] {
        match self {
            Operand::A => [s.m, s.k],
            Operand::B => [s.k, s.n],
        }
    }
}

/// A kernel that writes one operand as the product wants it. Every one has the
/// arguments (int rows, int columns, from, to): `from` is the operand as the
/// problem gives it, row-major; `to` has room for the operand with its sides
/// rounded up to the step's multiples, and what the product reads of it beyond
/// the operand must be written too.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Name of the kernel function.
    pub kernel: String,
    /// What it lays out.
    pub operand: Operand,
    /// Items of one work-group, per dimension; dimension 0 runs along a row.
    pub group: [usize; 2],
    /// Elements of the rounded-up operand that one item writes, per dimension.
    pub per_item: [usize; 2],
    /// Whether it does nothing but pad: then it is left out where the operand's
    /// sides are multiples already, and the product reads the operand itself.
    pub only_pads: bool,
    /// What it loads and stores.
    pub traffic: Option<Traffic>,
}

impl Preparation {
    /// A kernel that moves one element per item, in groups of 16 x 1.
    pub fn new(kernel: &str, operand: Operand) -> Preparation {
        Preparation {
            kernel: kernel.into(),
            operand,
            group: [16, 1],
            per_item: [1, 1],
            only_pads: false,
            traffic: None,
        }
    }

    setters! {
        /// Sets the work-group's shape; it shrinks where the device has less room.
        group: [usize; 2],
        /// Sets how many elements one item writes in each dimension.
        per_item: [usize; 2],
    }

    /// Says that the kernel does nothing but pad.
    pub fn only_pads(mut self) -> Preparation {
        self.only_pads = true;
        self
    }

    /// States what the kernel loads and stores, in the names of [`Step::count`].
    pub fn traffic(mut self, traffic: Traffic) -> Preparation {
        self.traffic = Some(traffic);
        self
    }

    /// The launch for an operand whose sides are rounded up to `padded`.
    pub fn range(&self, padded: Shape) -> NdRange {
        let [rows, columns] = self.operand.size(padded);
        let [wide, high] = self.per_item;
        NdRange::cover(&[columns.div_ceil(wide), rows.div_ceil(high)], &self.group)
    }

    /// The kernel's signature, for the check before the launch.
    pub fn signature(ty: Type) -> [String; 4] {
        let real = format!("{}*", ty.name());
        ["int", "int", &real, &real].map(String::from)
    }
}

/// Where a preparation puts an operand.
pub(crate) struct LaidOut {
    pub operand: Operand,
    pub output: Output,
    /// The kernel that writes it.
    pub by: String,
}

impl Lesson {
    /// The step's preparations for this problem, ready to run, and where they write.
    ///
    /// # Errors
    /// When a kernel is missing, has other arguments, or the device has no room.
    pub(crate) fn prepare(
        &mut self,
        step: &Step,
        problem: &Problem,
        program: &Program,
        given: &Operands,
    ) -> Result<(Vec<Launch>, Vec<LaidOut>)> {
        let session = self.session()?;
        let padded = step.padded(problem.shape);
        let (mut launches, mut laid_out) = (Vec::new(), Vec::new());
        for preparation in step.preparations_for(problem.shape) {
            let Preparation {
                kernel: name,
                operand,
                ..
            } = preparation;
            let kernel = program.kernel(name, &Preparation::signature(problem.ty))?;
            let (from, laid) = match operand {
                Operand::A => (&given.a, "A laid out"),
                Operand::B => (&given.b, "B laid out"),
            };
            self.console.narrator.name_next(laid);
            let elements = operand.size(padded).iter().product();
            let output = Output::new(&session, laid, problem.ty, elements)?;
            let room = session.room(&kernel, &preparation.group);
            let range = preparation.range(padded).in_groups_of_at_most(room);
            let mut launch = Launch::new(kernel, name, range);
            let [rows, columns] = operand.size(problem.shape).map(|n| Arg::Int(n as i32));
            let [from, to] =
                [from.buffer(), output.buffer()].map(|buffer| Arg::Buffer(buffer.clone()));
            session.set_args(&mut launch, &[rows, columns, from, to])?;
            launches.push(launch);
            laid_out.push(LaidOut {
                operand: *operand,
                output,
                by: name.clone(),
            });
        }
        Ok((launches, laid_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launch_covers_the_padded_operand() {
        let padded = Shape {
            m: 40,
            n: 96,
            k: 56,
        };
        let pack = Preparation::new("pack_b", Operand::B).per_item([32, 1]);
        assert_eq!(pack.range(padded).global, [16, 56]);
        let pack = Preparation::new("pack_a", Operand::A)
            .group([4, 1])
            .per_item([16, 8]);
        assert_eq!(pack.range(padded).global, [4, 5]);
    }
}
