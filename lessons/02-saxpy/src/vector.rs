//! At the memory's limit: a second kernel for the same vectors. Its eleven steps are
//! those of `main`, taken by `common`, as in every lesson from here on.

use std::rc::Rc;

use common::Result;
use common::element::{Elements, Type};
use common::memory::{Input, Output};
use common::ndrange::NdRange;
use common::program::Program;
use common::record::Work;
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::verify::Right;
use lesson::{Lesson, Ready, Step, Task};
use narrate::{Beat, Look};

use super::check;
use super::problem::{GROUP, Saxpy, TRAFFIC};

/// Its name.
pub const KERNEL: &str = "saxpy_vector";
/// Floats of a vector.
const LANES: usize = 4;

/// Verifies, times and prints it, unless `--only` asks for the other.
pub fn measure(lesson: &mut Lesson, saxpy: &Saxpy) -> Result<()> {
    let flags = lesson.flags();
    if !flags.wants(KERNEL) {
        return Ok(());
    }
    // Below the row of saxpy, if that came to its end.
    let above = lesson.console.report.rows().last();
    if !flags.wants("saxpy") || above.is_none_or(|row| row.died.is_some()) {
        lesson.table("GB/s")?;
    }
    let says = "four elements for each item, as one float4";
    let step = Step::new(KERNEL, says).traffic(TRAFFIC);
    lesson.measure_task(&Vector { saxpy, step })
}

/// The vectors, four floats for each item.
struct Vector<'a> {
    saxpy: &'a Saxpy,
    step: Step,
}

impl Task for Vector<'_> {
    fn step(&self) -> &Step {
        &self.step
    }

    fn facts(&self) -> Vec<String> {
        vec!["the same bytes, by a quarter of the items".into()]
    }

    fn shape(&self) -> Shape {
        self.saxpy.shape()
    }

    fn work(&self) -> Work {
        self.saxpy.work()
    }

    fn signature(&self) -> Vec<String> {
        let signature = ["int", "float", "float4*", "float4*", "float4*"];
        signature.map(String::from).into()
    }

    /// One item for each whole vector, and one for each float behind them.
    fn range(&self) -> NdRange {
        let n = self.saxpy.a.len();
        NdRange::cover(&[n / LANES + n % LANES], &[GROUP])
    }

    /// A, B and room for C on the device. A buffer begins at a multiple of 128 bytes or
    /// more, as OpenCL demands: a float4 may lie there.
    fn ready(&self, lesson: &mut Lesson, _: &Program, mut launch: Launch) -> Result<Ready> {
        let Saxpy { a, b, d, .. } = self.saxpy;
        let session = lesson.session()?;
        let narrator = &lesson.console.narrator;
        narrator.beat(Beat::Upload)?;
        let input = |name: &'static str, vector: &[f32]| -> Result<Rc<Input>> {
            narrator.name_next(name);
            let input = Input::new(&session, name, Elements::Float(vector.to_vec()))?;
            Ok(Rc::new(input))
        };
        let inputs = vec![input("A", a)?, input("B", b)?];
        narrator.name_next("C");
        let output = Output::new(&session, "C", Type::Float, a.len())?;
        let buffers = [inputs[0].buffer(), inputs[1].buffer(), output.buffer()];
        for (name, buffer) in ["A", "B", "C"].into_iter().zip(buffers) {
            narrator.watch(&session.queue, name, buffer.cl(), Look::vector(a.len()));
        }
        narrator.beat(Beat::Arguments)?;
        let mut arguments = vec![Arg::Int(a.len() as i32), Arg::Float(*d)];
        arguments.extend(buffers.map(|buffer| Arg::Buffer(buffer.clone())));
        session.set_args(&mut launch, &arguments)?;
        Ok(Ready::new(launch, inputs, output))
    }

    fn bound(&self) -> String {
        check::bound(self.saxpy.a.len())
    }

    fn check(&self, result: &[u8]) -> Result<Right, String> {
        check::must_be_right(self.saxpy, &bytemuck::pod_collect_to_vec(result))?;
        Ok(Right {
            compared: self.saxpy.a.len(),
        })
    }
}
