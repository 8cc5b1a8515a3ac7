//! The game: kernels to complete and kernels to mend, in a folder of the learner's own. For
//! both the same rules hold: what is asked, what the checks see, what follows, the next
//! command; hints one at a time; a note of what is done.

pub mod folder;
pub mod page;
pub mod playable;
pub mod progress;
pub mod puzzle;
pub mod screen;
mod turn;
pub mod verdict;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use common::Error;
use common::source::{Source, did_you_mean};
use serde_json::json;
use text::show_error;

use folder::{Folder, shown};
use playable::{How, Playable};
use puzzle::Puzzle;
use turn::Turn;
use verdict::Verdict;

/// The flags of `course start`.
#[derive(clap::Args)]
pub struct Start {
    /// Your folder, outside the clone [default: the one in use, else ~/opencl-exercises]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The flags of a command that plays.
#[derive(clap::Args)]
pub struct Options {
    /// Its number, its name, or your file [default: list them]
    #[arg(value_name = "WHICH")]
    puzzle: Option<String>,
    /// Show one more hint
    #[arg(long, requires = "puzzle", conflicts_with_all = ["answer", "json"])]
    hint: bool,
    /// Show the solution and why it is so
    #[arg(long = "solution", requires = "puzzle", conflicts_with = "json")]
    answer: bool,
    /// Check it again after every save, until Ctrl-C
    #[arg(long, requires = "puzzle", conflicts_with_all = ["hint", "answer", "json"])]
    watch: bool,
    #[command(flatten)]
    how: How,
}

/// What is written about puzzles.
pub fn puzzles(all: &[impl Playable]) -> Vec<&Puzzle> {
    all.iter().map(Playable::puzzle).collect()
}

/// Copies the puzzles out.
pub fn start(options: &Start, puzzles: &[&Puzzle]) -> Result<ExitCode> {
    let folder = match &options.dir {
        Some(dir) => Folder::at(dir)?,
        None => Folder::find()?,
    };
    let new = folder.start(puzzles)?;
    if options.dir.is_some() {
        folder.keep_in_mind();
    }
    screen::started(&folder, new, puzzles)?;
    Ok(ExitCode::SUCCESS)
}

/// Lists these puzzles, checks one, or shows what helps with it.
pub fn play(all: &[impl Playable], options: &Options) -> Result<ExitCode> {
    let puzzles = puzzles(all);
    let folder = Folder::find()?;
    let how = &options.how;
    let Some(word) = &options.puzzle else {
        list(&puzzles, &folder, how.json)?;
        return Ok(ExitCode::SUCCESS);
    };
    let one = find(all, word)?;
    let puzzle = one.puzzle();
    let file = file(puzzle, &folder, word);
    if options.hint {
        // Those that were seen before, and the next one.
        // The file is for people to edit: any number may stand there.
        let before = folder.progress().of(&puzzle.id).hints;
        let seen = before.saturating_add(1).min(puzzle.hints.len());
        screen::hints(puzzle, seen)?;
        folder.note(|progress| progress.entry(&puzzle.id).hints = seen);
        return Ok(ExitCode::SUCCESS);
    }
    if options.answer {
        let tried = Source::read(&file).is_ok_and(|own| puzzle.is_edited(&own.text));
        screen::answer(puzzle, tried)?;
        return Ok(ExitCode::SUCCESS);
    }
    must_be_there(&file, &folder)?;
    let folder = &folder;
    let turn = Turn {
        one,
        folder,
        file,
        how,
    };
    if options.watch {
        turn.watch(&puzzles)
    } else {
        turn.play(&puzzles)
    }
}

/// The one that is meant by "6.2", a name, or a path.
///
/// # Errors
/// [`Error::Usage`] with those that there are.
pub fn find<'a, P: Playable>(all: &'a [P], word: &str) -> Result<&'a P> {
    let found = all.iter().find(|one| one.puzzle().is_meant_by(word));
    found.ok_or_else(|| Error::Usage(unknown(&puzzles(all), word)).into())
}

