//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

mod choice;
mod steps;
mod tile;

use std::process::ExitCode;

use common::device::Kind;
use lesson::{ChoiceFlags, choose, lesson_with};

fn main() -> ExitCode {
    let file = Some("10-feeding-the-tile.cl");
    lesson_with(
        10,
        "feeding the tile",
        file,
        |lesson, flags: &ChoiceFlags| {
            let problem = lesson.problem()?;
            let session = lesson.session()?;
            let limits = &session.device.limits;
            let mut steps = steps::steps(problem.shape, problem.ty, limits);
            if session.device.kind == Kind::Gpu {
                steps = choose(steps, |step| choice::cost(step, problem.shape, limits));
            }
            flags.measure(lesson, steps, &problem)
        },
    )
}
