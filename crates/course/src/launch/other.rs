//! A kernel that is no product: what it is to compute nobody has said. It is launched all
//! the same, so that races, accesses out of bounds and writes to inputs are seen; its
//! result is judged where it is something well known.

use std::rc::Rc;

use common::element::{Elements, Type};
use common::matrix::Matrix;
use common::memory::{Input, Output, is_poison};
use common::ndrange::NdRange;
use common::program::Program;
use common::record::Work;
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::verify::Right;
use common::{Error, Result};
use lesson::{Lesson, Ready, Step, Task};

use super::arguments::{Argument, Kind, count};

/// What every factor is.
const FACTOR: f32 = 1.7;

/// Such a kernel, and what it is given.
pub struct Other<'a> {
    step: Step,
    arguments: &'a [Argument],
    shape: Shape,
    ty: Type,
    group: [usize; 2],
    inputs: Vec<Elements>,
}

impl<'a> Other<'a> {
    /// Its inputs, filled as the flags say; `group` is what its items come in.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn new(
        lesson: &mut Lesson,
        step: Step,
        arguments: &'a [Argument],
        group: [usize; 2],
    ) -> Result<Other<'a>> {
        let given = lesson.shape()?;
        let sizes = count(arguments, Kind::Size);
        let shape = Shape {
            n: if sizes == 2 { given.n } else { 1 },
            k: 1,
            ..given
        };
        shape.must_be_countable().map_err(Error::Usage)?;
        let flags = lesson.flags();
        let (ty, fill, seed) = (flags.ty, flags.fill, flags.seed);
        let inputs = 0..count(arguments, Kind::Input) as u64;
        let beside = inputs.end * (shape.m * shape.n * ty.size()) as u64;
        lesson.session()?.must_fit(shape, ty, beside)?;
        let input = |i| Matrix::filled(shape.m, shape.n, ty, fill, seed.wrapping_add(i)).data;
        Ok(Other {
            step,
            arguments,
            shape,
            ty,
            group,
            inputs: inputs.map(input).collect(),
        })
    }

    fn elements(&self) -> usize {
        self.shape.m * self.shape.n
    }

    /// Whether the result is a copy of the input, transposed or not, or d * A + B.
    fn is_well_known(&self, result: &Elements) -> bool {
        let all = |is: &dyn Fn(usize) -> bool| (0..result.len()).all(is);
        let Shape { m, n, .. } = self.shape;
        let factors = count(self.arguments, Kind::Factor);
        match (factors, &self.inputs[..]) {
            (0, [a]) => {
                let is_from =
                    |from: &dyn Fn(usize) -> usize| all(&|i| result.bits(i) == a.bits(from(i)));
                is_from(&|i| i) || is_from(&|i| i % m * n + i / m)
            }
            (1, [a, b]) => all(&|i| {
                let (product, b) = (f64::from(FACTOR) * a.get(i), b.get(i));
                // Product and sum are rounded once each, or together once.
                let bound = 2.0 * self.ty.unit_roundoff() * (product.abs() + b.abs());
                (result.get(i) - (product + b)).abs() <= bound
            }),
            _ => false,
        }
    }
}

impl Task for Other<'_> {
    fn step(&self) -> &Step {
        &self.step
    }

    fn facts(&self) -> Vec<String> {
        Vec::new()
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn ty(&self) -> Type {
        self.ty
    }

    fn work(&self) -> Work {
        let buffers = self.inputs.len() + 1;
        Work::Bytes((buffers * self.elements() * self.ty.size()) as f64)
    }

    fn signature(&self) -> Vec<String> {
        let ty = self.ty.name();
        let of = |argument: &Argument| match argument.kind {
            Kind::Size => "int".into(),
            Kind::Factor => "float".into(),
            Kind::Input | Kind::Output => format!("{ty}*"),
        };
        self.arguments.iter().map(of).collect()
    }

    fn range(&self) -> NdRange {
        if count(self.arguments, Kind::Size) == 2 {
            return self.step.range(self.shape);
        }
        let items = self.elements().div_ceil(self.step.per_item[0]);
        NdRange::cover(&[items], &self.group[..1])
    }

    fn ready(&self, lesson: &mut Lesson, _: &Program, mut launch: Launch) -> Result<Ready> {
        let session = lesson.session()?;
        let named = |kind| self.arguments.iter().filter(move |one| one.kind == kind);
        let result = named(Kind::Output)
            .map(|one| one.name.as_str())
            .collect::<String>();
        let output = Output::new(&session, &result, self.ty, self.elements())?;
        let mut inputs = Vec::new();
        for (argument, holds) in named(Kind::Input).zip(&self.inputs) {
            inputs.push(Rc::new(Input::new(
                &session,
                &argument.name,
                holds.clone(),
            )?));
        }
        let mut sizes = [self.shape.m, self.shape.n].into_iter();
        let mut read = inputs.iter();
        let arguments = self.arguments.iter().filter_map(|argument| {
            Some(match argument.kind {
                Kind::Size => Arg::Int(sizes.next()? as i32),
                Kind::Factor => Arg::Float(FACTOR),
                Kind::Input => Arg::Buffer(read.next()?.buffer().clone()),
                Kind::Output => Arg::Buffer(output.buffer().clone()),
            })
        });
        session.set_args(&mut launch, &arguments.collect::<Vec<_>>())?;
        Ok(Ready::new(launch, inputs, output))
    }

    fn bound(&self) -> String {
        "a copy or d * A + B, or nothing is said of the result".into()
    }

    fn check(&self, result: &[u8]) -> Result<Right, String> {
        let result = Elements::from_bytes(self.ty, result);
        if (0..result.len()).all(|i| is_poison(&result, i)) {
            return Err("the kernel wrote nothing".into());
        }
        let compared = if self.is_well_known(&result) {
            result.len()
        } else {
            0
        };
        Ok(Right { compared })
    }
}
