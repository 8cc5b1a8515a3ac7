//! What the learner reads: 80 columns, what is asked first, then what the checks see, and
//! at the end the next command.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::Colorize;
use text::Out;

use super::background::is_above_keys;
use super::folder::{Folder, shown};
use super::progress::{Mark, Progress};
use super::puzzle::{Puzzle, WORDS};
use super::verdict::Checked;
use crate::hunks::print_hunks;
use crate::observation::Detection;
use crate::prose::{beside, print_text};

/// After `start`, which copied `new` of the puzzles.
pub fn started(folder: &Folder, new: usize, puzzles: &[&Puzzle]) -> Result<()> {
    let place = shown(&folder.path);
    match (new, puzzles.len() - new) {
        (new, 0) => writeln!(Out, "{new} files are in {place}, which is yours.")?,
        (0, kept) => writeln!(Out, "All {kept} files are in {place} already, untouched.")?,
        (new, kept) => {
            let files = if new == 1 { "file is" } else { "files are" };
            let rest = format!("{kept} were there and are untouched");
            writeln!(Out, "{new} new {files} in {place}; {rest}.")?;
        }
    }
    if let Some(next) = folder.progress().next(puzzles) {
        let watch = format!("cargo course {} --watch", next.kind.command);
        writeln!(
            Out,
            "\n  Open this one in your editor, fill its gap, and save it:"
        )?;
        writeln!(Out, "    {}", shown(&folder.file(next)))?;
        writeln!(Out, "  Beside it, in a terminal: each save is checked.")?;
        writeln!(Out, "    {}", watch.cyan())?;
    }
    writeln!(
        Out,
        "  What is solved, and what is next, here and in your folder:"
    )?;
    Ok(writeln!(Out, "    {}", "cargo course".cyan())?)
}

/// Every puzzle with what is known of it, by lesson.
pub fn list(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    let about = puzzles.first().map_or("", |puzzle| puzzle.kind.about);
    writeln!(Out, "{}", about.bold())?;
    let mut before = 0;
    for puzzle in puzzles {
        let lesson = puzzle.lesson.map_or(0, |lesson| lesson.number);
        if lesson != before {
            before = lesson;
            writeln!(Out, "\n  lesson {lesson}")?;
        }
        let mark = progress.of(&puzzle.id).mark;
        let sign = Mark::sign(mark);
        let title = beside(&puzzle.title, WORDS);
        writeln!(Out, "  {sign} {:<5} {title}", puzzle.id)?;
    }
    total(puzzles, folder)
}

/// One puzzle of `check-all`; `None` is one whose file cannot be read.
pub fn row(puzzle: &Puzzle, checked: Option<&Checked>, folder: &Folder) -> Result<()> {
    let seen = checked.map_or(&[][..], |checked| &checked.seen.observations);
    let fault = seen.iter().find(|seen| seen.outcome == Detection::Fault);
    let (mark, mut words) = match checked {
        Some(checked) => checked.verdict.in_short(puzzle.kind.done),
        None => ("?".yellow(), "its file cannot be read"),
    };
    if folder.progress().of(&puzzle.id).mark == Some(Mark::Broken) && fault.is_some() {
        words = "now broken";
    }
    let fault = fault.map_or(String::new(), |seen| format!(": {}", seen.detector));
    let (id, title) = (&puzzle.id, &puzzle.title);
    writeln!(Out, "  {mark} {id:<5} {title:<40.40} {words}{fault}")?;
    Ok(Out.flush()?)
}

/// After the rows of `check-all`, which found so many files `fresh`, as they came.
pub fn checked_all(puzzles: &[&Puzzle], fresh: usize, folder: &Folder) -> Result<()> {
    if fresh > 0 {
        let noun = puzzles.first().map_or("", |puzzle| puzzle.kind.noun);
        writeln!(Out, "    {} not begun", common::numbers::count(fresh, noun))?;
    }
    total(puzzles, folder)
}

/// How many are done, and the next command.
pub fn total(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    let done = progress.count_done(puzzles);
    let word = puzzles.first().map_or("", |puzzle| puzzle.kind.done.word());
    writeln!(Out, "\n  {done} of {} {word}", puzzles.len())?;
    if !folder.is_started() {
        writeln!(Out, "  next: {}", "cargo course start".cyan())?;
        writeln!(Out, "        copies them to {}", shown(&folder.path))?;
    } else if let Some(next) = progress.next(puzzles) {
        writeln!(Out, "  next: {}", next.command().cyan())?;
    }
    Ok(())
}

/// The puzzle, the learner's file, and what is asked.
pub fn head(puzzle: &Puzzle, file: &Path, edited: bool) -> Result<()> {
    title(puzzle)?;
    let (label, asked) = puzzle.asks(file, edited);
    writeln!(Out, "  File    {}", shown(file))?;
    Ok(writeln!(Out, "  {label:<8}{asked}\n")?)
}

fn title(puzzle: &Puzzle) -> Result<()> {
    let title = beside(&puzzle.heading(), 0);
    Ok(writeln!(Out, "{}\n", title.bold())?)
}

