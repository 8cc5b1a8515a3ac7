//! Lesson 9: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is how its operands reach it.

mod cpu;
mod gpu;

use std::process::ExitCode;

use runner::{AblateFlag, lesson_with};

fn main() -> ExitCode {
    let file = Some("09-feeding-the-tile.cl");
    lesson_with(9, "feeding the tile", file, |lesson, flags: &AblateFlag| {
        let problem = lesson.problem()?;
        let session = lesson.session()?;
        let limits = &session.device.limits;
        let mut steps = Vec::from(cpu::steps(&problem, limits));
        steps.extend(gpu::steps(&problem, limits));
        if flags.ablate {
            return lesson.ablate(&steps, &problem);
        }
        lesson.measure_all(&steps, &problem)?;
        lesson.compare_with_host(&problem)
    })
}
