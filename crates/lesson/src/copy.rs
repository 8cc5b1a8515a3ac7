//! A kernel that only moves floats: it shows what an order of access costs.

use std::rc::Rc;

use common::element::Type;
use common::error::Result;
use common::memory::{Input, Output};
use common::ndrange::NdRange;
use common::program::Program;
use common::record::Work;
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::verify::{self, Right};
use narrate::{Beat, Look};

use crate::lesson::Lesson;
use crate::ready::Ready;
use crate::step::Step;
use crate::task::{Task, signature};

/// One launch of such a kernel. Every one has the arguments (int, int, in, out).
pub struct Copy<'a> {
    /// The kernel and its macros.
    pub step: Step,
    /// The two int arguments.
    pub sizes: [usize; 2],
    /// The launch.
    pub range: NdRange,
    /// Floats moved: each is read once and written once.
    pub elements: usize,
    /// The floats.
    pub input: Rc<Input>,
    /// Element `i` of the output must be element `from(i)` of the input.
    pub from: &'a (dyn Fn(usize) -> usize + Sync),
}

impl Task for Copy<'_> {
    fn step(&self) -> &Step {
        &self.step
    }

    fn facts(&self) -> Vec<String> {
        let elements = self.elements;
        vec![format!(
            "{elements} floats, each read once and written once"
        )]
    }

    fn shape(&self) -> Shape {
        Shape::cube(0)
    }

    fn work(&self) -> Work {
        Work::Bytes(2.0 * (self.elements * size_of::<f32>()) as f64)
    }

    fn signature(&self) -> Vec<String> {
        signature(2, 2, Type::Float)
    }

    fn range(&self) -> NdRange {
        self.range.clone()
    }

    fn ready(&self, lesson: &mut Lesson, _: &Program, mut launch: Launch) -> Result<Ready> {
        let session = lesson.session()?;
        let narrator = &lesson.console.narrator;
        narrator.beat(Beat::Allocate)?;
        narrator.name_next("C");
        let output = Output::new(&session, "out", Type::Float, self.elements)?;
        let look = Look::vector(self.elements);
        narrator.watch(&session.queue, "C", output.buffer().cl(), look);
        narrator.watch(&session.queue, "A", self.input.buffer().cl(), look);
        narrator.beat(Beat::Arguments)?;
        let [first, second] = self.sizes.map(|size| Arg::Int(size as i32));
        let [input, to] =
            [self.input.buffer(), output.buffer()].map(|buffer| Arg::Buffer(buffer.clone()));
        session.set_args(&mut launch, &[first, second, input, to])?;
        Ok(Ready::new(launch, vec![self.input.clone()], output))
    }

    fn bound(&self) -> String {
        "every float must be the very bits of the one it copies".into()
    }

    fn check(&self, result: &[u8]) -> Result<Right, String> {
        verify::check_moved(result, self.input.holds(), self.from)
    }
}
