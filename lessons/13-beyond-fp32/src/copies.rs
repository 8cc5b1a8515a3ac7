//! Copies that pass no register: OpenCL's by the group, and two that one vendor has.

use std::path::Path;

use common::Result;
use lesson::{Candidates, Costs, Lesson};
use verify::problem::Problem;

const STEPS: &str = include_str!("../copies.toml");

/// Prints their table, unless `--only` leaves out all of them: of launches of one name the one
/// that is reckoned to take the least.
pub fn run(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let tasks = lesson.tasks(STEPS, "step", problem)?;
    let device = &lesson.session()?.device;
    let candidates = Candidates::on(device.kind, &device.limits, tasks, "h200.jsonl", false);
    let costs = Costs::read(Path::new(""), candidates.recording);
    let tasks = candidates.choose(&costs);
    lesson.measure_against("Copies that pass no register", tasks, |_| Ok(()))
}
