//! A text that fits the screen, in pages where it is long; and the keys in its last rows: a table,
//! from which they are drawn and answered.

use console::measure_text_width;
use crossterm::event::KeyCode;
use crossterm::style::Stylize;

/// What is pressed, of which the first is named; what is said of it, nothing where another key's
/// words do; and what it does.
pub type Key<Does> = (&'static [KeyCode], &'static str, Does);

/// The space bar.
pub const SPACE: KeyCode = KeyCode::Char(' ');

/// What a key does on a screen that has these.
pub fn meaning<Does: Copy>(keys: &[Key<Does>], pressed: KeyCode) -> Option<Does> {
    let key = keys.iter().find(|(codes, ..)| codes.contains(&pressed));
    key.map(|(.., does)| *does)
}

/// A key as screens call it.
pub fn name(key: KeyCode) -> String {
    match key {
        KeyCode::Char(letter) => letter.into(),
        other => format!("{other:?}"),
    }
}

/// The keys' names and words; neighbours of which the same is said stand together.
pub fn named<Does>(keys: &[Key<Does>]) -> Vec<(String, String)> {
    let mut named: Vec<(String, String)> = Vec::new();
    for (codes, says, _) in keys.iter().filter(|(_, says, _)| !says.is_empty()) {
        let name = name(codes[0]);
        match named.last_mut() {
            Some((names, same)) if same == says => *names += &format!(" {name}"),
            _ => named.push((name, says.to_string())),
        }
    }
    named
}

/// A text in lines, and where its reader is.
#[derive(Default)]
pub struct Pane {
    lines: Vec<String>,
    /// Rows of the screen for it.
    height: usize,
    /// The first line that is seen.
    top: usize,
}

/// Where to in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scroll {
    NextPage,
    PageBefore,
    Line(isize),
    Top,
    Bottom,
}

/// The keys that scroll a text.
#[rustfmt::skip]
pub const SCROLL: [Key<Scroll>; 6] = [
    (&[KeyCode::Up, KeyCode::Char('k')], "scroll", Scroll::Line(-1)),
    (&[KeyCode::Down, KeyCode::Char('j')], "scroll", Scroll::Line(1)),
    (&[KeyCode::PageUp], "scroll", Scroll::PageBefore),
    (&[KeyCode::PageDown, SPACE], "scroll", Scroll::NextPage),
    (&[KeyCode::Home], "scroll", Scroll::Top),
    (&[KeyCode::End], "scroll", Scroll::Bottom),
];

impl Pane {
    /// A screen of this size: the head, as much of the text as fits, a line of status, and the
    /// keys. Its reader stays where he was.
    pub fn frame(
        &mut self,
        head: Vec<String>,
        lines: Vec<String>,
        status: &str,
        keys: &[(String, String)],
        (columns, rows): (usize, usize),
    ) -> Vec<String> {
        let keys = key_lines(keys, (columns, rows));
        self.height = rows.saturating_sub(head.len() + keys.len() + 1).max(1);
        self.lines = lines;
        // What fits is seen from its begin.
        let fits = self.lines.len() <= self.height;
        self.top = self.top.min(if fits { 0 } else { self.lines.len() - 1 });
        let shown = self.lines.iter().skip(self.top).cloned();
        let rest = std::iter::repeat_n(String::new(), self.height);
        let shown = shown.chain(rest).take(self.height).collect();
        let place = self.place().yellow().to_string();
        let used = measure_text_width(status) + measure_text_width(&place);
        let gap = columns.saturating_sub(used).max(1);
        let status = format!("{status}{:gap$}{place}", "");
        [head, shown, vec![status], keys].concat()
    }

    /// Goes there; false where there is nothing more in that direction.
    pub fn scroll(&mut self, to: Scroll) -> bool {
        let (before, all) = (self.top, self.lines.len());
        let last = all.saturating_sub(self.height);
        self.top = match to {
            Scroll::NextPage if before + self.height < all => before + self.height,
            Scroll::NextPage => before,
            Scroll::PageBefore => before.saturating_sub(self.height),
            Scroll::Line(lines) => before.saturating_add_signed(lines).min(last.max(before)),
            Scroll::Top => 0,
            Scroll::Bottom => last,
        };
        self.top != before
    }

    /// "lines 3 to 20 of 45", where it does not fit.
    fn place(&self) -> String {
        let all = self.lines.len();
        if all <= self.height {
            return String::new();
        }
        let last = (self.top + self.height).min(all);
        format!("lines {} to {last} of {all} ↑↓", self.top + 1)
    }
}

/// Keys and what they do, in as many lines as it takes, though not in more than half of the
/// screen's rows; none is torn apart.
fn key_lines(keys: &[(String, String)], (columns, rows): (usize, usize)) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (key, does) in keys {
        let width = key.chars().count() + 1 + does.chars().count();
        let key = format!("{} {does}", key.clone().cyan().bold());
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

#[cfg(test)]
mod tests {
    use console::strip_ansi_codes;

    use super::*;

    fn pane(lines: usize, rows: usize) -> Pane {
        let mut pane = Pane::default();
        // A row for the status, and one for the key.
        let keys = [("q".into(), "quit".into())];
        let lines = vec!["x".into(); lines];
        pane.frame(Vec::new(), lines, "", &keys, (80, rows + 2));
        pane
    }

    #[test]
    fn every_line_is_on_a_page() {
        let mut long = pane(50, 21);
        let mut tops = vec![long.top];
        while long.scroll(Scroll::NextPage) {
            tops.push(long.top);
        }
        assert_eq!(tops, [0, 21, 42]);
        assert!(long.scroll(Scroll::PageBefore) && long.top == 21);
        assert!(!pane(21, 21).scroll(Scroll::NextPage));
        assert!(!pane(0, 0).scroll(Scroll::Bottom));
    }

    #[test]
    fn a_reader_stays_on_the_text() {
        let mut pane = pane(50, 20);
        assert!(pane.scroll(Scroll::Bottom) && !pane.scroll(Scroll::Line(1)));
        assert_eq!(pane.place(), "lines 31 to 50 of 50 ↑↓");
        let shown = pane.frame(Vec::new(), vec!["one line".into()], "", &[], (80, 20));
        assert_eq!((pane.top, shown.len(), &*shown[0]), (0, 20, "one line"));
        assert_eq!(pane.place(), String::new());
    }

    #[test]
    fn keys_stay_whole() {
        let keys = [("h", "hint"), ("s", "solution"), ("q", "quit")];
        let keys = keys.map(|(key, does)| (key.to_string(), does.to_string()));
        let text = |columns| -> Vec<String> {
            let lines = key_lines(&keys, (columns, 24)).into_iter();
            lines.map(|line| strip_ansi_codes(&line).into_owned()).collect()
        };
        assert_eq!(text(18), ["h hint  s solution", "q quit"]);
        assert_eq!(text(1).len(), 3);
    }
}
