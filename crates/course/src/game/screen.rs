//! What the learner reads: 80 columns, what is asked first, then what the checks see, and
//! at the end the next command.

use std::io::Write;
use std::path::Path;

use crate::pager::Pager;
use anyhow::Result;
use colored::Colorize;
use text::Out;

use super::background::is_above_keys;
use super::folder::{Folder, shown};
use super::playable::{Checked, Playable};
use super::progress::{Mark, Progress};
use super::puzzle::Puzzle;
use super::verdict::Verdict;
use crate::diff::print_hunks;
use crate::observation::Detection;
use crate::prose::{beside, print_text};

/// Where the words beside a heading begin.
pub const WORDS: usize = 10;

/// After `start`, which copied `new` of the puzzles.
pub fn started(folder: &Folder, new: usize, puzzles: &[&Puzzle]) -> Result<()> {
    let mut out = Out;
    let place = shown(&folder.path);
    match (new, puzzles.len() - new) {
        (new, 0) => writeln!(out, "{new} kernels are in {place}, which is yours.")?,
        (0, kept) => writeln!(out, "All {kept} kernels are in {place} already, untouched.")?,
        (1, kept) => writeln!(
            out,
            "1 new kernel is in {place}; {kept} were there and are untouched."
        )?,
        (new, kept) => writeln!(
            out,
            "{new} new kernels are in {place}; {kept} were there and are untouched."
        )?,
    }
    if let Some(next) = folder.progress().next(puzzles) {
        let words = "Open this one in your editor, fill its gap, and save it:";
        writeln!(out, "\n  {words}")?;
        writeln!(out, "    {}", shown(&folder.file(next)))?;
        writeln!(out, "  Beside it, in a terminal: each save is checked.")?;
        let watch = format!("cargo course {} --watch", next.kind.command);
        writeln!(out, "    {}", watch.cyan())?;
    }
    writeln!(
        out,
        "  What is solved, and what is next, here and in your folder:"
    )?;
    writeln!(out, "    {}", "cargo course".cyan())?;
    Ok(())
}

/// Every puzzle with what is known of it, by lesson.
pub fn list(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let _pager = Pager::begin();
    let mut out = Out;
    let progress = folder.progress();
    let about = puzzles.first().map_or("", |puzzle| puzzle.kind.about);
    writeln!(out, "{}", about.bold())?;
    let mut lesson = 0;
    for puzzle in puzzles {
        if puzzle.lesson.number != lesson {
            lesson = puzzle.lesson.number;
            writeln!(out, "\n  lesson {lesson}")?;
        }
        let mark = progress.of(&puzzle.id).mark;
        let sign = match mark {
            Some(Mark::Right) => Mark::sign(mark).yellow(),
            Some(Mark::Broken) => Mark::sign(mark).red(),
            _ => Mark::sign(mark).green(),
        };
        let title = beside(&puzzle.title, WORDS);
        writeln!(out, "  {sign} {:<5} {title}", puzzle.id)?;
    }
    total(puzzles, folder)
}

/// One puzzle of `check-all`; `None` is one whose file cannot be read.
pub fn row(puzzle: &Puzzle, checked: Option<&Checked>, folder: &Folder) -> Result<()> {
    let mut out = Out;
    let not_yet = match folder.progress().of(&puzzle.id).mark {
        Some(Mark::Broken) => "now broken",
        _ => "not yet",
    };
    let seen = checked.map_or(&[][..], |checked| &checked.seen.observations);
    let fault = seen.iter().find(|seen| seen.outcome == Detection::Fault);
    let fault = fault.map_or(String::new(), |seen| {
        format!("{not_yet}: {}", seen.detector)
    });
    let (mark, words) = match checked.map(|checked| checked.verdict) {
        Some(Verdict::Done) => ("✓".green(), puzzle.kind.done.word()),
        Some(Verdict::Unproven) => ("~".yellow(), "right, not proven"),
        Some(Verdict::NotYet) => ("✗".red().bold(), &*fault),
        Some(Verdict::NotRun) => ("?".yellow(), "did not run"),
        Some(Verdict::Untouched) => (" ".normal(), "not begun"),
        None => ("?".yellow(), "its file cannot be read"),
    };
    let (id, title) = (&puzzle.id, &puzzle.title);
    writeln!(out, "  {mark} {id:<5} {title:<40.40} {words}")?;
    Ok(out.flush()?)
}

