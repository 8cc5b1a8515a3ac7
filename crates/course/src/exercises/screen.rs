//! What the learner reads: 80 columns, the task first, then what the checks see, and
//! at the end the next command.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::{ColoredString, Colorize};

use super::check::{Checked, Verdict};
use super::exercise::Exercise;
use super::folder::{Folder, Started, shown};
use crate::observation::Outcome;
use crate::progress::Progress;
use crate::prose::{beside, print_text};

/// Where the words beside a heading begin.
const WORDS: usize = 10;

/// The command for an exercise.
pub fn command(exercise: &Exercise) -> String {
    format!("cargo run -p course -- exercise {}", exercise.id())
}

/// After `start`.
pub fn started(folder: &Folder, started: &Started, next: Option<&Exercise>) -> Result<()> {
    let mut out = std::io::stdout();
    let Started { new, kept } = started;
    let place = shown(folder.path());
    match (new, kept) {
        (new, 0) => writeln!(out, "{new} exercises are in {place}, which is yours.")?,
        (0, kept) => writeln!(
            out,
            "All {kept} exercises are in {place} already, untouched."
        )?,
        (new, kept) => writeln!(
            out,
            "{new} new exercises are in {place}; {kept} were there and are untouched."
        )?,
    }
    if let Some(next) = next {
        writeln!(
            out,
            "\n  Open this one in your editor, fill its gap, and save it:"
        )?;
        writeln!(out, "    {}", shown(&folder.file(next)))?;
        writeln!(out, "  Then check it:")?;
        writeln!(out, "    {}", command(next).cyan())?;
    }
    writeln!(out, "  What is solved, and what is next:")?;
    writeln!(out, "    {}", "cargo run -p course".cyan())?;
    Ok(())
}

/// Every exercise with what is known of it.
pub fn list(all: &[Exercise], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    for exercise in all {
        let mark = mark(&progress, exercise);
        let (id, title) = (exercise.id(), &exercise.title);
        writeln!(std::io::stdout(), "  {mark} {id:<5} {title}")?;
    }
    total(all, folder)
}

/// One exercise of `check-all`; `None` was not begun.
pub fn row(exercise: &Exercise, checked: Option<&Checked>) -> Result<()> {
    let mut out = std::io::stdout();
    let faulty = |checked: &Checked| {
        let mut seen = checked.observations.iter();
        let fault = seen.find(|seen| seen.outcome == Outcome::Fault);
        fault.map_or(String::new(), |seen| format!("not yet: {}", seen.detector))
    };
    let (mark, words) = match checked.map(|checked| (checked.verdict, checked)) {
        Some((Verdict::Solved, _)) => ("✓".green(), "solved".to_string()),
        Some((Verdict::Unproven, _)) => ("~".yellow(), "right, not proven".to_string()),
        Some((Verdict::NotYet, checked)) => ("✗".red().bold(), faulty(checked)),
        Some((Verdict::NotRun, _)) => ("?".yellow(), "did not run".to_string()),
        None => (" ".normal(), "not begun".to_string()),
    };
    let (id, title) = (exercise.id(), &exercise.title);
    writeln!(out, "  {mark} {id:<5} {title:<40} {words}")?;
    Ok(out.flush()?)
}

/// How many are solved, and the next command.
pub fn total(all: &[Exercise], folder: &Folder) -> Result<()> {
    let mut out = std::io::stdout();
    let progress = folder.progress();
    writeln!(out, "\n  {}", tally(all, &progress))?;
    match (folder.is_started(), next(all, &progress)) {
        (false, _) => {
            writeln!(out, "  next: {}", "cargo run -p course -- start".cyan())?;
            writeln!(out, "        copies them to {}", shown(folder.path()))?;
        }
        (true, Some(next)) => writeln!(out, "  next: {}", command(next).cyan())?,
        (true, None) => {}
    }
    Ok(())
}

/// "3 of 24 solved".
pub fn tally(exercises: &[Exercise], progress: &Progress) -> String {
    let solved = exercises.iter().filter(|one| is_solved(progress, one));
    format!("{} of {} solved", solved.count(), exercises.len())
}

/// Whether it was solved; right and unproven is not.
pub fn is_solved(progress: &Progress, exercise: &Exercise) -> bool {
    progress.mark(&exercise.id()) == Some("solved")
}

/// The first that is not solved.
pub fn next<'a>(all: &'a [Exercise], progress: &Progress) -> Option<&'a Exercise> {
    all.iter().find(|one| !is_solved(progress, one))
}

/// The first that is not solved behind this one, else the first of all.
pub fn next_after<'a>(
    exercise: &Exercise,
    all: &'a [Exercise],
    progress: &Progress,
) -> Option<&'a Exercise> {
    let at = all.iter().position(|one| one.id() == exercise.id());
    let behind = &all[at.map_or(0, |at| at + 1)..];
    next(behind, progress).or_else(|| next(all, progress))
}

fn mark(progress: &Progress, exercise: &Exercise) -> ColoredString {
    match progress.mark(&exercise.id()) {
        Some("solved") => "✓".green(),
        Some("right") => "~".yellow(),
        _ => " ".normal(),
    }
}

