//! What the learner reads: 80 columns, what is asked first, then what the checks see, and
//! at the end the next command.

use std::{io::Write, path::Path};

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::{Out, diff, wrap::beside};

use super::folder::{Folder, shown};
use super::verdict::{Checked, Verdict};
use super::{progress::Progress, puzzle::Puzzle, written::markdown};

/// A puzzle's name, above all else.
fn title(puzzle: &Puzzle) -> ColoredString {
    beside(&puzzle.heading(), 0).bold()
}

/// Its command, with these words behind it.
fn command(puzzle: &Puzzle, words: &str) -> ColoredString {
    format!("{} {words}", puzzle.command()).trim_end().cyan()
}

/// After `start`, which copied `new` of the puzzles.
pub fn started(folder: &Folder, new: usize, puzzles: &[&Puzzle]) -> Result<()> {
    let (kept, place) = (puzzles.len() - new, shown(&folder.path));
    let files = verify::numbers::count(new, "new file");
    let before = match kept {
        0 => String::new(),
        kept => format!("; {kept} were there, and are untouched"),
    };
    writeln!(Out, "{files} in {place}, which is yours{before}.")?;
    if let Some(next) = folder.progress().next(puzzles) {
        writeln!(
            Out,
            "\n  Open this one in your editor, fill its gap, and save it:\n    {}\n  \
             Beside it, in a terminal: each save is checked.\n    {}",
            shown(&folder.file(next)),
            "cargo course exercise --watch".cyan()
        )?;
    }
    let course = "cargo course".cyan();
    let about = "What is solved, and what is next, here and in your folder:";
    Ok(writeln!(Out, "  {about}\n    {course}")?)
}

/// Every puzzle with what is known of it, by lesson and kind.
pub fn list(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    for of_group in puzzles.chunk_by(|one, next| one.group() == next.group()) {
        writeln!(Out, "\n  {}", of_group[0].group().bold())?;
        for one in of_group {
            let mark = progress.of(&one.id).mark;
            let sign = mark.map_or(" ".normal(), |mark| mark.in_short().0);
            writeln!(Out, "  {sign} {:<5} {}", one.id, beside(&one.words.title, 10))?;
        }
    }
    total(puzzles, folder)
}

/// One puzzle of `check-all`.
pub fn checked_row(puzzle: &Puzzle, checked: &Checked, folder: &Folder) -> Result<()> {
    let fault = checked.seen.observations.iter().find(|seen| seen.is_fault());
    let (mark, mut words) = checked.verdict.in_short();
    if folder.progress().of(&puzzle.id).mark == Some(Verdict::NotYet) && fault.is_some() {
        words = "now broken";
    }
    let fault = fault.map_or(String::new(), |seen| format!(": {}", seen.detector));
    let (id, title) = (&puzzle.id, &puzzle.words.title);
    writeln!(Out, "  {mark} {id:<5} {title:<40.40} {words}{fault}")?;
    Ok(Out.flush()?)
}

/// How many are done, and the next command.
pub fn total(puzzles: &[&Puzzle], folder: &Folder) -> Result<()> {
    let progress = folder.progress();
    let (done, all) = (progress.count_done(puzzles), puzzles.len());
    writeln!(Out, "\n  {done} of {all} solved")?;
    if !folder.is_started() {
        writeln!(Out, "  next: {}", "cargo course start".cyan())?;
        writeln!(Out, "        copies them to {}", shown(&folder.path))?;
    } else if let Some(next) = progress.next(puzzles) {
        writeln!(Out, "  next: {}", command(next, ""))?;
    }
    Ok(())
}

/// The puzzle, the learner's file, and what is asked.
pub fn head(puzzle: &Puzzle, file: &Path, edited: bool) -> Result<()> {
    let (label, asked) = puzzle.asks(file, edited);
    writeln!(Out, "{}\n\n  File    {}", title(puzzle), shown(file))?;
    Ok(writeln!(Out, "  {label:<8}{asked}\n")?)
}

