//! Lesson 9: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is how its operands reach it.

mod cpu;
mod gpu;

use std::process::ExitCode;

use runner::lesson;

fn main() -> ExitCode {
    lesson(
        9,
        "feeding the tile",
        Some("09-feeding-the-tile.cl"),
        |lesson| {
            let problem = lesson.problem()?;
            let session = lesson.session()?;
            let limits = &session.device.limits;
            lesson.table("GFLOP/s")?;
            for step in cpu::steps(&problem, limits) {
                lesson.measure(&step, &problem)?;
            }
            for step in gpu::steps(&problem, limits) {
                lesson.measure(&step, &problem)?;
            }
            lesson.compare_with_host(&problem)
        },
    )
}
