//! The course map: the lessons in order, minutes, what is solved, and what is next.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use process::lessons::{LESSONS, Lesson};
use text::Out;

use crate::game::folder::{Folder, shown};
use crate::game::progress::Progress;
use crate::game::puzzle::Puzzle;
use crate::game::puzzles;
use crate::{broken, exercises};

/// Prints the map. Progress is shown where the learner has a folder, and missed by
/// nobody where there is none.
pub fn print() -> Result<()> {
    let mut out = Out;
    let all = exercises::all()?;
    let all = puzzles(&all);
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress);
    let title = format!("{:<63}", "OpenCL performance, one step at a time");
    writeln!(out, "{}{}\n", title.bold(), "minutes exercises".dimmed())?;
    for lesson in LESSONS {
        let ours: Vec<&Puzzle> = all
            .iter()
            .copied()
            .filter(|one| one.lesson.number == lesson.number)
            .collect();
        let tally = tally(&ours, progress.as_ref());
        writeln!(
            out,
            "  {:>2}  {:<59}{:>5}{tally:>10}",
            lesson.number, lesson.teaches, lesson.minutes
        )?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    let hours = minutes.div_ceil(60);
    let any = "cargo run -p lesson05".cyan();
    writeln!(
        out,
        "\n  {hours} hours and the exercises. Any lesson at any time: {any}"
    )?;
    let broken = broken::all()?;
    let broken = puzzles(&broken);
    let diagnose = "cargo course diagnose".cyan();
    let tally = tally(&broken, progress.as_ref());
    writeln!(out, "  Kernels that are wrong, {tally} mended: {diagnose}")?;
    let inspect = "cargo course inspect FILE".cyan();
    writeln!(out, "  What is wrong with a kernel of yours? {inspect}")?;
    match (&folder, &progress) {
        (Some(folder), Some(progress)) => onward(&all, folder, progress),
        _ => begin(),
    }
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: Option<&Progress>) -> String {
    match (all.len(), progress) {
        (0, _) => String::new(),
        (count, None) => count.to_string(),
        (count, Some(progress)) => {
            format!("{} of {count}", progress.count_done(all))
        }
    }
}

/// For someone who has no folder: the first lesson, and how to get the exercises.
fn begin() -> Result<()> {
    let mut out = Out;
    writeln!(out, "  Begin with docs/using-the-course.md, then")?;
    lesson(&LESSONS[0])?;
    writeln!(out, "  The exercises, in a folder of your own:")?;
    writeln!(out, "    {}", "cargo course start".cyan())?;
    writeln!(out, "  Nothing found to run on? {}", "./setup".cyan())?;
    Ok(())
}

/// For someone who has: the first exercise that is not solved, and its lesson.
fn onward(all: &[&Puzzle], folder: &Folder, progress: &Progress) -> Result<()> {
    let mut out = Out;
    let Some(next) = progress.next(all) else {
        writeln!(out, "  Every exercise is solved.")?;
        return Ok(());
    };
    writeln!(out, "  Next is exercise {}, {}:", next.id, next.title)?;
    writeln!(out, "    {}", shown(&folder.file(next)).dimmed())?;
    writeln!(out, "    {}", next.command().cyan())?;
    writeln!(out, "  Its lesson:")?;
    lesson(next.lesson)
}

/// A lesson's page and command.
fn lesson(lesson: &Lesson) -> Result<()> {
    let mut out = Out;
    let page = format!("lessons/{}/README.md", lesson.folder);
    writeln!(out, "    {}", page.dimmed())?;
    let command = format!("cargo run -p {}", lesson.package());
    writeln!(out, "    {}", command.cyan())?;
    Ok(())
}
