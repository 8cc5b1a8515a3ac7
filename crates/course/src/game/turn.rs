//! One puzzle and the learner's file, checked once.

use std::path::{Path, PathBuf};
use std::{io::Write, process::ExitCode};

use anyhow::Result;
use diagnostics::terminal::{Out, progress};
use inspect::judge::How;
use watchdog::watch::{News, Saves, each_save};

use super::background::{Background, VERDICT_VARIABLE};
use super::puzzle::{Kind, Puzzle};
use super::verdict::{Checked, Verdict};
use super::{folder::Folder, screen};
use crate::{host, puzzles};

/// A puzzle that is played now.
pub struct Turn<'a> {
    pub puzzle: &'a Puzzle,
    pub folder: &'a Folder,
    pub file: PathBuf,
    /// Whose exercises are played, where they are not the course's.
    pub from: Option<&'a Path>,
    pub how: &'a How,
}

impl<'a> Turn<'a> {
    /// The learner's own file of another puzzle.
    pub fn turn_to(&mut self, puzzle: &'a Puzzle) {
        self.file = self.folder.file(puzzle);
        self.puzzle = puzzle;
    }

    /// The command that does the same, or does what a flag asks `instead`.
    pub fn words(&self, instead: Option<&str>) -> Vec<String> {
        let mut words = vec!["exercise".into(), self.file.to_string_lossy().into_owned()];
        words.extend(self.of_set());
        match instead {
            Some(flag) => words.push(flag.into()),
            None => words.extend(self.how.flags()),
        }
        words
    }

    /// What says whose exercises are meant, where they are not the course's.
    pub fn of_set(&self) -> impl Iterator<Item = String> {
        let from = self.from.into_iter();
        from.flat_map(|set| ["--from".into(), set.to_string_lossy().into_owned()])
    }

    /// Checks the file, and shows what was seen and what comes `next` among these puzzles.
    pub fn play(&self, puzzles: &[&Puzzle]) -> Result<ExitCode> {
        let text = common::source::Source::read(&self.file)?.text;
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
    pub fn check(&self, text: &str) -> Result<Checked> {
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
    pub fn print_json(&self, checked: &Checked) -> Result<()> {
        let puzzle = self.puzzle;
        let line = serde_json::json!({
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
    /// [`super::front`] shows the same on a screen.
    pub fn watch(mut self, puzzles: &[&'a Puzzle], goes_on: bool) -> Result<ExitCode> {
        let mut saves = Saves::of(&[&self.file], &self.name())?;
        each_save(&mut saves, |saves| -> Result<News> {
            writeln!(Out)?;
            let news = Background::start(&self.words(None), false)?.until_a_save(saves);
            let progress = self.folder.progress();
            let is_over = goes_on && progress.is_done(self.puzzle) && news == News::Nothing;
            let next = progress.next_after(self.puzzle, puzzles);
            let Some(next) = next.filter(|_| is_over) else {
                return Ok(news);
            };
            self.turn_to(next);
            saves.turn_to(&self.file, &self.name())?;
            Ok(News::Turned)
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Its file's.
    pub fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// What a terminal shows while checks run, each for so many seconds at most.
pub fn sign_of_life(timeout: u64) -> indicatif::ProgressBar {
    let template = format!("  {{spinner}} {{msg}} {{elapsed}}; a run is ended at {timeout}s");
    let waiting = progress::bar(None, &template);
    waiting.set_message("checking the result, and for faults");
    waiting
}
