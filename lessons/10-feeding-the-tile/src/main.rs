//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use common::device::Kind;
use lesson::{Candidates, ChoiceFlags, lesson_with};

const STEPS: &str = include_str!("../steps.toml");
/// The macros by which launches of one name are told apart.
const TOLD_BY: [&str; 3] = ["SHARES", "TM", "TN"];

fn main() -> ExitCode {
    let (title, file) = ("feeding the tile", &["10-feeding-the-tile.cl"]);
    lesson_with(10, title, file, |lesson, flags: &ChoiceFlags| {
        flags.measure(lesson, |lesson, problem| {
            Ok(Candidates {
                tasks: lesson.tasks(STEPS, "step", problem)?,
                told_by: &TOLD_BY,
                recording: "h200.jsonl",
                suit: lesson.session()?.device.kind == Kind::Gpu,
            })
        })
    })
}
