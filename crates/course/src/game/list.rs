//! The list of all puzzles on the screen: a cursor, a search, and a filter.

use crossterm::event::KeyCode;
use crossterm::style::Stylize;
use diagnostics::terminal::plain;
use diagnostics::terminal::prose::cut;

use super::progress::Progress;
use super::puzzle::Puzzle;
use super::screen;

/// Rows, and which of them is meant.
pub struct List<'a> {
    puzzles: &'a [Puzzle],
    /// The one that the cursor is on.
    at: &'a Puzzle,
    /// What their lines must hold; while `types`, letters are added to it.
    search: String,
    types: bool,
    /// Those alone that are solved, or are not.
    solved: Option<bool>,
}

impl<'a> List<'a> {
    /// Of all of them, with the cursor on one.
    pub fn at(at: &'a Puzzle, puzzles: &'a [Puzzle]) -> List<'a> {
        List {
            puzzles,
            at,
            search: String::new(),
            types: false,
            solved: None,
        }
    }

    /// Those that are to be seen, in order.
    fn seen(&self, progress: &Progress) -> Vec<&'a Puzzle> {
        let search = self.search.to_lowercase();
        let is_seen = |one: &&Puzzle| {
            let words = format!("{} {}", one.place, one.heading()).to_lowercase();
            let is_meant = |wanted| progress.is_done(one) == wanted;
            words.contains(&search) && self.solved.is_none_or(is_meant)
        };
        self.puzzles.iter().filter(is_seen).collect()
    }

    /// Whether a key is not for the list.
    pub fn is_left_by(&self, key: KeyCode) -> bool {
        !self.types && matches!(key, KeyCode::Esc | KeyCode::Char('q'))
    }

    /// What a key does; the one that is chosen, if it chooses.
    pub fn key(&mut self, key: KeyCode, progress: &Progress) -> Option<&'a Puzzle> {
        match key {
            KeyCode::Esc => (self.types, self.search) = (false, String::new()),
            KeyCode::Backspace => drop(self.search.pop()),
            KeyCode::Char(letter) if self.types => self.search.push(letter),
            KeyCode::Char('/') => self.types = true,
            KeyCode::Char(letter @ ('o' | 'd')) => {
                let wanted = Some(letter == 'd');
                self.solved = wanted.filter(|_| self.solved != wanted);
            }
            _ => {}
        }
        let seen = self.seen(progress);
        let at = seen.iter().position(|one| *one == self.at);
        let last = seen.len().checked_sub(1)?;
        let at = at.unwrap_or(0);
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
        for one in self.seen(progress) {
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

    /// What is searched, and what is left out.
    pub fn state(&self) -> String {
        let search = match (self.types, &*self.search) {
            (false, "") => String::new(),
            (types, search) => format!("/{search}{}   ", if types { "_" } else { "" }),
        };
        let only = match self.solved {
            None => "",
            Some(true) => "those that are solved",
            Some(false) => "those that are open",
        };
        format!("{search}{only}")
    }

    /// Its keys.
    pub fn keys(&self) -> &'static [(&'static str, &'static str)] {
        #[rustfmt::skip]
        const KEYS: [(&str, &str); 7] = [
            ("Esc", "back"), ("Up Down", "move"), ("Enter", "continue there"), ("/", "search"),
            ("o", "open"), ("d", "done"), ("q", "quit"),
        ];
        match self.types {
            true => &KEYS[..3],
            false => &KEYS,
        }
    }
}

/// Rows that a key of pages moves.
const PAGE: usize = 15;
