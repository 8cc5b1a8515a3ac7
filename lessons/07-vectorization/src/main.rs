//! Lesson 7: vector types. One value with several lanes, for devices that have
//! wide registers, and for wide loads.

use std::process::ExitCode;

use common::Result;
use lesson::{Lesson, lesson};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    lesson(7, "vectorization", &["07-vectorization.cl"], |lesson| {
        let problem = lesson.problem()?;
        widths(lesson)?;
        lesson.measure_table(STEPS, "columns", &problem)?;
        lesson.compare_with_host(&problem)?;
        let heading = "\n  The other way to use lanes: terms of one sum, added up by dot()";
        lesson.measure_below(heading, STEPS, "terms", &problem)
    })
}

/// What the driver says about vectors, to hold against the table.
fn widths(lesson: &mut Lesson) -> Result<()> {
    let limits = &lesson.session()?.device.limits;
    lesson.say(format!(
        "  vectors  preferred width {} floats, native width {} (1 means: write scalars)",
        limits.preferred_float_width, limits.native_float_width
    ))
}
