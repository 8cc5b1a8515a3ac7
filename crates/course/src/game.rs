//! The game: kernels to complete and kernels to mend, in a folder of the learner's own. For
//! both the same rules hold: what is asked, what the checks see, what follows, the next
//! command; hints one at a time; a note of what is done.

mod comforts;
pub mod folder;
pub mod job;
pub mod page;
pub mod playable;
pub mod progress;
pub mod puzzle;
pub mod screen;
mod turn;
pub mod verdict;
pub mod watch;

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
use watch::Watch;

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
    /// Its number, its name, or your file [default: the next one]
    #[arg(value_name = "WHICH")]
    puzzle: Option<String>,
    #[command(flatten)]
    wish: Wish,
    #[command(flatten)]
    pub how: How,
}

/// What is asked for instead of a check; one of them.
#[derive(clap::Args)]
#[group(multiple = false)]
struct Wish {
    /// Show one more hint
    #[arg(long, conflicts_with = "json")]
    hint: bool,
    /// Show the solution and why it is so
    #[arg(long = "solution", conflicts_with = "json")]
    answer: bool,
    /// Show what differs between your file and the solution
    #[arg(long, conflicts_with = "json")]
    diff: bool,
    /// Check it after every save; without WHICH, go on to the next when it is done
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Give back the file as it came; yours is kept beside it
    #[arg(long, conflicts_with = "json")]
    reset: bool,
    /// List all of them, with what is done
    #[arg(long, conflicts_with = "puzzle")]
    list: bool,
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

/// A puzzle, and the learner's file of it.
pub struct Meant<'a, P> {
    pub one: &'a P,
    pub file: PathBuf,
}

impl Options {
    /// Whether a check after every save is asked for.
    pub fn watch(&self) -> bool {
        self.wish.watch
    }

    /// The one that is named, or the next one; none where all are done.
    pub fn meant<'a, P: Playable>(
        &self,
        all: &'a [P],
        folder: &Folder,
    ) -> Result<Option<Meant<'a, P>>> {
        let one = match &self.puzzle {
            Some(word) => find(all, word)?,
            None => {
                folder.must_be_started()?;
                let next = screen::next(&puzzles(all), &folder.progress());
                let Some(next) = next else {
                    return Ok(None);
                };
                find(all, &next.id)?
            }
        };
        let word = self.puzzle.as_deref().unwrap_or_default();
        let file = file(one.puzzle(), folder, word);
        Ok(Some(Meant { one, file }))
    }
}

/// Lists these puzzles, checks one, or shows what helps with it.
pub fn play(all: &[impl Playable], options: &Options) -> Result<ExitCode> {
    let puzzles = puzzles(all);
    let folder = Folder::find()?;
    let (wish, how) = (&options.wish, &options.how);
    if wish.list {
        list(&puzzles, &folder, how.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(Meant { one, file }) = options.meant(all, &folder)? else {
        screen::total(&puzzles, &folder)?;
        return Ok(ExitCode::SUCCESS);
    };
    let puzzle = one.puzzle();
    if wish.hint {
        hint(puzzle, &folder)?;
    } else if wish.answer {
        screen::answer(puzzle, is_tried(puzzle, &file))?;
    } else if wish.diff {
        must_be_there(&file, &folder)?;
        screen::differences(puzzle, &Source::read(&file)?.text)?;
    } else if wish.reset {
        let kept = give_back(puzzle, &file, &folder)?;
        screen::given_back(&file, kept.as_deref())?;
    } else {
        must_be_there(&file, &folder)?;
        return check(one, file, &puzzles, &folder, options);
    }
    Ok(ExitCode::SUCCESS)
}

/// Once, or after every save.
fn check(
    one: &impl Playable,
    file: PathBuf,
    puzzles: &[&Puzzle],
    folder: &Folder,
    options: &Options,
) -> Result<ExitCode> {
    let how = &options.how;
    if options.watch() {
        let watch = Watch {
            puzzles,
            folder,
            how,
            now: one.puzzle(),
            file,
            goes_on: options.puzzle.is_none(),
        };
        watch.run()?;
        return Ok(ExitCode::SUCCESS);
    }
    let turn = Turn {
        one,
        folder,
        file,
        how,
    };
    turn.play(puzzles)
}

/// Those that were seen before, and the next one.
fn hint(puzzle: &Puzzle, folder: &Folder) -> Result<()> {
    // The file is for people to edit: any number may stand there.
    let before = folder.progress().of(&puzzle.id).hints;
    let seen = before.saturating_add(1).min(puzzle.hints.len());
    screen::hints(puzzle, seen, folder.is_started())?;
    folder.note(|progress| progress.entry(&puzzle.id).hints = seen);
    Ok(())
}

fn is_tried(puzzle: &Puzzle, file: &Path) -> bool {
    Source::read(file).is_ok_and(|own| puzzle.is_edited(&own.text))
}

/// Gives a file back as it came, unless it is so already; where the learner's own is now.
pub fn give_back(puzzle: &Puzzle, file: &Path, folder: &Folder) -> Result<Option<PathBuf>> {
    folder.must_be_started()?;
    let is_as_it_came = Source::read(file).is_ok_and(|own| !puzzle.is_edited(&own.text));
    let kept = if is_as_it_came {
        None
    } else {
        folder.give_back(puzzle, file)?
    };
    folder.note(|progress| progress.entry(&puzzle.id).mark = None);
    Ok(kept)
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
        "there is no {noun} {word}; {whose} {} to {}\n  next: `cargo course {command} --list` \
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

/// Refuses to go on without the file.
pub fn must_be_there(file: &Path, folder: &Folder) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    folder.must_be_started()?;
    if let Ok(there) = file.metadata() {
        bail!(Error::Usage(format!(
            "{} is {}, and is to be a kernel file\n  next: move it away, then \
             cargo course start   copies the kernel that belongs there",
            shown(file),
            common::file::name(there.file_type())
        )))
    }
    bail!(Error::Usage(format!(
        "{} is not there\n  next: cargo course start   copies the kernels that you do \
         not have yet",
        shown(file)
    )))
}

/// Checks every puzzle that was begun, and prints a line for each.
pub fn check_all(all: &[impl Playable], how: &How) -> Result<u8> {
    let folder = &Folder::find()?;
    folder.must_be_started()?;
    let (mut worst, mut why, mut fresh) = (0, String::new(), 0);
    for one in all {
        let puzzle = one.puzzle();
        let file = folder.file(puzzle);
        let own = Source::read(&file).map(|own| own.text);
        let Some(text) = own.as_ref().ok().filter(|text| puzzle.is_edited(text)) else {
            if own.is_ok() {
                // As it came: whatever was noted of it is no longer so.
                folder.note(|progress| progress.entry(&puzzle.id).mark = None);
                fresh += 1;
            } else if !how.json {
                screen::row(puzzle, None, folder)?;
            }
            continue;
        };
        let turn = Turn {
            one,
            folder,
            file,
            how,
        };
        let checked = turn.check(text)?;
        turn.note(checked.verdict);
        worst = worst.max(checked.seen.status);
        if checked.verdict == Verdict::NotRun {
            why.clone_from(&checked.seen.message);
        }
        if how.json {
            turn.print_json(&checked)?;
        } else {
            screen::row(puzzle, Some(&checked), folder)?;
        }
    }
    if !how.json {
        screen::checked_all(&puzzles(all), fresh, folder)?;
    }
    if !why.is_empty() {
        show_error(why);
    }
    Ok(worst)
}