/// What was seen, and what it means.
pub fn checked(puzzle: &Puzzle, edited: bool, checked: &Checked) -> Result<()> {
    writeln!(Out, "{}", "What the checks see".bold())?;
    for seen in &checked.seen.observations {
        let is_as_it_came = seen.outcome == Detection::Silent && !edited;
        let remark = if is_as_it_came {
            puzzle.remark(seen)
        } else {
            ""
        };
        let mark = match remark {
            "" => seen.outcome.mark(),
            _ => "-".normal(),
        };
        seen.print(&mark, &format!("{}{remark}", seen.says))?;
    }
    let words = format!("{}: {}", puzzle.id, checked.verdict.words(puzzle.kind.done));
    let words = checked.verdict.shown(&beside(&words, 2));
    Ok(writeln!(Out, "\n  {words}")?)
}

/// Where the faults are, for an editor that asks for it.
pub fn places(file: &Path, checked: &Checked) -> Result<()> {
    if std::env::var_os("OPENCL_COURSE_PLACES").is_some() {
        for place in checked
            .seen
            .observations
            .iter()
            .flat_map(|seen| seen.places(file))
        {
            writeln!(Out, "{place}")?;
        }
    }
    Ok(())
}

/// What to do when it is not done. A screen with keys has all that below.
pub fn advice(puzzle: &Puzzle, progress: &Progress) -> Result<()> {
    if is_above_keys() {
        return Ok(());
    }
    let command = puzzle.command();
    let (seen, all) = (progress.of(&puzzle.id).hints, puzzle.hints.len());
    let hint = format!("{command} --hint");
    let answer = format!("{command} {}", puzzle.kind.answer);
    writeln!(Out, "  Change the file, save it, check it again:")?;
    writeln!(Out, "    {}", command.cyan())?;
    writeln!(Out, "    {}      {seen} of {all} hints seen", hint.cyan())?;
    Ok(writeln!(Out, "    {}", answer.cyan())?)
}

/// What to read and to do when it is done.
pub fn onward(puzzle: &Puzzle, next: Option<&Puzzle>, folder: &Folder) -> Result<()> {
    writeln!(Out)?;
    print_text(&puzzle.why)?;
    if puzzle.solution.is_some() && !is_above_keys() {
        let answer = format!("{} {}", puzzle.command(), puzzle.kind.answer);
        writeln!(Out, "  Our solution, beside yours:")?;
        writeln!(Out, "    {}", answer.cyan())?;
    }
    let Some(next) = next else {
        let done = puzzle.kind.done;
        return Ok(writeln!(Out, "  That was the last one: all are {done}.")?);
    };
    let title = format!("Next, {}:", next.title.trim_end_matches('.'));
    writeln!(Out, "  {}", beside(&title, 2))?;
    writeln!(Out, "    {}", shown(&folder.file(next)))?;
    Ok(writeln!(Out, "    {}", next.command().cyan())?)
}

/// The first `seen` hints.
pub fn hints(puzzle: &Puzzle, seen: usize) -> Result<()> {
    title(puzzle)?;
    for (at, hint) in puzzle.hints.iter().take(seen).enumerate() {
        writeln!(Out, "  {}", format!("Hint {}", at + 1).bold())?;
        print_text(hint)?;
    }
    let answer = puzzle.kind.answer;
    Ok(match puzzle.hints.len() - seen {
        0 => writeln!(Out, "  That was the last one; {answer} tells it all."),
        more => writeln!(
            Out,
            "  {more} more: --hint shows the next, in a folder of your own."
        ),
    }?)
}

/// The filled gap, where there is one, and the reasoning.
pub fn answer(puzzle: &Puzzle, tried: bool) -> Result<()> {
    title(puzzle)?;
    if !tried {
        let words = "You have not changed your file yet. An answer teaches most after an attempt: \
                     ten minutes, then come back.";
        writeln!(Out, "  {}\n", beside(words, 2).yellow())?;
    }
    if let Some(solution) = &puzzle.solution {
        let gap = gap(&solution.text);
        let whole = if gap.is_empty() {
            solution.text.lines().collect()
        } else {
            gap
        };
        for line in whole {
            writeln!(Out, "    {}", line.green())?;
        }
        writeln!(Out)?;
    }
    print_text(&puzzle.why)
}

/// What differs between the learner's text and the solution.
pub fn differences(puzzle: &Puzzle, own: &str) -> Result<()> {
    title(puzzle)?;
    let Some(solution) = &puzzle.solution else {
        return Ok(writeln!(
            Out,
            "  {} shows the mended lines.",
            puzzle.kind.answer
        )?);
    };
    let hunks = text::diff::hunks(own, &solution.text, 2);
    if hunks.is_empty() {
        return Ok(writeln!(Out, "  Your file is our solution.")?);
    }
    let (yours, ours) = ("- yours".red(), "+ our solution".green());
    writeln!(Out, "  {yours}   {ours}\n")?;
    print_hunks(&mut Out, &hunks)
}

/// That a file is as it came, and where the learner's own is.
pub fn given_back(file: &Path, kept: Option<&Path>) -> Result<()> {
    writeln!(Out, "  {} is as it came.", shown(file))?;
    if let Some(kept) = kept {
        writeln!(Out, "  Yours is {}", shown(kept))?;
    }
    Ok(())
}

/// The marker lines of a gap.
const GAP_BEGINS: &str = "// ---- your lines begin";
const GAP_ENDS: &str = "// ---- your lines end";

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
