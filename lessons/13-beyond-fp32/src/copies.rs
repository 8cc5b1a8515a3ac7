//! Copies that pass no register: OpenCL's by the group, and two that one vendor has.

use common::Result;
use lesson::Lesson;
use verify::problem::Problem;

const STEPS: &str = include_str!("../copies.toml");

/// Prints their table, unless `--only` leaves out all of them: of launches of one name the one
/// that is reckoned to take the least.
pub fn run(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let tasks = lesson.tasks(STEPS, "step", problem)?;
    let tasks = crate::choose(lesson, tasks, false)?;
    lesson.measure_against("Copies that pass no register", tasks, |_| Ok(()))
}
