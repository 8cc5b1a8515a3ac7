//! What stands on a screen of a certain size: a headline, pieces below it in pages, and
//! the keys at the bottom.

use super::piece::{Form, Piece, headline};

/// What is shown; how it is laid out follows from the size of the terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Stands on each page.
    pub title: Option<String>,
    pub pieces: Vec<Piece>,
    /// Each with its name, such as "q quit".
    pub keys: Vec<&'static str>,
    /// What is typed, below the page.
    pub typed: Option<String>,
    /// A line of `pieces` that must be seen.
    pub marked: Option<usize>,
}

impl View {
    /// A text without a headline, with these keys.
    pub fn of(lines: Vec<String>, keys: &[&'static str]) -> View {
        View {
            pieces: vec![Piece::Text(lines.join("\n"))],
            keys: keys.into(),
            ..View::default()
        }
    }
}

/// A view laid out.
pub(super) struct Sheet {
    /// What stands on each page.
    pub head: Vec<String>,
    pub lines: Vec<String>,
    pub keys: Vec<String>,
    /// Rows between head and keys.
    pub room: usize,
    /// Where in the lines a block begins.
    starts: Vec<usize>,
}

impl Sheet {
    /// Lays a view out in a terminal of so many columns and rows.
    pub fn of(view: &View, present: bool, columns: usize, rows: usize) -> Sheet {
        let form = Form::new(present, Some(columns));
        let mut sheet = Sheet {
            head: Vec::new(),
            lines: Vec::new(),
            keys: key_lines(&view.keys, form.columns.saturating_sub(2)),
            room: 0,
            starts: Vec::new(),
        };
        sheet.keys.truncate(rows / 2);
        if let Some(title) = &view.title {
            sheet.head = headline(title, form);
        }
        // Two rows at least, and one for what is typed or under way.
        if sheet.head.len() + sheet.keys.len() + 3 > rows {
            let head = std::mem::take(&mut sheet.head);
            sheet.push(head);
        }
        for (i, piece) in view.pieces.iter().enumerate() {
            let before = i.checked_sub(1).map(|before| &view.pieces[before]);
            for block in piece.blocks(before, form) {
                sheet.push(block);
            }
        }
        let taken = sheet.head.len() + sheet.keys.len() + 1;
        sheet.room = rows.saturating_sub(taken).max(1);
        sheet
    }

    fn push(&mut self, block: Vec<String>) {
        self.starts.push(self.lines.len());
        self.lines.extend(block);
    }

    /// The first line of the page after the one that begins with this line.
    pub fn next_page(&self, top: usize) -> Option<usize> {
        let end = top + self.room;
        if end >= self.lines.len() {
            return None;
        }
        let fits = |start: &&usize| (top + 1..=end).contains(*start);
        Some(self.starts.iter().rfind(fits).copied().unwrap_or(end))
    }

    /// The first line of the page before, or a screen less a line, where a text was
    /// scrolled to.
    pub fn page_before(&self, top: usize) -> usize {
        let pages = self.pages();
        if pages.contains(&top) {
            pages.into_iter().rfind(|page| *page < top).unwrap_or(0)
        } else {
            top.saturating_sub(self.room.saturating_sub(1).max(1))
        }
    }

    /// The first line of each page.
    pub fn pages(&self) -> Vec<usize> {
        let mut pages = vec![0];
        while let Some(next) = pages.last().and_then(|&top| self.next_page(top)) {
            pages.push(next);
        }
        pages
    }

    /// The last line that a page can begin with and leave no row empty.
    pub fn last_top(&self) -> usize {
        self.lines.len().saturating_sub(self.room)
    }
}

/// The keys in lines; none is torn apart.
fn key_lines(keys: &[&str], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for key in keys {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + key.chars().count() <= columns => {
                line.push_str("  ");
                line.push_str(key);
            }
            _ => lines.push(key.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> View {
        let lines = (0..count).map(|i| format!("line {i}"));
        View {
            title: Some("title".into()),
            keys: vec!["Enter next", "q quit"],
            ..View::of(lines.collect(), &[])
        }
    }

    #[test]
    fn every_line_is_on_a_page_and_the_headline_on_each() {
        // A row for the headline, one for the keys, one between them.
        let sheet = Sheet::of(&lines(50), false, 80, 24);
        assert_eq!((sheet.head.len(), sheet.room), (1, 21));
        assert_eq!(sheet.pages(), [0, 21, 42]);
        let before = [0, 21, 42, 29].map(|top| sheet.page_before(top));
        assert_eq!(before, [0, 0, 21, 9]);
        assert_eq!(Sheet::of(&lines(21), false, 80, 24).pages(), [0]);
    }

    #[test]
    fn a_block_is_torn_apart_only_where_it_fits_no_page() {
        let block = |rows: usize| Piece::Note(vec!["x"; rows].join("\n"));
        let view = View {
            pieces: vec![block(6), block(6), block(30)],
            ..View::default()
        };
        let sheet = Sheet::of(&view, false, 80, 11);
        assert_eq!(sheet.room, 10);
        assert_eq!(sheet.pages(), [0, 6, 12, 22, 32]);
    }

    #[test]
    fn no_terminal_is_too_small() {
        for (columns, rows) in [(0, 0), (1, 1), (1, 24), (3, 2), (80, 1)] {
            for present in [false, true] {
                let sheet = Sheet::of(&lines(5), present, columns, rows);
                assert!(sheet.room >= 1 && !sheet.pages().is_empty());
            }
        }
    }

    #[test]
    fn a_word_that_is_longer_than_a_line_is_seen_whole() {
        let view = View::of(vec!["in \x1b[1m/a/long/path\x1b[0m here".into()], &[]);
        let sheet = Sheet::of(&view, false, 8, 24);
        let lines = ["in", "\x1b[1m/a/long/", "path\x1b[0m", "here"];
        assert_eq!(sheet.lines, lines);
    }

    #[test]
    fn keys_stay_whole() {
        let keys = ["Enter next", "b back", "q quit"];
        assert_eq!(key_lines(&keys, 20), ["Enter next  b back", "q quit"]);
        assert_eq!(key_lines(&keys, 1).len(), 3);
    }
}
