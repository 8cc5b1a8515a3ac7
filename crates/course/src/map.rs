//! The course map: the lessons in order, minutes, what is solved, and what is next.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use process::lessons::{LESSONS, Lesson};
use text::Out;

use crate::game::folder::{Folder, shown};
use crate::game::progress::Progress;
use crate::game::puzzle::Puzzle;

/// Prints the map of these puzzles. Progress is shown where the learner has a folder, and missed
/// by nobody where there is none.
pub fn print(all: &[&Puzzle]) -> Result<()> {
    let of_kind = |kind: &str| -> Vec<&Puzzle> {
        let all = all.iter().copied();
        all.filter(|one| one.kind.command == kind).collect()
    };
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress);
    let title = format!("{:<63}", "OpenCL performance, one step at a time");
    writeln!(Out, "{}{}\n", title.bold(), "minutes exercises".dimmed())?;
    for Lesson {
        number,
        teaches,
        minutes,
        ..
    } in LESSONS
    {
        let mut ours = of_kind("exercise");
        ours.retain(|one| one.lesson.is_some_and(|own| own.number == *number));
        let tally = tally(&ours, progress.as_ref());
        writeln!(Out, "  {number:>2}  {teaches:<59}{minutes:>5}{tally:>10}")?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    let hours = minutes.div_ceil(60);
    let any = "cargo run -p lesson05".cyan();
    writeln!(
        Out,
        "\n  {hours} hours and the exercises. Any lesson at any time: {any}"
    )?;
    let others = [("diagnose", "cargo course "), ("host", ""), ("problem", "")];
    let others = others.map(|(kind, before)| {
        let tally = tally(&of_kind(kind), progress.as_ref());
        format!("{} ({tally})", format!("{before}{kind}").cyan())
    });
    writeln!(Out, "  More: {}", others.join(", "))?;
    let inspect = "cargo course inspect FILE".cyan();
    writeln!(Out, "  What is wrong with a kernel of yours? {inspect}")?;
    match (&folder, &progress) {
        (Some(folder), Some(progress)) => onward(&of_kind("exercise"), folder, progress),
        _ => begin(),
    }
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: Option<&Progress>) -> String {
    match (all.len(), progress) {
        (0, _) => String::new(),
        (count, None) => count.to_string(),
        (count, Some(progress)) => format!("{} of {count}", progress.count_done(all)),
    }
}

/// For someone who has no folder: the first lesson, and how to get the exercises.
fn begin() -> Result<()> {
    writeln!(Out, "  Begin with docs/using-the-course.md, then")?;
    lesson(&LESSONS[0])?;
    let (start, setup) = ("cargo course start".cyan(), "./setup".cyan());
    Ok(writeln!(
        Out,
        "  The exercises, in a folder of your own: {start}. No device? {setup}"
    )?)
}

/// For someone who has: the first exercise that is not solved, and its lesson.
fn onward(all: &[&Puzzle], folder: &Folder, progress: &Progress) -> Result<()> {
    let Some(next) = progress.next(all) else {
        return Ok(writeln!(Out, "  Every exercise is solved.")?);
    };
    writeln!(
        Out,
        "  Next is exercise {}, {}, and its lesson:",
        next.id, next.title
    )?;
    writeln!(Out, "    {}", shown(&folder.file(next)).dimmed())?;
    writeln!(Out, "    {}", next.command().cyan())?;
    next.lesson.map_or(Ok(()), lesson)
}

/// A lesson's page and command.
fn lesson(lesson: &Lesson) -> Result<()> {
    let page = format!("lessons/{}/README.md", lesson.folder);
    let command = format!("cargo run -p {}", lesson.package());
    Ok(writeln!(Out, "    {}   {}", page.dimmed(), command.cyan())?)
}
