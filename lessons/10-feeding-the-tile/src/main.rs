//! Lesson 10: feeding the tile. The arithmetic of lesson 8 stays as it is; what
//! changes is when a GPU asks for its operands.

mod steps;
#[cfg(test)]
mod tests;
mod tile;

use std::process::ExitCode;

use common::device::Kind;
use lesson::{Candidates, ChoiceFlags, Step, lesson_with};

fn main() -> ExitCode {
    let file = Some("10-feeding-the-tile.cl");
    lesson_with(
        10,
        "feeding the tile",
        file,
        |lesson, flags: &ChoiceFlags| {
            let problem = lesson.problem()?;
            let session = lesson.session()?;
            let limits = &session.device.limits;
            let candidates = Candidates {
                steps: steps::candidates(problem.shape, problem.ty, limits),
                told_by: &steps::TOLD_BY,
                recording: "h200.jsonl",
                suit: session.device.kind == Kind::Gpu,
            };
            let is_possible = |step: &Step| tile::has_room(step, limits);
            flags.measure(lesson, &problem, candidates, is_possible)
        },
    )
}