/// After the rows of `check-all`, which found so many files `fresh`, as they came.
pub fn checked_all(puzzles: &[&Puzzle], fresh: usize, folder: &Folder) -> Result<()> {
    if fresh > 0 {
        let noun = puzzles.first().map_or("", |puzzle| puzzle.kind.noun);
        let count = common::numbers::count(fresh, noun);
        writeln!(Out, "    {count} not begun")?;
    }
    total(puzzles, folder)
}

/// How many are done, and the next command.
pub fn total(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let mut out = Out;
    let progress = folder.progress();
    let done = progress.count_done(puzzles);
    let word = puzzles.first().map_or("", |puzzle| puzzle.kind.done.word());
    writeln!(out, "\n  {done} of {} {word}", puzzles.len())?;
    match (folder.is_started(), progress.next(puzzles)) {
        (false, _) => {
            writeln!(out, "  next: {}", "cargo course start".cyan())?;
            writeln!(out, "        copies them to {}", shown(&folder.path))?;
        }
        (true, Some(next)) => writeln!(out, "  next: {}", next.command().cyan())?,
        (true, None) => {}
    }
    Ok(())
}

/// The puzzle, and what is asked; above keys that waits until it is known to be needed.
pub fn head(one: &dyn Playable, file: &Path, edited: bool) -> Result<()> {
    title(one.puzzle())?;
    if is_above_keys() {
        return Ok(());
    }
    asked(one, file, edited)
}

/// The learner's file, and what is asked.
fn asked(one: &dyn Playable, file: &Path, edited: bool) -> Result<()> {
    let (label, asked) = one.asks(file, edited);
    writeln!(Out, "  File    {}", shown(file))?;
    writeln!(Out, "  {label:<8}{asked}\n")?;
    Ok(())
}

fn title(puzzle: &Puzzle) -> Result<()> {
    let title = beside(&puzzle.heading(), 0);
    writeln!(Out, "{}\n", title.bold())?;
    Ok(())
}

/// What was seen, and what it means.
pub fn checked(one: &dyn Playable, file: &Path, edited: bool, checked: &Checked) -> Result<()> {
    if is_above_keys() && checked.verdict != Verdict::Done {
        asked(one, file, edited)?;
    }
    writeln!(Out, "{}", "What the checks see".bold())?;
    for seen in &checked.seen.observations {
        let remark = match seen.outcome {
            Detection::Silent if !edited => one.remark(seen),
            _ => "",
        };
        let mark = match seen.outcome {
            Detection::Silent if !remark.is_empty() => "-".normal(),
            outcome => outcome.mark(),
        };
        seen.print(&mark, &format!("{}{remark}", seen.says))?;
    }
    let puzzle = one.puzzle();
    let words = format!("{}: {}", puzzle.id, checked.verdict.words(puzzle.kind.done));
    let words = checked.verdict.shown(&beside(&words, 2));
    writeln!(Out, "\n  {words}")?;
    Ok(())
}

/// What to do when it is not done. A screen with keys has all that below.
pub fn advice(puzzle: &Puzzle, progress: &Progress) -> Result<()> {
    if is_above_keys() {
        return Ok(());
    }
    let mut out = Out;
    let command = puzzle.command();
    let (seen, all) = (progress.of(&puzzle.id).hints, puzzle.hints.len());
    let hint = format!("{command} --hint");
    let answer = format!("{command} {}", puzzle.kind.answer);
    writeln!(out, "  Change the file, save it, check it again:")?;
    writeln!(out, "    {}", command.cyan())?;
    writeln!(out, "    {}      {seen} of {all} hints seen", hint.cyan())?;
    writeln!(out, "    {}", answer.cyan())?;
    Ok(())
}

