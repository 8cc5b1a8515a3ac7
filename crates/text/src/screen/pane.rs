//! A text that fits the screen: in pages where it is long, with its keys in the last rows.

use console::{measure_text_width, strip_ansi_codes};
use crossterm::event::KeyCode;
use crossterm::style::Stylize;

use crate::wrap::lines;

/// A text in lines, and where its reader is.
#[derive(Default)]
pub struct Pane {
    lines: Vec<String>,
    /// Where in the lines a block begins.
    starts: Vec<usize>,
    /// Rows of the screen for it.
    rows: usize,
    top: usize,
}

/// Where to in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scroll {
    NextPage,
    PageBefore,
    Line(isize),
    To(usize),
    Bottom,
}

impl Scroll {
    /// What this key does in a text.
    pub fn of(key: KeyCode) -> Option<Scroll> {
        Some(match key {
            KeyCode::Up | KeyCode::Char('k') => Scroll::Line(-1),
            KeyCode::Down | KeyCode::Char('j') => Scroll::Line(1),
            KeyCode::PageUp => Scroll::PageBefore,
            KeyCode::PageDown | KeyCode::Char(' ') => Scroll::NextPage,
            KeyCode::Home => Scroll::To(0),
            KeyCode::End => Scroll::Bottom,
            _ => return None,
        })
    }
}

impl Pane {
    /// Puts a text in place of the one before: blocks that should not be torn apart, of lines
    /// that fit the screen, in so many rows. Its reader stays where he was.
    pub fn lay_out(&mut self, blocks: Vec<Vec<String>>, rows: usize) {
        self.starts.clear();
        self.lines.clear();
        for block in blocks {
            self.starts.push(self.lines.len());
            self.lines.extend(block);
        }
        self.rows = rows.max(1);
        self.top = self.top.min(self.pages().last().copied().unwrap_or(0));
    }

    /// The same for a text that may be torn apart anywhere, colours and all.
    pub fn lay_out_text(&mut self, text: &str, columns: usize, rows: usize) {
        let lines = lines(text.trim_end(), columns).into_iter();
        self.lay_out(lines.map(|line| vec![line]).collect(), rows);
    }

    /// Goes there; false where there is nothing more in that direction.
    pub fn scroll(&mut self, to: Scroll) -> bool {
        let (before, last) = (self.top, self.last_top());
        self.top = match to {
            Scroll::NextPage => self.next_page(before).unwrap_or(before),
            Scroll::PageBefore => self.page_before(before),
            Scroll::Line(lines) => before.saturating_add_signed(lines).min(last.max(before)),
            Scroll::To(line) => line,
            Scroll::Bottom => last,
        };
        self.top != before
    }

    /// Scrolls as little as it takes to show this line.
    pub fn reveal(&mut self, line: usize) {
        let first = (line + 1).saturating_sub(self.rows);
        self.top = self.top.clamp(first, line.max(first));
    }

    /// The first line that is seen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The rows that there are for it.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What is seen, in exactly so many rows as there are for it.
    pub fn shown(&self) -> Vec<String> {
        let end = self.next_page(self.top).unwrap_or(self.top + self.rows);
        let lines = self.lines.iter().take(end).skip(self.top).cloned();
        let rest = std::iter::repeat_n(String::new(), self.rows);
        lines.chain(rest).take(self.rows).collect()
    }

    /// The number of the page that is seen, and of all pages.
    pub fn page(&self) -> (usize, usize) {
        let pages = self.pages();
        let page = pages.iter().filter(|page| **page <= self.top).count();
        (page, pages.len())
    }

    /// Whether more follows below.
    pub fn has_more(&self) -> bool {
        self.next_page(self.top).is_some()
    }

    /// "lines 3 to 20 of 45", where it does not fit.
    pub fn place(&self) -> String {
        let all = self.lines.len();
        if all <= self.rows {
            return String::new();
        }
        let last = (self.top + self.rows).min(all);
        format!("lines {} to {last} of {all} ↑↓", self.top + 1)
    }

