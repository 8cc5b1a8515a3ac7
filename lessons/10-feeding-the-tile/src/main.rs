//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

#[cfg(test)]
mod tests;

use common::device::Kind;
use lesson::{Candidates, ChoiceFlags, lesson_with};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> std::process::ExitCode {
    let (title, file) = ("feeding the tile", &["10-feeding-the-tile.cl"]);
    lesson_with(10, title, file, |lesson, flags: &ChoiceFlags| {
        flags.measure(lesson, |lesson, problem| {
            let tasks = lesson.tasks(STEPS, "step", problem)?;
            let device = &lesson.session()?.device;
            let suits = device.kind == Kind::Gpu;
            Ok(Candidates::on(device.kind, &device.limits, tasks, "h200.jsonl", suits))
        })
    })
}
