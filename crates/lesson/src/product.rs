//! A product of matrices as a task: where its operands come from, and its check.

use std::rc::Rc;

use common::element::{Elements, Type};
use common::error::Result;
use common::matrix::Matrix;
use common::memory::{Input, Output};
use common::ndrange::NdRange;
use common::problem::Problem;
use common::program::Program;
use common::record::Work;
use common::session::{Arg, Buffer, Launch, Session};
use common::shape::Shape;
use common::verify::{self, Right};
use narrate::{Beat, Geometry, Look};

use crate::helper::Helper;
use crate::lesson::Lesson;
use crate::ready::{LaidOut, Ready};
use crate::step::Step;
use crate::task::{Task, signature};

/// A step on a problem.
pub(crate) struct Product<'a> {
    pub step: &'a Step,
    pub problem: &'a Problem,
}

impl Task for Product<'_> {
    fn step(&self) -> &Step {
        self.step
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

    fn geometry(&self) -> Option<Geometry> {
        self.step.geometry()
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
        signature(3, 3, self.problem.ty)
    }

    fn range(&self) -> NdRange {
        self.step.range(self.step.shape(self.problem.shape))
    }

    /// Uploads the operands, has them laid out where the step asks for it, and makes
    /// room for C.
    fn ready(&self, lesson: &mut Lesson, program: &Program, mut launch: Launch) -> Result<Ready> {
        let Product { step, problem } = self;
        let session = lesson.session()?;
        let (s, padded) = (step.shape(problem.shape), step.padded(problem.shape));
        let inputs = self.upload(lesson)?;
        let mut operands = inputs.each_ref().map(|input| input.buffer().clone());
        let narrator = &lesson.console.narrator;
        let (mut launches, mut laid_out) = (Vec::new(), Vec::new());
        for helper in step.helpers_before() {
            let operand = helper.operand as usize;
            let name = ["A laid out", "B laid out"][operand];
            narrator.name_next(name);
            let room = step.room_for(helper, padded);
            let output = Output::new(&session, name, problem.ty, room)?;
            let to = output.buffer();
            launches.push(self.help(&session, program, helper, [&operands[operand], to])?);
            operands[operand] = to.clone();
            laid_out.push(LaidOut {
                operand: helper.operand,
                output,
                by: helper.kernel.clone(),
            });
        }
        narrator.name_next("C");
        let output = Output::new(&session, "C", problem.ty, s.m * s.n)?;
        let look = step.look_at_c(s, problem.ty);
        narrator.watch(&session.queue, "C", output.buffer().cl(), look);
        let (mut shares, mut last) = (None, None);
        if let Some(helper) = step.helper_after() {
            narrator.name_next("shares of C");
            let room = step.room_for(helper, padded);
            let from = Output::new(&session, "shares of C", problem.ty, room)?;
            last = Some(self.help(&session, program, helper, [from.buffer(), output.buffer()])?);
            shares = Some(from);
        }
        narrator.beat(Beat::Arguments)?;
        let [m, n, k] = [s.m, s.n, s.k].map(|size| Arg::Int(size as i32));
        let [a, b] = operands.map(Arg::Buffer);
        let c = Arg::Buffer(shares.as_ref().unwrap_or(&output).buffer().clone());
        session.set_args(&mut launch, &[m, n, k, a, b, c])?;
        launches.push(launch);
        launches.extend(last);
        Ok(Ready {
            launches,
            inputs: inputs.into(),
            output,
            laid_out,
            shares,
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
    fn upload(&self, lesson: &mut Lesson) -> Result<[Rc<Input>; 2]> {
        let Product { step, problem } = self;
        let (shape, padded) = (problem.shape, step.shape(problem.shape));
        let made_for = format!("{:?} {padded} {shape} {:?}", step.layout, problem.fill);
        lesson.console.narrator.beat(Beat::Upload)?;
        let known = lesson.workbench()?.operands.take();
        if let Some((_, operands)) = known.filter(|known| known.0 == made_for) {
            let note = "A and B are there already, laid out as this kernel wants";
            lesson.console.narrator.note(|| note.into());
            lesson.workbench()?.operands = Some((made_for, operands.clone()));
            return Ok(operands);
        }
        // Those of before are freed by now, so that the device never holds two sets.
        lesson.console.doing("uploading the matrices")?;
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
        let operands = [upload("A", a.into_owned())?, upload("B", b.into_owned())?];
        lesson.workbench()?.operands = Some((made_for, operands.clone()));
        Ok(operands)
    }

    /// A helper that moves its operand from one buffer to another, ready to run.
    fn help(
        &self,
        session: &Session,
        program: &Program,
        helper: &Helper,
        buffers: [&Buffer; 2],
    ) -> Result<Launch> {
        let Problem { shape, ty, .. } = *self.problem;
        let padded = self.step.padded(shape);
        let Helper {
            kernel: name,
            operand,
            ..
        } = helper;
        let kernel = program.kernel(name, &signature(2, 2, ty))?;
        let room = session.room(&kernel, &helper.group);
        let range = helper.range(padded).in_groups_of_at_most(room);
        let mut launch = Launch::new(kernel, name, range);
        let [rows, columns] = operand.size(shape).map(|n| Arg::Int(n as i32));
        let [from, to] = buffers.map(|buffer| Arg::Buffer(buffer.clone()));
        session.set_args(&mut launch, &[rows, columns, from, to])?;
        Ok(launch)
    }
}
