//! What there is to do, and what of it is done.

use anyhow::Result;

use crate::game::folder::Folder;
use crate::game::progress::Progress;
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

    /// How many of each kind are done.
    pub fn gauges(&self, progress: &Progress) -> String {
        let kinds = self
            .puzzles
            .chunk_by(|one, next| one.kind.command == next.kind.command);
        let gauges: Vec<String> = kinds.map(|all| self.gauge(all[0], progress)).collect();
        gauges.join(", ")
    }

    /// "11 of 35 solved".
    pub fn gauge(&self, puzzle: &Puzzle, progress: &Progress) -> String {
        let all = self.like(puzzle);
        format!(
            "{} of {} {}",
            progress.count_done(&all),
            all.len(),
            puzzle.kind.done
        )
    }
}
