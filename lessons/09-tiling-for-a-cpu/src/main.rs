//! Lesson 9: tiling for a CPU. The tile of sums in a CPU's registers, and A and B laid
//! out so that its caches work.

#[cfg(test)]
mod tests;

use common::device::Kind;
use lesson::{Candidates, ChoiceFlags, lesson_with};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> std::process::ExitCode {
    let (title, file) = ("tiling for a CPU", &["09-tiling-for-a-cpu.cl"]);
    lesson_with(9, title, file, |lesson, flags: &ChoiceFlags| {
        flags.measure(lesson, |lesson, problem| {
            let tasks = lesson.tasks(STEPS, "step", problem)?;
            let device = &lesson.session()?.device;
            let suits = device.kind != Kind::Gpu;
            Ok(Candidates::on(device.kind, &device.limits, tasks, "epyc.jsonl", suits))
        })
    })
}
