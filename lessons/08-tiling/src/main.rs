//! Lesson 8: tiling. An item that computes several elements of C uses each
//! number that it loads several times.

use std::process::ExitCode;

use lesson::{AblateFlag, lesson_with};

fn main() -> ExitCode {
    let file = &["08-tiling.cl"];
    lesson_with(8, "tiling", file, |lesson, flags: &AblateFlag| {
        let problem = lesson.problem()?;
        let tasks = lesson.tasks(include_str!("../steps.toml"), "step", &problem)?;
        if flags.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        lesson.compare_with_host(&problem)
    })
}
