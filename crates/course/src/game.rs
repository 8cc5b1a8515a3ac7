//! The game: what there is to solve, in a folder of the learner's own. For all the same rules
//! hold: what is asked, what the checks see, what follows, the next command; hints one at a time;
//! a note of what is done. `front` is the screen of `--watch`.

pub mod background;
pub mod folder;
mod front;
pub mod progress;
pub mod puzzle;
pub mod screen;
pub mod verdict;
pub mod written;

use std::path::{Path, PathBuf};
use std::{io::Write, process::ExitCode};

use anyhow::Result;
use common::source::Source;
use diagnostics::terminal::{Out, show_error};
use inspect::judge::How;
use serde_json::json;
use watchdog::watch::{News, Saves, each_save};

use crate::{host, puzzles};
use background::{Background, VERDICT_VARIABLE};
use folder::{Folder, shown};
use puzzle::{Kind, Puzzle};
use verdict::{Checked, Verdict};

/// The flags of `course start`.
#[derive(clap::Args)]
pub struct Start {
    /// Your folder, outside the clone [default: the one in use, else ~/opencl-exercises]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The flags of a command that plays.
#[derive(clap::Args)]
pub struct GameArgs {
    /// Its number, its name, or your file [default: the next one]
    #[arg(value_name = "WHICH")]
    puzzle: Option<String>,
    /// Play the exercises of this folder, and not the course's own
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    #[command(flatten)]
    instead: Instead,
    #[command(flatten)]
    how: How,
}

/// What is asked for instead of a check; one of them.
#[derive(clap::Args)]
#[group(multiple = false)]
struct Instead {
    /// Show one more hint
    #[arg(long, conflicts_with = "json")]
    hint: bool,
    /// Show the solution and why it is so
    #[arg(long = "solution", alias = "explain", conflicts_with = "json")]
    answer: bool,
    /// Show what differs between your file and the solution
    #[arg(long, conflicts_with = "json")]
    diff: bool,
    /// Check it after every save, with a key for everything else
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Give back the file as it came; yours is kept beside it
    #[arg(long, conflicts_with = "json")]
    reset: bool,
    /// List all of them, with what is done
    #[arg(long, conflicts_with = "puzzle")]
    list: bool,
}

/// Copies the puzzles out.
pub fn start(options: &Start) -> Result<ExitCode> {
    let all = puzzles::all(None)?;
    let puzzles = &Vec::from_iter(&all)[..];
    let folder = options.dir.as_deref().map_or_else(Folder::find, Folder::at)?;
    let new = folder.start(puzzles)?;
    if options.dir.is_some() {
        folder.keep_in_mind();
    }
    screen::started(&folder, new, puzzles)?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the puzzles of this kind, or all, checks one, or shows what helps with it; `--watch`
/// checks one after every save, and goes on among all.
pub fn play(kind: Option<Kind>, options: &GameArgs) -> Result<ExitCode> {
    let all = puzzles::all(options.from.as_deref())?;
    let all: Vec<&Puzzle> = all.iter().collect();
    let mut puzzles = all.clone();
    let folder = &Folder::find()?;
    match &options.from {
        // What is not there yet is copied.
        Some(_) => drop(folder.start(&puzzles)?),
        None => puzzles.retain(|one| kind.is_none_or(|kind| one.kind == kind)),
    }
    let instead = &options.instead;
    if instead.list {
        list(&puzzles, folder, options.how.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (puzzle, file) = match &options.puzzle {
        Some(word) => {
            let puzzle = puzzles::find(&puzzles, word)?;
            (puzzle, puzzles::file(puzzle, folder, word))
        }
        None => {
            folder.must_be_started()?;
            let Some(next) = folder.progress().next(&puzzles) else {
                screen::total(&puzzles, folder)?;
                return Ok(ExitCode::SUCCESS);
            };
            (next, folder.file(next))
        }
    };
    if instead.hint {
        // Those that were seen before, and the next one. The file is for people to edit: any number
        // may stand there.
        let before = folder.progress().of(&puzzle.id).hints;
        let seen = before.saturating_add(1).min(puzzle.words.hints.len());
        screen::hints(puzzle, seen)?;
        folder.note(puzzle, &file, |entry| entry.hints = seen);
    } else if instead.answer {
        folder.note(puzzle, &file, |entry| entry.solution = true);
        screen::answer(puzzle, is_tried(puzzle, &file))?;
    } else if instead.reset {
        let kept = folder.give_back(puzzle, &file)?;
        writeln!(Out, "  {} is as it came.", shown(&file))?;
        kept.map_or(Ok(()), |kept| writeln!(Out, "  Yours is {}", shown(&kept)))?;
    } else {
        puzzles::must_be_there(&file, folder)?;
        if instead.diff {
            screen::differences(puzzle, &Source::read(&file)?.text)?;
            return Ok(ExitCode::SUCCESS);
        }
        let turn = Turn { puzzle, folder, file, from: options.from.as_deref(), how: &options.how };
        return match instead.watch {
            false => turn.play(&puzzles),
            true if front::enter().is_ok() => front::open(&all, turn),
            true => turn.watch(&puzzles, options.puzzle.is_none()),
        };
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the learner has changed it.
fn is_tried(puzzle: &Puzzle, file: &Path) -> bool {
    Source::read(file).is_ok_and(|own| puzzle.is_edited(&own.text))
}

fn list(puzzles: &[&Puzzle], folder: &Folder, json: bool) -> Result<()> {
    if !json {
        return screen::list(puzzles, folder);
    }
    let progress = folder.progress();
    for puzzle in puzzles {
        let noted = progress.of(&puzzle.id);
        let line = json!({
            "puzzle": puzzle.id,
            "lesson": puzzle.lesson.map(|lesson| lesson.number),
            "title": puzzle.words.title,
            "file": folder.file(puzzle),
            "mark": noted.mark.and_then(progress::word),
            "hints_seen": noted.hints,
        });
        writeln!(Out, "{line}")?;
    }
    Ok(())
}

/// Checks every puzzle that was begun, and prints a line for each; the largest exit status.
pub fn check_all(how: &How) -> Result<ExitCode> {
    let all = &puzzles::all(None)?;
    let folder = &Folder::find()?;
    folder.must_be_started()?;
    let (mut worst, mut why, mut fresh) = (0, String::new(), 0);
    for puzzle in all {
        let file = folder.file(puzzle);
        let text = match Source::read(&file) {
            Ok(own) => own.text,
            Err(_) if file.symlink_metadata().is_err() => puzzle.fresh.clone(),
            Err(error) => {
                // It is there, and was not checked.
                show_error("", &error.to_string());
                worst = worst.max(2);
                continue;
            }
        };
        if !puzzle.is_edited(&text) {
            // As it came: whatever was noted of it is no longer so.
            folder.note(puzzle, &file, |entry| entry.mark = None);
            fresh += 1;
            continue;
        }
        let turn = Turn { puzzle, folder, file, from: None, how };
        let checked = turn.check(&text)?;
        worst = worst.max(checked.seen.status);
        if checked.verdict == Verdict::NotRun {
            why.clone_from(&checked.seen.message);
        }
        if how.json {
            turn.print_json(&checked)?;
        } else {
            screen::checked_row(puzzle, &checked, folder)?;
            screen::places(&turn.file, &checked)?;
        }
    }
    if !how.json {
        if fresh > 0 {
            writeln!(Out, "    {} not begun", verify::numbers::count(fresh, "exercise"))?;
        }
        screen::total(&all.iter().collect::<Vec<_>>(), folder)?;
    }
    if !why.is_empty() {
        show_error("", &why);
    }
    Ok(ExitCode::from(worst))
}

/// A puzzle that is played now, and the learner's file of it.
struct Turn<'a> {
    puzzle: &'a Puzzle,
    folder: &'a Folder,
    file: PathBuf,
    /// Whose exercises are played, where they are not the course's.
    from: Option<&'a Path>,
    how: &'a How,
}

impl<'a> Turn<'a> {
    /// The learner's own file of another puzzle.
    fn turn_to(&mut self, puzzle: &'a Puzzle) {
        self.file = self.folder.file(puzzle);
        self.puzzle = puzzle;
    }

    /// The command that does the same, or does what a flag asks `instead`.
    fn words(&self, instead: Option<&str>) -> Vec<String> {
        let mut words = vec!["exercise".into(), self.file.to_string_lossy().into_owned()];
        words.extend(self.of_set());
        match instead {
            Some(flag) => words.push(flag.into()),
            None => words.extend(self.how.flags()),
        }
        words
    }

    /// What says whose exercises are meant, where they are not the course's.
    fn of_set(&self) -> impl Iterator<Item = String> {
        let from = self.from.into_iter();
        from.flat_map(|set| ["--from".into(), set.to_string_lossy().into_owned()])
    }

    /// Checks the file, and shows what was seen and what comes `next` among these puzzles.
    fn play(&self, puzzles: &[&Puzzle]) -> Result<ExitCode> {
        let text = Source::read(&self.file)?.text;
        let puzzle = self.puzzle;
        let edited = puzzle.is_edited(&text);
        if !self.how.json {
            screen::head(puzzle, &self.file, edited)?;
        }
        let checked = self.check(&text)?;
        if let Some(place) = std::env::var_os(VERDICT_VARIABLE) {
            std::fs::write(place, serde_json::to_vec(&checked.verdict)?)?;
        }
        if self.how.json {
            self.print_json(&checked)?;
            return Ok(ExitCode::from(checked.seen.status));
        }
        screen::checked(puzzle, edited, &checked)?;
        screen::places(&self.file, &checked)?;
        checked.seen.tell_why_not();
        let progress = self.folder.progress();
        match checked.verdict {
            Verdict::NotRun => {}
            Verdict::Done => {
                screen::onward(puzzle, progress.next_after(puzzle, puzzles), self.folder)?;
            }
            _ => screen::advice(puzzle, &progress)?,
        }
        Ok(ExitCode::from(checked.seen.status))
    }

    /// Runs the checks on this text, which the file holds, and notes what it has come to.
    fn check(&self, text: &str) -> Result<Checked> {
        let waiting = sign_of_life(self.how.timeout);
        if self.puzzle.kind == Kind::Program {
            waiting
                .set_message("building it, which takes longest at first, then checking its calls");
        }
        let Turn { puzzle, file, how, .. } = self;
        let seen = match puzzle.kind {
            Kind::Program => host::check(puzzle, file, how),
            _ => puzzles::check(puzzle, file, how),
        };
        waiting.finish_and_clear();
        let mut seen = seen?;
        let (edited, on_device) = (puzzle.is_edited(text), puzzle.kind != Kind::Program);
        let verdict = Verdict::of(&seen.observations, edited, on_device);
        seen.status = verdict.status(seen.status);
        self.folder.note(puzzle, file, |entry| entry.mark = verdict.mark(entry.mark));
        Ok(Checked { seen, verdict })
    }

    /// Prints what was seen as a line of JSON.
    fn print_json(&self, checked: &Checked) -> Result<()> {
        let puzzle = self.puzzle;
        let line = json!({
            "puzzle": puzzle.id,
            "lesson": puzzle.lesson.map(|lesson| lesson.number),
            "title": puzzle.words.title,
            "file": self.file,
            "observations": checked.seen.observations,
            "solved": checked.verdict == Verdict::Done,
            "verdict": checked.verdict.words(),
            "brief": checked.brief(),
        });
        Ok(writeln!(Out, "{line}")?)
    }

    /// Checks, and checks again after each save, one below the other, until Ctrl-C; if it `goes_on`,
    /// a puzzle that is done gives way to the next of these. Where there are keys,
    /// [`front`] shows the same on a screen.
    fn watch(mut self, puzzles: &[&'a Puzzle], goes_on: bool) -> Result<ExitCode> {
        let mut saves = Saves::of(&[&self.file], &self.name())?;
        each_save(&mut saves, |saves| -> Result<News> {
            writeln!(Out)?;
            let news = Background::start(&self.words(None), false)?.until_a_save(saves);
            let progress = self.folder.progress();
            let is_over = goes_on && progress.is_done(self.puzzle) && news == News::Nothing;
            let next = progress.next_after(self.puzzle, puzzles);
            let Some(next) = next.filter(|_| is_over) else { return Ok(news) };
            self.turn_to(next);
            saves.turn_to(&self.file, &self.name())?;
            Ok(News::Turned)
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Its file's.
    fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// What a terminal shows while checks run, each for so many seconds at most.
pub fn sign_of_life(timeout: u64) -> indicatif::ProgressBar {
    let template = format!("  {{spinner}} {{msg}} {{elapsed}}; a run is ended at {timeout}s");
    let waiting = diagnostics::terminal::progress::bar(None, &template);
    waiting.set_message("checking the result, and for faults");
    waiting
}
