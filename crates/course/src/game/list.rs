//! The list of all puzzles on the screen: a cursor, and a search.

use crossterm::event::KeyCode;
use crossterm::style::Stylize;
use diagnostics::terminal::plain;
use diagnostics::terminal::prose::cut;

use super::progress::Progress;
use super::puzzle::Puzzle;
use super::screen;

/// Rows that a key of pages moves.
const PAGE: usize = 15;

/// Rows, and which of them is meant.
pub struct List<'a> {
    puzzles: &'a [Puzzle],
    /// The one that the cursor is on.
    at: &'a Puzzle,
    /// What their lines must hold.
    pub search: String,
}

impl<'a> List<'a> {
    /// Of all of them, with the cursor on one.
    pub fn at(at: &'a Puzzle, puzzles: &'a [Puzzle]) -> List<'a> {
        let search = String::new();
        List {
            puzzles,
            at,
            search,
        }
    }

    /// Those that are to be seen, in order.
    fn seen(&self) -> Vec<&'a Puzzle> {
        let search = self.search.to_lowercase();
        let is_seen = |one: &&Puzzle| {
            let words = format!("{} {}", one.place, one.heading());
            words.to_lowercase().contains(&search)
        };
        self.puzzles.iter().filter(is_seen).collect()
    }

    /// What a key does; the one that is chosen, if it chooses.
    pub fn key(&mut self, key: KeyCode) -> Option<&'a Puzzle> {
        match key {
            KeyCode::Backspace => drop(self.search.pop()),
            KeyCode::Char(letter) => self.search.push(letter),
            _ => {}
        }
        let seen = self.seen();
        let last = seen.len().checked_sub(1)?;
        let at = seen.iter().position(|one| *one == self.at).unwrap_or(0);
        let to = match key {
            KeyCode::Up => at.saturating_sub(1),
            KeyCode::Down => at + 1,
            KeyCode::PageUp => at.saturating_sub(PAGE),
            KeyCode::PageDown => at + PAGE,
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => at,
        };
        self.at = seen[to.min(last)];
        (key == KeyCode::Enter).then_some(self.at)
    }

    /// Its lines, and in which of them the cursor is.
    pub fn rows(&self, progress: &Progress, columns: usize) -> (Vec<String>, usize) {
        let (mut rows, mut cursor, mut above) = (Vec::new(), 0, String::new());
        for one in self.seen() {
            let group = one.group();
            if group != above {
                rows.push(group.clone().bold().to_string());
            }
            above = group;
            let row = screen::row(one, progress, one.words.title.clone());
            let mut row = cut(&row, columns);
            if one == self.at {
                cursor = rows.len();
                row = plain(&row).replacen(' ', "▸", 1).reverse().to_string();
            }
            rows.push(row);
        }
        if rows.is_empty() {
            rows.push("  none".into());
        }
        (rows, cursor)
    }
}
