//! What the learner reads: 80 columns, what is asked first, then what the checks see, and
//! at the end the next command.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::Out;
use diagnostics::terminal::prose::{beside, hunks};
use minijinja::{Value, context};

use super::background::is_above_keys;
use super::folder::{Folder, shown};
use super::progress::{Mark, Progress};
use super::puzzle::Puzzle;
use super::verdict::Checked;
use crate::words::say;

/// Says a text about a puzzle.
fn of(puzzle: &Puzzle, name: &str, blanks: Value) -> Result<()> {
    let of_puzzle = context! {
        title => beside(&puzzle.heading(), 0),
        command => puzzle.command(),
        answer => puzzle.kind.answer,
        done => puzzle.kind.done.word(),
        why => puzzle.words.why.as_str(),
        has_solution => puzzle.solution.is_some(),
    };
    say(name, context! { ..blanks, ..of_puzzle })
}

/// After `start`, which copied `new` of the puzzles.
pub fn started(folder: &Folder, new: usize, puzzles: &[&Puzzle]) -> Result<()> {
    let next = folder.progress().next(puzzles);
    let blanks = context! {
        new,
        kept => puzzles.len() - new,
        place => shown(&folder.path),
        file => next.map(|next| shown(&folder.file(next))),
        watch => next.map(|next| format!("cargo course {} --watch", next.kind.command)),
    };
    say("started", blanks)
}

/// Every puzzle with what is known of it, by lesson.
pub fn list(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    let row = |one: &&Puzzle| {
        context! {
            id => one.id.clone(),
            lesson => one.lesson.map(|lesson| lesson.number),
            sign => Mark::sign(progress.of(&one.id).mark).to_string(),
            title => one.words.title.clone(),
        }
    };
    let rows: Vec<Value> = puzzles.iter().map(row).collect();
    let about = puzzles.first().map_or("", |puzzle| puzzle.kind.about);
    say("list", context! { about, rows })?;
    total(puzzles, folder)
}

/// One puzzle of `check-all`; `None` is one whose file cannot be read.
pub fn row(puzzle: &Puzzle, checked: Option<&Checked>, folder: &Folder) -> Result<()> {
    let seen = checked.map_or(&[][..], |checked| &checked.seen.observations);
    let fault = seen.iter().find(|seen| seen.is_fault());
    let (mark, mut words) = match checked {
        Some(checked) => checked.verdict.in_short(puzzle.kind.done),
        None => ("?".yellow(), "its file cannot be read"),
    };
    if folder.progress().of(&puzzle.id).mark == Some(Mark::Broken) && fault.is_some() {
        words = "now broken";
    }
    let fault = fault.map_or(String::new(), |seen| format!(": {}", seen.detector));
    let (id, title) = (&puzzle.id, &puzzle.words.title);
    writeln!(Out, "  {mark} {id:<5} {title:<40.40} {words}{fault}")?;
    Ok(Out.flush()?)
}

/// After the rows of `check-all`, which found so many files `fresh`, as they came.
pub fn checked_all(puzzles: &[&Puzzle], fresh: usize, folder: &Folder) -> Result<()> {
    if fresh > 0 {
        let noun = puzzles.first().map_or("", |puzzle| puzzle.kind.noun);
        writeln!(Out, "    {} not begun", verify::numbers::count(fresh, noun))?;
    }
    total(puzzles, folder)
}

/// How many are done, and the next command.
pub fn total(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    let blanks = context! {
        count => progress.count_done(puzzles),
        all => puzzles.len(),
        done => puzzles.first().map(|puzzle| puzzle.kind.done.word()),
        is_started => folder.is_started(),
        place => shown(&folder.path),
        next => progress.next(puzzles).map(Puzzle::command),
    };
    say("total", blanks)
}

/// The puzzle, the learner's file, and what is asked.
pub fn head(puzzle: &Puzzle, file: &Path, edited: bool) -> Result<()> {
    let (label, asked) = puzzle.asks(file, edited);
    let asked = format!("{label:<8}{asked}");
    of(puzzle, "head", context! { file => shown(file), asked })
}

/// What was seen, and what it means.
pub fn checked(puzzle: &Puzzle, edited: bool, checked: &Checked) -> Result<()> {
    writeln!(Out, "{}", "What the checks see".bold())?;
    for seen in &checked.seen.observations {
        let is_as_it_came = seen.is_silent() && !edited;
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
        let seen = &checked.seen.observations;
        for place in seen.iter().flat_map(|one| one.places(file)) {
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
    let (seen, all) = (progress.of(&puzzle.id).hints, puzzle.words.hints.len());
    of(puzzle, "advice", context! { seen, all })
}

/// What to read and to do when it is done.
pub fn onward(puzzle: &Puzzle, next: Option<&Puzzle>, folder: &Folder) -> Result<()> {
    let blanks = context! {
        keys => is_above_keys(),
        file => next.map(|next| shown(&folder.file(next))),
        next_title => next.map(|next| next.words.title.trim_end_matches('.')),
        next => next.map(Puzzle::command),
    };
    of(puzzle, "onward", blanks)
}

/// The first `seen` hints.
pub fn hints(puzzle: &Puzzle, seen: usize) -> Result<()> {
    let more = puzzle.words.hints.len() - seen;
    let hints = puzzle.words.hints[..seen].to_vec();
    of(puzzle, "hints", context! { hints, more })
}

/// The filled gap, where there is one, and the reasoning.
pub fn answer(puzzle: &Puzzle, is_tried: bool) -> Result<()> {
    let whole = puzzle.solution.as_ref().map_or("", |one| &*one.text);
    let mut lines = gap(whole);
    if lines.is_empty() {
        lines = whole.lines().collect();
    }
    let lines: Vec<String> = lines.into_iter().map(String::from).collect();
    of(puzzle, "answer", context! { is_tried, lines })
}

/// What differs between the learner's text and the solution.
pub fn differences(puzzle: &Puzzle, own: &str) -> Result<()> {
    let solution = puzzle.solution.as_ref().map_or(own, |one| &one.text);
    let hunks = hunks(&diagnostics::terminal::diff::hunks(own, solution, 2));
    of(puzzle, "differences", context! { hunks })
}

/// That a file is as it came, and where the learner's own is.
pub fn given_back(file: &Path, kept: Option<&Path>) -> Result<()> {
    say(
        "given back",
        context! { file => shown(file), kept => kept.map(shown) },
    )
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