/// What to read and to do when it is done.
pub fn onward(
    puzzle: &Puzzle,
    puzzles: &[&Puzzle],
    folder: &Folder,
    progress: &Progress,
) -> Result<()> {
    let mut out = Out;
    writeln!(out)?;
    print_text(&puzzle.why)?;
    if puzzle.solution.is_some() && !is_above_keys() {
        let answer = format!("{} {}", puzzle.command(), puzzle.kind.answer);
        writeln!(out, "  Our solution, beside yours:")?;
        writeln!(out, "    {}", answer.cyan())?;
    }
    let Some(next) = progress.next_after(puzzle, puzzles) else {
        let done = puzzle.kind.done;
        writeln!(out, "  That was the last one: all are {done}.")?;
        return Ok(());
    };
    let title = format!("Next, {}:", next.title.trim_end_matches('.'));
    writeln!(out, "  {}", beside(&title, 2))?;
    if is_above_keys() {
        writeln!(out, "    {}", shown(&folder.file(next)).cyan())?;
    } else {
        writeln!(out, "    {}", next.command().cyan())?;
    }
    Ok(())
}

/// The first `seen` hints. Without a folder nobody counts them.
pub fn hints(puzzle: &Puzzle, seen: usize, are_counted: bool) -> Result<()> {
    let mut out = Out;
    title(puzzle)?;
    for (at, hint) in puzzle.hints.iter().take(seen).enumerate() {
        writeln!(out, "  {}", format!("Hint {}", at + 1).bold())?;
        print_text(hint)?;
    }
    let answer = if is_above_keys() {
        "s"
    } else {
        puzzle.kind.answer
    };
    let more = match puzzle.hints.len() - seen {
        0 => format!("That was the last one; {answer} tells it all."),
        more if is_above_keys() => format!("{more} more: h shows the next."),
        more if !are_counted => format!(
            "{more} more, once you have a folder in which they are counted: cargo course start"
        ),
        more => format!("{more} more: ask again with --hint."),
    };
    writeln!(out, "  {more}")?;
    Ok(())
}

/// The filled gap, where there is one, and the reasoning.
pub fn answer(puzzle: &Puzzle, tried: bool) -> Result<()> {
    let _pager = Pager::begin();
    let mut out = Out;
    title(puzzle)?;
    if !tried {
        let words = "You have not changed your file yet. An answer teaches most after an attempt: \
                     ten minutes, then come back.";
        let words = beside(words, 2);
        writeln!(out, "  {}\n", words.yellow())?;
    }
    if let Some(solution) = &puzzle.solution {
        for line in gap(&solution.text) {
            writeln!(out, "    {}", line.green())?;
        }
        writeln!(out)?;
    }
    print_text(&puzzle.why)
}

/// What differs between the learner's text and the solution.
pub fn differences(puzzle: &Puzzle, own: &str) -> Result<()> {
    let mut out = Out;
    title(puzzle)?;
    let Some(solution) = &puzzle.solution else {
        writeln!(out, "  {} shows the mended lines.", puzzle.kind.answer)?;
        return Ok(());
    };
    let hunks = text::diff::hunks(own, &solution.text, 2);
    if hunks.is_empty() {
        writeln!(out, "  Your file is our solution.")?;
        return Ok(());
    }
    let (yours, ours) = ("- yours".red(), "+ our solution".green());
    writeln!(out, "  {yours}   {ours}\n")?;
    print_hunks(&mut out, &hunks)
}

/// That a file is as it came, and where the learner's own is.
pub fn given_back(file: &Path, kept: Option<&Path>) -> Result<()> {
    let mut out = Out;
    writeln!(out, "  {} is as it came.", shown(file))?;
    if let Some(kept) = kept {
        writeln!(out, "  Yours is {}", shown(kept))?;
    }
    Ok(())
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
