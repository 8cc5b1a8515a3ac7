//! The list of all puzzles on the screen: a cursor, and a search.

use std::ops::ControlFlow;

use crossterm::event::KeyCode;
use crossterm::style::Stylize;
use diagnostics::terminal::plain;
use diagnostics::terminal::wrap::cut;
use lesson::step::pane::{Key, Pane, meaning};

use super::progress::Progress;
use super::puzzle::Puzzle;
use super::screen;

/// Rows that a key of pages moves.
const PAGE: isize = 15;

/// What a key does in the list; any other letter is searched for.
#[derive(Clone, Copy)]
pub enum Does {
    Back,
    Move(isize),
    Choose,
    Erase,
}

/// The keys of the list.
#[rustfmt::skip]
pub const KEYS: [Key<Does>; 9] = [
    (&[KeyCode::Esc], "back", Does::Back),
    (&[KeyCode::Up], "move", Does::Move(-1)),
    (&[KeyCode::Down], "move", Does::Move(1)),
    (&[KeyCode::PageUp], "", Does::Move(-PAGE)),
    (&[KeyCode::PageDown], "", Does::Move(PAGE)),
    (&[KeyCode::Home], "", Does::Move(isize::MIN)),
    (&[KeyCode::End], "", Does::Move(isize::MAX)),
    (&[KeyCode::Enter], "continue there", Does::Choose),
    (&[KeyCode::Backspace], "", Does::Erase),
];

/// Rows, and which of them is meant.
pub struct List<'a> {
    puzzles: &'a [&'a Puzzle],
    /// The one that the cursor is on.
    at: &'a Puzzle,
    /// What their lines must hold.
    pub search: String,
    /// What is seen of them.
    pub pane: Pane,
}

impl<'a> List<'a> {
    /// Of all of them, with the cursor on one.
    pub fn at(at: &'a Puzzle, puzzles: &'a [&'a Puzzle]) -> List<'a> {
        List { puzzles, at, search: String::new(), pane: Pane::default() }
    }

    /// Those that are to be seen, in order.
    fn seen(&self) -> Vec<&'a Puzzle> {
        let search = self.search.to_lowercase();
        let is_seen = |one: &&Puzzle| {
            let words = format!("{} {}", one.place, one.heading());
            words.to_lowercase().contains(&search)
        };
        self.puzzles.iter().copied().filter(is_seen).collect()
    }

    /// What comes of a key: the list may be left, for the one that is chosen.
    pub fn key(&mut self, key: KeyCode) -> ControlFlow<Option<&'a Puzzle>> {
        let (does, mut rows) = (meaning(&KEYS, key), 0);
        match (does, key) {
            (Some(Does::Back), _) => return ControlFlow::Break(None),
            (Some(Does::Move(by)), _) => rows = by,
            (Some(Does::Erase), _) => drop(self.search.pop()),
            (None, KeyCode::Char(letter)) => self.search.push(letter),
            _ => {}
        }
        let seen = self.seen();
        let Some(last) = seen.len().checked_sub(1) else {
            return ControlFlow::Continue(());
        };
        let at = seen.iter().position(|one| *one == self.at).unwrap_or(0);
        self.at = seen[at.saturating_add_signed(rows).min(last)];
        match does {
            Some(Does::Choose) => ControlFlow::Break(Some(self.at)),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Its lines, of which that of the cursor is to be seen.
    pub fn rows(&mut self, progress: &Progress, columns: usize) -> Vec<String> {
        self.pane.cursor = Some(0);
        let mut rows = Vec::new();
        for (puzzle, row) in screen::rows(&self.seen(), progress, |title| title.into()) {
            let mut row = cut(&row, columns);
            if puzzle == Some(self.at) {
                self.pane.cursor = Some(rows.len());
                row = plain(&row).replacen(' ', "▸", 1).reverse().to_string();
            }
            rows.push(row);
        }
        if rows.is_empty() {
            rows.push("  none".into());
        }
        rows
    }
}