    /// The first line of the page after the one that begins with this line.
    fn next_page(&self, top: usize) -> Option<usize> {
        let end = top + self.rows;
        let fits = |start: &&usize| (top + 1..=end).contains(*start);
        let next = || self.starts.iter().rfind(fits).copied().unwrap_or(end);
        (end < self.lines.len()).then(next)
    }

    /// The first line of the page before, or a screen less a line, where the text was
    /// scrolled to.
    fn page_before(&self, top: usize) -> usize {
        let pages = self.pages();
        match pages.iter().position(|page| *page == top) {
            Some(at) => pages[at.saturating_sub(1)],
            None => top.saturating_sub(self.rows.saturating_sub(1).max(1)),
        }
    }

    /// The first line of each page.
    fn pages(&self) -> Vec<usize> {
        let next = |&top: &usize| self.next_page(top);
        std::iter::successors(Some(0), next).collect()
    }

    /// The last line that a page can begin with and leave no row empty.
    fn last_top(&self) -> usize {
        self.lines.len().saturating_sub(self.rows)
    }
}

/// Keys and what they do, in as many lines as it takes, though not in more than half of the
/// screen's rows; none is torn apart.
pub fn key_lines(keys: &[(&str, &str)], (columns, rows): (usize, usize)) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (key, does) in keys {
        let width = key.chars().count() + 1 + does.chars().count();
        let key = format!("{} {does}", key.cyan().bold());
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 2 + width <= columns => {
                *line += &format!("  {key}")
            }
            _ => lines.push(key),
        }
    }
    lines.truncate((rows / 2).max(1));
    lines
}

/// Two texts at the ends of a row.
pub fn both_ends(left: &str, right: &str, columns: usize) -> String {
    let used = measure_text_width(left) + measure_text_width(right);
    let gap = columns.saturating_sub(used).max(1);
    format!("{left}{:gap$}{right}", "")
}

/// The row under a cursor, as wide as the screen.
pub fn highlighted(row: &str, columns: usize) -> String {
    format!("{:columns$}", strip_ansi_codes(row))
        .reverse()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(blocks: &[usize], rows: usize) -> Pane {
        let mut pane = Pane::default();
        let blocks = blocks.iter().map(|&lines| vec!["x".to_string(); lines]);
        pane.lay_out(blocks.collect(), rows);
        pane
    }

    #[test]
    fn every_line_is_on_a_page() {
        let pane = pane(&[1; 50], 21);
        assert_eq!(pane.pages(), [0, 21, 42]);
        let before = [0, 21, 42, 29].map(|top| pane.page_before(top));
        assert_eq!(before, [0, 0, 21, 9]);
        assert_eq!(super::tests::pane(&[1; 21], 21).pages(), [0]);
        assert_eq!(super::tests::pane(&[], 0).shown(), [""]);
    }

    #[test]
    fn a_block_is_torn_apart_only_where_it_fits_no_page() {
        assert_eq!(pane(&[6, 6, 30], 10).pages(), [0, 6, 12, 22, 32]);
    }

    #[test]
    fn a_reader_stays_on_the_text() {
        let mut pane = pane(&[1; 50], 20);
        assert!(pane.scroll(Scroll::Bottom) && !pane.scroll(Scroll::Line(1)));
        assert_eq!(pane.place(), "lines 31 to 50 of 50 ↑↓");
        pane.lay_out_text("one line", 80, 20);
        assert_eq!((pane.top(), pane.place()), (0, String::new()));
    }

    #[test]
    fn keys_stay_whole() {
        let keys = [("h", "hint"), ("s", "solution"), ("q", "quit")];
        let text = |columns| -> Vec<String> {
            let lines = key_lines(&keys, (columns, 24)).into_iter();
            lines
                .map(|line| strip_ansi_codes(&line).into_owned())
                .collect()
        };
        assert_eq!(text(18), ["h hint  s solution", "q quit"]);
        assert_eq!(text(1).len(), 3);
    }
}