/// That there is none, which one may be meant, and from where to where they go: all, or
/// those of the lesson of this number.
fn unknown(puzzles: &[&Puzzle], word: &str) -> String {
    let names = puzzles
        .iter()
        .flat_map(|puzzle| [&puzzle.id, puzzle.name()]);
    let near = did_you_mean(word, &names.map(String::from).collect::<Vec<_>>());
    // All of them would be too many for a message.
    let near = near.split_once(" There are");
    let near = near.map_or("there are".into(), |(near, _)| format!("{near} There are"));
    let mut ours = puzzles.to_vec();
    ours.retain(|puzzle| puzzle.id.starts_with(&format!("{word}.")));
    let (whose, puzzles) = if ours.is_empty() {
        (near, puzzles)
    } else {
        (format!("lesson {word} has"), &*ours)
    };
    let [first, .., last] = puzzles else {
        return format!("there is no {word}");
    };
    let (noun, command) = (first.kind.noun, first.kind.command);
    format!(
        "there is no {noun} {word}; {whose} {} to {}\n  next: `cargo run -p course -- {command}` \
         lists them all",
        first.id, last.id
    )
}

/// The file that is meant: the one that was named, or the one in the folder.
fn file(puzzle: &Puzzle, folder: &Folder, word: &str) -> PathBuf {
    let named = Path::new(word);
    if named.exists() && word.ends_with(".cl") {
        named.to_path_buf()
    } else {
        folder.file(puzzle)
    }
}

/// The learner's file of a puzzle: the one that `word` names, or the one in the folder.
///
/// # Errors
/// [`Error::Usage`] where it is not there.
pub fn own_file(puzzle: &Puzzle, word: &str) -> Result<PathBuf> {
    let folder = Folder::find()?;
    let file = file(puzzle, &folder, word);
    must_be_there(&file, &folder)?;
    Ok(file)
}

fn list(puzzles: &[&Puzzle], folder: &Folder, json: bool) -> Result<()> {
    if !json {
        return screen::list(puzzles, folder);
    }
    let progress = folder.progress();
    for puzzle in puzzles {
        let line = json!({
            "puzzle": puzzle.id,
            "lesson": puzzle.lesson,
            "title": puzzle.title,
            "file": folder.file(puzzle),
            "mark": progress.of(&puzzle.id).mark,
            "hints_seen": progress.of(&puzzle.id).hints,
        });
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}

fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    if let Ok(there) = file.metadata() {
        bail!(Error::Usage(format!(
            "{} is {}, and is to be a kernel file\n  next: move it away, then \
             cargo run -p course -- start   copies the kernel that belongs there",
            shown(file),
            common::file::name(there.file_type())
        )))
    }
    bail!(Error::Usage(format!(
        "{} is not there\n  next: cargo run -p course -- start   copies the kernels that you do \
         not have yet",
        shown(file)
    )))
}

/// Checks every puzzle that was begun, and prints a line for each.
pub fn check_all(all: &[impl Playable], how: &How) -> Result<ExitCode> {
    let folder = &Folder::find()?;
    folder.must_be_started()?;
    let (mut worst, mut why) = (0, String::new());
    for one in all {
        let puzzle = one.puzzle();
        let file = folder.file(puzzle);
        let own = Source::read(&file).map(|own| own.text);
        let Some(text) = own.ok().filter(|text| puzzle.is_edited(text)) else {
            if !how.json {
                screen::row(puzzle, None)?;
            }
            continue;
        };
        let turn = Turn {
            one,
            folder,
            file,
            how,
        };
        let checked = turn.check(&text)?;
        turn.note(checked.verdict);
        worst = worst.max(checked.seen.status);
        if checked.verdict == Verdict::NotRun {
            why.clone_from(&checked.seen.message);
        }
        if how.json {
            turn.print_json(&checked)?;
        } else {
            screen::row(puzzle, Some(&checked))?;
        }
    }
    if !how.json {
        screen::total(&puzzles(all), folder)?;
    }
    if !why.is_empty() {
        show_error(why);
    }
    Ok(ExitCode::from(worst))
}
