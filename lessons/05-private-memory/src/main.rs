//! Lesson 5: private memory. What an item keeps to itself costs no traffic, as
//! long as it fits its registers.

use std::process::ExitCode;

use common::Result;
use common::record::Record;
use lesson::{Lesson, lesson};
use verify::numbers::bytes;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    let (title, file) = ("private memory", &["05-private-memory.cl"]);
    lesson(5, title, file, |lesson| {
        let problem = lesson.problem()?;
        lesson.measure_table(STEPS, "sums", &problem)?;
        private_sizes(lesson)?;
        lesson.compare_with_host(&problem)?;
        let heading = "\n  A row of C per item: few items, each with much to keep";
        lesson.measure_below(heading, STEPS, "rows", &problem)
    })
}

/// What the compiler set aside for one item: more than registers hold is a spill.
fn private_sizes(lesson: &Lesson) -> Result<()> {
    let size = |row: &Record| Some((row.kernel.clone(), row.private_bytes?));
    let rows = lesson.console.report.rows().iter();
    let sizes: Vec<(String, u64)> = rows.filter_map(size).collect();
    if sizes.is_empty() {
        return Ok(());
    }
    lesson.say(
        "\n  CL_KERNEL_PRIVATE_MEM_SIZE: private memory of one item, as the driver counts it",
    )?;
    for (kernel, size) in sizes {
        lesson.say(format!("    {kernel:<28}{:>10}", bytes(size)))?;
    }
    Ok(())
}
