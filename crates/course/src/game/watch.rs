//! `--watch` without a terminal: a check after each save, one below the other. With a
//! terminal [`crate::front`] shows the same on a screen with keys.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use process::watch::each_save;
use process::watch::saves::{News, Saves};
use text::Out;

use super::background::Background;
use super::puzzle::Puzzle;
use super::turn::Turn;

/// What is watched, and what comes after it.
pub struct Watch<'a> {
    pub puzzles: &'a [&'a Puzzle],
    pub turn: Turn<'a>,
    /// Whether a puzzle that is done gives way to the next one.
    pub goes_on: bool,
}

impl Watch<'_> {
    /// Checks, and checks again after each save, until Ctrl-C.
    pub fn run(mut self) -> Result<ExitCode> {
        let mut saves = Saves::of(&self.turn.file, &self.name());
        each_save(&mut saves, |saves| self.check(saves))?;
        Ok(ExitCode::SUCCESS)
    }

    fn name(&self) -> String {
        let file = &self.turn.file;
        let name = file.file_name().unwrap_or(file.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// One check, which a save ends.
    fn check(&mut self, saves: &mut Saves) -> Result<News> {
        writeln!(Out)?;
        let news = Background::start(&self.turn.words(), false)?.until_a_save(saves);
        if news != News::Nothing {
            return Ok(news);
        }
        let (progress, now) = (self.turn.folder.progress(), self.turn.puzzle);
        let is_over = self.goes_on && progress.is_done(now);
        let next = progress.next_after(now, self.puzzles);
        let Some(next) = next.filter(|_| is_over) else {
            return Ok(News::Nothing);
        };
        self.turn.turn_to(next);
        saves.turn_to(&self.turn.file, &self.name());
        Ok(News::Turned)
    }
}
