//! What there is to do, and what of it is done.

use anyhow::Result;
use text::screen::crossterm::style::{StyledContent, Stylize};

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
        all.filter(|one| one.kind.command == puzzle.kind.command)
            .collect()
    }

    /// The next of the first kind, the exercises.
    pub fn next(&self, progress: &Progress) -> Option<&'a Puzzle> {
        progress.next(&self.like(self.puzzles.first()?))
    }

    /// The gauges of all kinds, side by side.
    pub fn gauges(&self, progress: &Progress, columns: usize) -> String {
        let is_alike = |one: &&Puzzle, next: &&Puzzle| one.kind.command == next.kind.command;
        let kinds: Vec<&Puzzle> = self.puzzles.chunk_by(is_alike).map(|all| all[0]).collect();
        let room = (columns + 2) / kinds.len().max(1);
        let gauge = |one| self.gauge(one, progress, room.saturating_sub(2));
        kinds.into_iter().map(gauge).collect::<Vec<_>>().join("  ")
    }

    /// How many of a kind are done, as a bar behind the words "11 of 35 solved".
    pub fn gauge(&self, puzzle: &Puzzle, progress: &Progress, columns: usize) -> String {
        let all = self.like(puzzle);
        let (done, count) = (progress.count_done(&all), all.len());
        let label = format!("{done} of {count} {} ", puzzle.kind.done);
        let room = columns.saturating_sub(label.chars().count());
        let filled = room * done / count.max(1);
        let bar = [
            "━".repeat(filled).green(),
            "─".repeat(room - filled).dark_grey(),
        ];
        format!("{label}{}{}", bar[0], bar[1])
    }
}

/// In front of a puzzle's line.
pub fn sign(mark: Option<Mark>) -> StyledContent<&'static str> {
    let sign = Mark::sign(mark);
    match mark {
        Some(Mark::Right) => sign.yellow(),
        Some(Mark::Broken) => sign.red(),
        _ => sign.green(),
    }
}
