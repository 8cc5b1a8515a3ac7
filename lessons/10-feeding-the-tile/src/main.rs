//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

mod steps;

use std::process::ExitCode;

use runner::{AblateFlag, lesson_with};

fn main() -> ExitCode {
    let file = Some("10-feeding-the-tile.cl");
    lesson_with(
        10,
        "feeding the tile",
        file,
        |lesson, flags: &AblateFlag| {
            let problem = lesson.problem()?;
            let session = lesson.session()?;
            let steps = steps::steps(&problem, &session.device.limits);
            if flags.ablate {
                return lesson.ablate(&steps, &problem);
            }
            lesson.measure_all(&steps, &problem)?;
            lesson.compare_with_host(&problem)
        },
    )
}
