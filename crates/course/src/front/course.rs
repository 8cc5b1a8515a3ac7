//! What there is to do, and what of it is done.

use anyhow::Result;
use ratatui::style::{Style, Stylize};
use ratatui::symbols::line;
use ratatui::text::Span;
use ratatui::widgets::LineGauge;

use crate::game::folder::Folder;
use crate::game::progress::{Mark, Progress};
use crate::game::puzzle::Puzzle;

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

    /// As it is noted now.
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
    pub fn next(&self, progress: &Progress) -> Option<&'a Puzzle> {
        progress.next(&self.like(self.puzzles.first()?))
    }

    /// How many of a kind are done, as a bar behind the words "11 of 35 solved".
    pub fn gauge(&self, puzzle: &Puzzle, progress: &Progress) -> LineGauge<'static> {
        let all = self.like(puzzle);
        let (done, count) = (progress.count_done(&all), all.len());
        let share = done as f64 / count.max(1) as f64;
        LineGauge::default()
            .label(format!("{done} of {count} {} ", puzzle.kind.done))
            .ratio(share.clamp(0.0, 1.0))
            .filled_symbol(line::THICK_HORIZONTAL)
            .unfilled_symbol(line::HORIZONTAL)
            .filled_style(Style::new().green())
            .unfilled_style(Style::new().dark_gray())
    }
}

/// In front of a puzzle's line.
pub fn sign(mark: Option<Mark>) -> Span<'static> {
    let sign = Mark::sign(mark);
    match mark {
        Some(Mark::Right) => sign.yellow(),
        Some(Mark::Broken) => sign.red(),
        _ => sign.green(),
    }
}
