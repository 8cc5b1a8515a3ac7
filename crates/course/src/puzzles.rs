//! All that there is to solve, in one list; which of it is meant, and which file of the learner's;
//! and the course map.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use colored::Colorize;
use common::Error;
use common::command;
use common::file::workspace;
use common::source::shortest;
use diagnostics::near::nearest;
use diagnostics::terminal::Out;
use diagnostics::terminal::wrap::{WIDTH, cut};
use watchdog::lessons::LESSONS;

use crate::game::folder::{Folder, shown};
use crate::game::progress::Progress;
use crate::game::puzzle::{Puzzle, page_of};
use crate::{broken, exercises, host};

/// All that there are: lesson by lesson, the exercises first; then the problems and the programs. Or
/// those of a folder.
pub fn all(from: Option<&Path>) -> Result<Vec<Puzzle>> {
    if let Some(folder) = from {
        return exercises::set(folder);
    }
    let mut all = exercises::all()?;
    all.extend(broken::all()?);
    all.sort_by_key(|one| one.lesson.map(|lesson| lesson.number));
    all.extend(exercises::problems()?);
    all.extend(host::all()?);
    Ok(all)
}

/// Prints the course map: the lessons in order, minutes, what is solved, and what is next.
pub fn map() -> Result<ExitCode> {
    let all = all(None)?;
    let all: Vec<&Puzzle> = all.iter().collect();
    let folder = Folder::find().ok().filter(Folder::is_started);
    let progress = folder.as_ref().map(Folder::progress).unwrap_or_default();
    let heading = format!("{:<63}", "OpenCL performance, one step at a time").bold();
    writeln!(Out, "{heading}{}\n", "minutes exercises".dimmed())?;
    for lesson in LESSONS {
        let (number, teaches, minutes) = (lesson.number, lesson.teaches, lesson.minutes);
        let own =
            all.iter().copied().filter(|one| one.lesson.is_some_and(|own| own.number == number));
        let solved = tally(&Vec::from_iter(own), &progress);
        writeln!(Out, "  {number:>2}  {teaches:<59}{minutes:>5}{solved:>10}")?;
    }
    let minutes: u32 = LESSONS.iter().map(|lesson| lesson.minutes).sum();
    let next = progress.next(&all);
    writeln!(
        Out,
        "\n  {} hours; {} exercises, problems, programs: {}\n  \
         What is wrong with a kernel of yours? {}",
        minutes.div_ceil(60),
        tally(&all, &progress),
        "cargo course exercise --list".cyan(),
        "cargo course inspect FILE".cyan()
    )?;
    match (&folder, next) {
        (None, _) => writeln!(Out, "  Begin with docs/using-the-course.md, then")?,
        (Some(_), None) => writeln!(Out, "  Every exercise is solved.")?,
        (Some(folder), Some(next)) => {
            let heading = cut(&next.heading(), WIDTH - 8);
            let file = shown(&folder.file(next)).dimmed();
            let command = next.command().cyan();
            writeln!(Out, "  Next: {heading}\n    {file}\n    {command}")?;
        }
    }
    if let Some(lesson) = next.and_then(|next| next.lesson) {
        let page = shown(&shortest(&workspace().join(page_of(lesson)))).dimmed();
        let run = command::cargo_run(&lesson.package()).cyan();
        writeln!(Out, "    {page}   {run}")?;
    }
    if folder.is_none() {
        let (start, setup) = ("cargo course start".cyan(), command::setup("").cyan());
        let where_to = "The exercises, in a folder of your own";
        writeln!(Out, "  {where_to}: {start}. No device? {setup}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How many of these puzzles there are, and how many are done.
fn tally(all: &[&Puzzle], progress: &Progress) -> String {
    match all.len() {
        0 => String::new(),
        count => format!("{} of {count}", progress.count_done(all)),
    }
}

/// The one that a word names, or the next one, and the learner's file of it; none where all
/// are done.
pub fn meant<'a>(
    word: Option<&str>,
    all: &[&'a Puzzle],
    folder: &Folder,
) -> Result<Option<(&'a Puzzle, PathBuf)>> {
    if let Some(word) = word {
        let one = find(all, word)?;
        return Ok(Some((one, file(one, folder, word))));
    }
    folder.must_be_started()?;
    let next = folder.progress().next(all);
    Ok(next.map(|one| (one, folder.file(one))))
}

/// The one that is meant by "6.2", "d7", a name, or a path.
///
/// # Errors
/// That there is none, which one may be meant, and how all are listed.
pub fn find<'a>(all: &[&'a Puzzle], word: &str) -> Result<&'a Puzzle> {
    if let Some(found) = all.iter().find(|one| one.is_meant_by(word)) {
        return Ok(found);
    }
    let names = all.iter().flat_map(|one| [&one.id, one.name()]);
    // All of them would be too many for a message.
    let names: Vec<String> = names.map(String::from).collect();
    let near = nearest(word, &names);
    let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    let nouns = all.iter().map(|one| one.kind.noun());
    let noun = nouns.reduce(|a, b| if a == b { a } else { "exercise" }).unwrap_or("exercise");
    bail!(Error::Usage(format!(
        "there is no {noun} {word}{near}\n  next: cargo course exercise --list   lists them all"
    )))
}

/// The file that is meant: the one that was named, or the one in the folder.
fn file(puzzle: &Puzzle, folder: &Folder, word: &str) -> PathBuf {
    let named = Path::new(word);
    match named.exists() && named.extension() == Some(puzzle.kind.extension().as_ref()) {
        true => named.into(),
        false => folder.file(puzzle),
    }
}

/// The learner's file of a puzzle: the one that `word` names, or the one in the folder.
pub fn own_file(puzzle: &Puzzle, word: &str) -> Result<PathBuf> {
    let folder = Folder::find()?;
    let file = file(puzzle, &folder, word);
    must_be_there(&file, &folder)?;
    Ok(file)
}

/// Refuses to go on without the file.
pub fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    let why = match file.metadata() {
        Ok(there) => format!("is {}: move it away", common::file::name(there.file_type())),
        Err(_) => "is not there".into(),
    };
    bail!(Error::Usage(format!(
        "{} {why}\n  next: cargo course start   copies the kernels that you do not have yet",
        shown(file)
    )))
}
