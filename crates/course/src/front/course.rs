//! What there is to do, and what of it is done.

use anyhow::Result;
use ratatui::style::{Style, Stylize};
use ratatui::symbols::line;
use ratatui::widgets::LineGauge;

use crate::game::folder::Folder;
use crate::game::progress::{BROKEN, Progress};
use crate::game::puzzle::Puzzle;
use crate::game::screen;

pub struct Course<'a> {
    /// Of both kinds, each in teaching order.
    pub puzzles: Vec<&'a Puzzle>,
    pub folder: Folder,
}

impl<'a> Course<'a> {
    pub fn of(puzzles: Vec<&'a Puzzle>) -> Result<Course<'a>> {
        let folder = Folder::find()?;
        Ok(Course { puzzles, folder })
    }

    pub fn progress(&self) -> Progress {
        self.folder.progress()
    }

    /// All of the same kind.
    pub fn like(&self, puzzle: &Puzzle) -> Vec<&'a Puzzle> {
        let all = self.puzzles.iter().copied();
        all.filter(|one| one.kind.noun == puzzle.kind.noun)
            .collect()
    }

    /// The next of the first kind, the exercises.
    pub fn next(&self) -> Option<&'a Puzzle> {
        let first = self.puzzles.first()?;
        screen::next(&self.like(first), &self.progress())
    }

    /// "11 of 35 solved", and the share.
    pub fn tally(&self, puzzle: &Puzzle) -> (String, f64) {
        let (all, progress) = (self.like(puzzle), self.progress());
        let done = all.iter().filter(|one| screen::is_done(&progress, one));
        let (done, count) = (done.count(), all.len());
        let words = format!("{done} of {count} {}", puzzle.kind.done);
        (words, done as f64 / count.max(1) as f64)
    }

    /// The same as a bar.
    pub fn gauge(&self, puzzle: &Puzzle) -> LineGauge<'static> {
        let (words, share) = self.tally(puzzle);
        LineGauge::default()
            .label(format!("{words} "))
            .ratio(share.clamp(0.0, 1.0))
            .filled_symbol(line::THICK_HORIZONTAL)
            .unfilled_symbol(line::HORIZONTAL)
            .filled_style(Style::new().green())
            .unfilled_style(Style::new().dark_gray())
    }
}

/// In front of a puzzle's line.
pub fn mark(puzzle: &Puzzle, progress: &Progress) -> ratatui::text::Span<'static> {
    match progress.of(&puzzle.id).mark.as_deref() {
        Some("right") => "~".yellow(),
        Some(BROKEN) => "✗".red(),
        Some(_) => "✓".green(),
        None => " ".into(),
    }
}
