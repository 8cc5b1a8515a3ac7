//! The course map: the lessons in order, minutes, and the command for each.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;

use crate::lessons::LESSONS;

/// Prints the map.
pub fn print() -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{}\n", "OpenCL performance, one step at a time".bold())?;
    for lesson in LESSONS {
        writeln!(
            out,
            "  {}  {:<62}{:>3} min",
            lesson.number, lesson.teaches, lesson.minutes
        )?;
        writeln!(
            out,
            "     {}  {}",
            format!("cargo run -p {}", lesson.package()).cyan(),
            format!("lessons/{}/README.md", lesson.folder).dimmed()
        )?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    writeln!(
        out,
        "\n  {} hours in all. Before the first lesson: docs/using-the-course.md.\n  \
         Nothing found to run on? ./setup",
        minutes.div_ceil(60)
    )?;
    Ok(())
}
