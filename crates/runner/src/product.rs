//! A product of matrices as a task: where its operands come from, and its check.

use std::rc::Rc;

use common::element::{Elements, Type};
use common::error::Result;
use common::matrix::Matrix;
use common::memory::{Input, Output};
use common::ndrange::NdRange;
use common::problem::Problem;
use common::program::Program;
use common::record::{Record, Work};
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::verify::{self, Right};
use narrate::{Beat, Look};

use crate::lesson::Lesson;
use crate::prepare::Operand;
use crate::ready::Ready;
use crate::step::Step;
use crate::task::Task;
use crate::workbench::Operands;

/// A step on a problem.
pub(crate) struct Product<'a> {
    pub step: &'a Step,
    pub problem: &'a Problem,
}

impl Task for Product<'_> {
    fn kernel(&self) -> &str {
        &self.step.kernel
    }

    fn kernels(&self) -> Vec<&str> {
        self.step.kernels().collect()
    }

    fn variant(&self) -> &str {
        &self.step.variant
    }

    fn says(&self) -> &str {
        &self.step.says
    }

    fn defines(&self) -> &[(String, usize)] {
        &self.step.defines
    }

    fn facts(&self) -> Vec<String> {
        let (problem, padded) = (self.problem.shape, self.step.shape(self.problem.shape));
        let mut facts = Vec::new();
        if padded != problem {
            facts.push(format!("{problem} is padded with zeros to {padded}"));
        }
        if let Some(traffic) = self.step.traffic {
            facts.push(format!(
                "global memory: {} loads, {} stores",
                traffic.global_loads, traffic.global_stores
            ));
        }
        facts
    }

    fn shape(&self) -> Shape {
        self.problem.shape
    }

    fn ty(&self) -> Type {
        self.problem.ty
    }

    fn work(&self) -> Work {
        Work::Flop(self.problem.shape.flop())
    }

    fn signature(&self) -> Vec<String> {
        Step::signature(self.problem.ty)
    }

    fn range(&self) -> NdRange {
        self.step.range(self.step.shape(self.problem.shape))
    }

    fn has_exact_group(&self) -> bool {
        self.step.has_exact_group()
    }

    fn is_vendor_specific(&self) -> bool {
        self.step.vendor_specific
    }

    fn refusal(&self, lesson: &mut Lesson) -> Result<Option<String>> {
        lesson.cannot_begin(self.step, self.problem)
    }

    fn count(&self, record: &mut Record) -> Result<()> {
        let Product { step, problem } = self;
        record.traffic_formulas = step.traffic;
        record.traffic_elements = step.counts(problem.shape, &record.group)?;
        record.preparations = step.prepared(problem.shape)?;
        Ok(())
    }

    /// Uploads the operands, has them laid out where the step asks for it, and makes
    /// room for C.
    fn ready(&self, lesson: &mut Lesson, program: &Program, mut launch: Launch) -> Result<Ready> {
        let Product { step, problem } = self;
        let session = lesson.session()?;
        let s = step.shape(problem.shape);
        let given = self.upload(lesson)?;
        let (mut launches, laid_out) = lesson.prepare(step, problem, program, &given)?;
        let narrator = &lesson.console.narrator;
        narrator.name_next("C");
        let output = Output::new(&session, "C", problem.ty, s.m * s.n)?;
        let look = step.look_at_c(s, problem.ty);
        narrator.watch(&session.queue, "C", output.buffer().cl(), look);
        narrator.beat(Beat::Arguments)?;
        let [m, n, k] = [s.m, s.n, s.k].map(|size| Arg::Int(size as i32));
        let of = |operand| laid_out.iter().find(|one| one.operand == operand);
        let a = of(Operand::A).map_or(given.a.buffer(), |one| one.output.buffer());
        let b = of(Operand::B).map_or(given.b.buffer(), |one| one.output.buffer());
        let [a, b, c] = [a, b, output.buffer()].map(|buffer| Arg::Buffer(buffer.clone()));
        session.set_args(&mut launch, &[m, n, k, a, b, c])?;
        launches.push(launch);
        Ok(Ready {
            launches,
            inputs: vec![given.a.clone(), given.b.clone()],
            output,
            laid_out,
        })
    }

    fn bound(&self) -> String {
        self.problem.bound_in_words()
    }

    fn check(&self, result: &[u8]) -> Result<Right, String> {
        verify::check(self.problem, &self.c(result)).map_err(|wrong| wrong.to_string())
    }

    fn matrix(&self, result: &[u8]) -> Option<Matrix> {
        Some(self.c(result))
    }
}

impl Product<'_> {
    /// C as the problem wants it.
    fn c(&self, result: &[u8]) -> Matrix {
        let Product { step, problem } = self;
        let s = step.shape(problem.shape);
        let padded = Matrix {
            rows: s.m,
            cols: s.n,
            data: Elements::from_bytes(problem.ty, result),
        };
        step.result(padded, problem.shape)
    }

    /// A and B on the device in the step's layout; kept for the next step.
    fn upload(&self, lesson: &mut Lesson) -> Result<Rc<Operands>> {
        let Product { step, problem } = self;
        let made_for = format!(
            "{:?} {} {} {:?}",
            step.layout,
            step.shape(problem.shape),
            problem.shape,
            problem.fill
        );
        lesson.console.narrator.beat(Beat::Upload)?;
        let known = lesson.workbench()?.operands.clone();
        if let Some(operands) = known.filter(|known| known.made_for == made_for) {
            lesson
                .console
                .narrator
                .note(|| "A and B are there already, laid out as this kernel wants".into());
            return Ok(operands);
        }
        lesson.console.doing("uploading the matrices")?;
        // Freed first, so that the device never holds two sets.
        lesson.workbench()?.operands = None;
        let session = lesson.session()?;
        let narrator = &lesson.console.narrator;
        narrator.forget(&["A", "B"]);
        let (a, b) = step.operands(problem);
        let upload = |name: &'static str, matrix: Matrix| -> Result<Rc<Input>> {
            narrator.name_next(name);
            let Matrix { rows, cols, data } = matrix;
            let input = Input::new(&session, name, data)?;
            let ty = problem.ty;
            narrator.watch(
                &session.queue,
                name,
                input.buffer().cl(),
                Look { rows, cols, ty },
            );
            Ok(Rc::new(input))
        };
        let operands = Rc::new(Operands {
            made_for,
            a: upload("A", a.into_owned())?,
            b: upload("B", b.into_owned())?,
        });
        lesson.workbench()?.operands = Some(operands.clone());
        Ok(operands)
    }
}