/// The exercise, the learner's file, and, as long as it is untouched, the task; later where it stands.
pub fn head(exercise: &Exercise, file: &Path, edited: bool) -> Result<()> {
    let mut out = std::io::stdout();
    title(exercise)?;
    writeln!(out, "  File    {}", shown(file))?;
    if edited {
        writeln!(out, "  Task    stands at the top of the file")?
    } else {
        writeln!(out, "  Task    {}", beside(&exercise.task, WORDS))?
    }
    writeln!(out, "\n{}", "What the checks see".bold())?;
    Ok(())
}

fn title(exercise: &Exercise) -> Result<()> {
    let title = format!("Exercise {}: {}", exercise.id(), exercise.title);
    writeln!(std::io::stdout(), "{}\n", title.bold())?;
    Ok(())
}

/// What was seen, and what it means.
pub fn checked(exercise: &Exercise, checked: &Checked) -> Result<()> {
    for seen in &checked.observations {
        let mark = match seen.outcome {
            Outcome::Silent => "✓".green(),
            Outcome::Fault => "✗".red().bold(),
            Outcome::NotRun => "?".yellow(),
            Outcome::NotJudged => "-".yellow(),
        };
        seen.print(&mark, &seen.says)?;
    }
    let words = format!("{}: {}", exercise.id(), checked.verdict.words());
    let words = beside(&words, 2);
    let words = match checked.verdict {
        Verdict::Solved => words.green().bold(),
        Verdict::NotYet => words.bold(),
        Verdict::Unproven | Verdict::NotRun => words.yellow().bold(),
    };
    writeln!(std::io::stdout(), "\n  {words}")?;
    Ok(())
}

/// What to do when it is not solved.
pub fn advice(exercise: &Exercise, progress: &Progress) -> Result<()> {
    let mut out = std::io::stdout();
    let command = command(exercise);
    let (seen, all) = (progress.hints(&exercise.id()), exercise.hints.len());
    let hint = format!("{command} --hint");
    let solution = format!("{command} --solution");
    writeln!(
        out,
        "  Change the file between its marker lines, save, check again:"
    )?;
    writeln!(out, "    {}", command.cyan())?;
    writeln!(out, "    {}      {seen} of {all} hints seen", hint.cyan())?;
    writeln!(out, "    {}", solution.cyan())?;
    Ok(())
}

/// What to do when it is solved.
pub fn onward(exercise: &Exercise, next: Option<&Exercise>) -> Result<()> {
    let mut out = std::io::stdout();
    let solution = format!("{} --solution", command(exercise));
    writeln!(out, "  Why it is so, beside our solution:")?;
    writeln!(out, "    {}", solution.cyan())?;
    match next {
        Some(next) => {
            writeln!(out, "  Next, {}:", next.title)?;
            writeln!(out, "    {}", command(next).cyan())?;
        }
        None => writeln!(out, "  That was the last one: every exercise is solved.")?,
    }
    Ok(())
}

/// The first `seen` hints.
pub fn hints(exercise: &Exercise, seen: usize) -> Result<()> {
    let mut out = std::io::stdout();
    title(exercise)?;
    for (at, hint) in exercise.hints.iter().take(seen).enumerate() {
        writeln!(out, "  {}", format!("Hint {}", at + 1).bold())?;
        print_text(hint)?;
    }
    let more = match exercise.hints.len() - seen {
        0 => "That was the last one; --solution shows the solution.".to_string(),
        more => format!("{more} more: ask again with --hint."),
    };
    writeln!(out, "  {more}")?;
    Ok(())
}

/// The filled gap and the reasoning.
pub fn solution(exercise: &Exercise, tried: bool) -> Result<()> {
    let mut out = std::io::stdout();
    title(exercise)?;
    if !tried {
        let words = "You have not changed your file yet. A solution teaches most after an attempt: \
                     ten minutes, then come back.";
        let words = beside(words, 2);
        writeln!(out, "  {}\n", words.yellow())?;
    }
    for line in gap(&exercise.solution()?.text) {
        writeln!(out, "    {}", line.green())?;
    }
    writeln!(out)?;
    print_text(&exercise.why)
}

/// The lines between the markers, moved to the left by as much as these are moved in.
fn gap(text: &str) -> Vec<&str> {
    let mut lines = text.lines().skip_while(|line| !line.contains(GAP_BEGINS));
    let marker = lines.next().unwrap_or("");
    let margin = marker.len() - marker.trim_start().len();
    lines
        .take_while(|line| !line.contains(GAP_ENDS))
        .map(|line| line.get(margin..).unwrap_or(line.trim_start()))
        .collect()
}

/// The marker lines of a gap.
const GAP_BEGINS: &str = "// ---- your lines begin";
const GAP_ENDS: &str = "// ---- your lines end";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_shown_without_its_margin() {
        let text =
            "f\n    // ---- your lines begin\n    a\n\n      b\n    // ---- your lines end\nz";
        assert_eq!(gap(text), ["a", "", "  b"]);
        assert!(gap("no gap").is_empty());
    }
}
