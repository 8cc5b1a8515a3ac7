//! Lesson 13: beyond fp32. One vendor's instructions.

mod copies;

use std::process::ExitCode;

use lesson::lesson;

fn main() -> ExitCode {
    lesson(13, "beyond fp32", &["13-copies.cl"], |lesson| {
        let problem = lesson.problem()?;
        copies::run(lesson, &problem)
    })
}
