//! `--watch` without a terminal: a check after each save, one below the other. With a
//! terminal [`crate::front`] shows the same on a screen with keys.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use process::watch::each_save;
use process::watch::saves::{News, Saves};
use text::Out;

use super::background::Background;
use super::folder::Folder;
use super::how::How;
use super::puzzle::Puzzle;

/// How often it is asked whether a check has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// What is watched, and what comes after it.
pub struct Watch<'a> {
    pub puzzles: &'a [&'a Puzzle],
    pub folder: &'a Folder,
    pub how: &'a How,
    pub now: &'a Puzzle,
    pub file: PathBuf,
    /// Whether a puzzle that is done gives way to the next one.
    pub goes_on: bool,
}

impl Watch<'_> {
    /// Checks, and checks again after each save, until Ctrl-C.
    pub fn run(mut self) -> Result<ExitCode> {
        let mut saves = Saves::of(&self.file, &self.name());
        each_save(&mut saves, |saves| self.check(saves))?;
        Ok(ExitCode::SUCCESS)
    }

    fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// One check, which a save ends.
    fn check(&mut self, saves: &mut Saves) -> Result<News> {
        writeln!(Out)?;
        let mut job = Background::start(&words(self.now, &self.file, self.how), false)?;
        while job.status().is_none() {
            let news = saves.wait(PAUSE);
            if news != News::Nothing {
                return Ok(news);
            }
        }
        let progress = self.folder.progress();
        let is_over = self.goes_on && progress.is_done(self.now);
        let next = progress.next_after(self.now, self.puzzles);
        let Some(next) = next.filter(|_| is_over) else {
            return Ok(News::Nothing);
        };
        self.now = next;
        self.file = self.folder.file(next);
        saves.turn_to(&self.file, &self.name());
        Ok(News::Turned)
    }
}

/// The command that checks this file.
pub fn words(puzzle: &Puzzle, file: &Path, how: &How) -> Vec<String> {
    let mut words = vec![
        puzzle.kind.command.to_string(),
        file.to_string_lossy().into_owned(),
    ];
    words.extend(how.flags());
    words
}
