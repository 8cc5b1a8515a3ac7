//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

mod choice;
mod steps;

use std::process::ExitCode;

use runner::{ChoiceFlags, Step, choose, lesson_with};

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
            let cost = |step: &Step| choice::cost(step, problem.shape, limits);
            let steps = flags.wanted(choose(steps::steps(&problem, limits), cost))?;
            if flags.ablate() {
                return lesson.ablate(&steps, &problem);
            }
            lesson.measure_all(&steps, &problem)?;
            if flags.alone() {
                return Ok(());
            }
            lesson.compare_with_host(&problem)
        },
    )
}
