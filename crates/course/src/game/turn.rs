//! One puzzle and the learner's file, checked once.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use common::source::Source;
use serde_json::json;
use text::Out;

use super::folder::Folder;
use super::playable::{Attempt, Checked, How, Playable};
use super::progress::Progress;
use super::puzzle::Puzzle;
use super::screen;
use super::verdict::Verdict;

/// A puzzle that is played now.
pub struct Turn<'a> {
    pub one: &'a dyn Playable,
    pub folder: &'a Folder,
    pub file: PathBuf,
    pub how: &'a How,
}

impl Turn<'_> {
    /// Checks the file, and shows what was seen and what comes `next` among these puzzles.
    pub fn play(&self, puzzles: &[&Puzzle]) -> Result<ExitCode> {
        let text = Source::read(&self.file)?.text;
        if !self.how.json {
            screen::head(self.one, &self.file, self.one.puzzle().is_edited(&text))?;
        }
        let checked = self.check(&text)?;
        let status = ExitCode::from(checked.seen.status);
        if self.how.json {
            self.note(checked.verdict);
            self.print_json(&checked)?;
        } else {
            self.conclude(&text, &checked, puzzles)?;
        }
        Ok(status)
    }

    /// Runs the checks on this text, which the file holds.
    pub fn check(&self, text: &str) -> Result<Checked> {
        let attempt = Attempt::new(&self.file, self.how);
        let mut seen = self.one.check(&attempt)?;
        drop(attempt);
        let edited = self.one.puzzle().is_edited(text);
        let verdict = Verdict::of(&seen.observations, edited, self.one.needs_simulator());
        seen.status = verdict.status(seen.status);
        Ok(Checked { seen, verdict })
    }

    /// Notes and shows what was seen, and what to do next.
    fn conclude(&self, text: &str, checked: &Checked, puzzles: &[&Puzzle]) -> Result<()> {
        let puzzle = self.one.puzzle();
        let progress = self.note(checked.verdict);
        screen::checked(self.one, puzzle.is_edited(text), checked)?;
        checked.seen.tell_why_not();
        match checked.verdict {
            Verdict::NotRun => {}
            Verdict::Done => screen::onward(puzzle, puzzles, self.folder, &progress)?,
            _ => screen::advice(puzzle, &progress)?,
        }
        Ok(())
    }

    /// Notes what the file has come to.
    pub fn note(&self, verdict: Verdict) -> Progress {
        let puzzle = self.one.puzzle();
        let mut progress = self.folder.progress();
        let before = progress.of(&puzzle.id).mark;
        let mark = verdict.mark(before, puzzle.kind.done);
        if mark != before {
            let set = |progress: &mut Progress| progress.entry(&puzzle.id).mark = mark;
            set(&mut progress);
            self.folder.note(set);
        }
        progress
    }

    /// Prints what was seen as a line of JSON.
    pub fn print_json(&self, checked: &Checked) -> Result<()> {
        let seen = &checked.seen;
        let puzzle = self.one.puzzle();
        let line = json!({
            "puzzle": puzzle.id,
            "lesson": puzzle.lesson.number,
            "title": puzzle.title,
            "file": self.file,
            "observations": seen.observations,
            puzzle.kind.done.word(): checked.verdict == Verdict::Done,
            "verdict": checked.verdict.words(puzzle.kind.done),
        });
        Ok(writeln!(Out, "{line}")?)
    }
}