/// What was seen, and what it means.
pub fn checked(puzzle: &Puzzle, edited: bool, checked: &Checked) -> Result<()> {
    writeln!(Out, "{}", "What the checks see".bold())?;
    for seen in &checked.seen.observations {
        // That it is wrong as it came is known.
        let mark = match edited || !seen.is_silent() {
            true => seen.outcome.mark(),
            false => "-".normal(),
        };
        seen.print(&mark)?;
    }
    let words = format!("{}: {}", puzzle.id, checked.verdict.words());
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

/// What to do when it is not done.
pub fn advice(puzzle: &Puzzle, progress: &Progress) -> Result<()> {
    let (seen, all) = (progress.of(&puzzle.id).hints, puzzle.words.hints.len());
    Ok(writeln!(
        Out,
        "  Change the file, save it, check it again:\n    {}\n    {}      {seen} of {all} hints \
         seen\n    {}",
        command(puzzle, ""),
        command(puzzle, "--hint"),
        command(puzzle, "--solution")
    )?)
}

/// What to read and to do when it is done.
pub fn onward(puzzle: &Puzzle, next: Option<&Puzzle>, folder: &Folder) -> Result<()> {
    writeln!(Out, "\n{}\n", markdown(&puzzle.words.why, 2))?;
    if puzzle.solution.is_some() {
        let what = "What differs between yours and our solution:";
        writeln!(Out, "  {what}\n    {}", command(puzzle, "--diff"))?;
    }
    let Some(next) = next else {
        return Ok(writeln!(Out, "  That was the last one: all are solved.")?);
    };
    let words = format!("Next, {}:", next.words.title.trim_end_matches('.'));
    let (words, file) = (beside(&words, 2), shown(&folder.file(next)));
    Ok(writeln!(Out, "  {words}\n    {file}\n    {}", command(next, ""))?)
}

/// The first `seen` hints.
pub fn hints(puzzle: &Puzzle, seen: usize) -> Result<()> {
    writeln!(Out, "{}\n", title(puzzle))?;
    for (number, hint) in (1..=seen).zip(&puzzle.words.hints) {
        let heading = format!("Hint {number}").bold();
        writeln!(Out, "  {heading}\n{}\n", markdown(hint, 2))?;
    }
    let says = match puzzle.words.hints.len() - seen {
        0 => "That was the last one; --solution tells it all.".into(),
        more => format!("{more} more: --hint shows the next, in a folder of your own."),
    };
    Ok(writeln!(Out, "  {says}")?)
}

/// The filled gap, where there is one, and the reasoning.
pub fn answer(puzzle: &Puzzle, is_tried: bool) -> Result<()> {
    let whole = puzzle.solution.as_ref().map_or("", |one| &*one.text);
    let gap = gap(whole);
    let lines = if gap.is_empty() { whole.lines().collect() } else { gap };
    writeln!(Out, "{}\n", title(puzzle))?;
    if !is_tried {
        let words = "You have not changed your file yet. An answer teaches most after an attempt: \
                     ten minutes, then come back.";
        writeln!(Out, "  {}\n", beside(words, 2).yellow())?;
    }
    for line in lines {
        writeln!(Out, "    {}", line.green())?;
    }
    Ok(writeln!(Out, "\n{}\n", markdown(&puzzle.words.why, 2))?)
}

/// What differs between the learner's text and the solution.
pub fn differences(puzzle: &Puzzle, own: &str) -> Result<()> {
    writeln!(Out, "{}\n", title(puzzle))?;
    let Some(solution) = &puzzle.solution else {
        let answer = command(puzzle, "--solution");
        return Ok(writeln!(Out, "  {answer}   shows the mended lines.")?);
    };
    let hunks = diff::shown(&diff::lines(own, &solution.text));
    if hunks.is_empty() {
        return Ok(writeln!(Out, "  Your file is our solution.")?);
    }
    let (yours, ours) = ("- yours".red(), "+ our solution".green());
    Ok(write!(Out, "  {yours}   {ours}\n\n{hunks}")?)
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
