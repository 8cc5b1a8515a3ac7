//! A text that fits the screen, in pages where it is long; and the keys in its last rows: a table,
//! from which they are drawn and answered.

use console::measure_text_width;
use crossterm::{event::KeyCode, style::Stylize};
use diagnostics::terminal::wrap::lines;

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

/// What a screen says of a key.
pub fn label(name: &str, does: &str) -> String {
    format!("{} {does}", name.cyan().bold())
}

/// What it says of these; neighbours of which the same is said stand together.
pub fn labels<Does>(keys: &[Key<Does>]) -> Vec<String> {
    let alike = keys.chunk_by(|(_, one, _), (_, next, _)| one == next);
    let said = alike.filter(|keys| !keys[0].1.is_empty()).map(|keys| {
        let names = keys.iter().map(|(codes, ..)| match codes[0] {
            KeyCode::Char(letter) => letter.into(),
            other => format!("{other:?}"),
        });
        label(&names.collect::<Vec<_>>().join(" "), keys[0].1)
    });
    said.collect()
}

/// Where the reader of a text is.
#[derive(Default)]
pub struct Pane {
    /// Lines that it has.
    all: usize,
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
    /// A screen of this size: the head, as much of the text as fits, a line of status with the
    /// place in the text, where it does not fit, and the keys. Its reader stays where he was.
    pub fn frame(
        &mut self,
        head: &str,
        text: &str,
        status: &str,
        keys: &[String],
        (columns, rows): (usize, usize),
    ) -> Vec<String> {
        let head = if head.is_empty() { Vec::new() } else { lines(head, columns) };
        let (text, keys) = (lines(text, columns), key_lines(keys, (columns, rows)));
        self.height = rows.saturating_sub(head.len() + keys.len() + 1).max(1);
        self.all = text.len();
        let (mut place, all) = (String::new(), self.all);
        if all <= self.height {
            self.top = 0;
        } else {
            self.top = self.top.min(all - 1);
            let last = (self.top + self.height).min(all);
            place = format!("lines {} to {last} of {all} ↑↓", self.top + 1).yellow().to_string();
        }
        let mut shown: Vec<String> = text.into_iter().skip(self.top).collect();
        shown.resize(self.height, String::new());
        let used = measure_text_width(status) + measure_text_width(&place);
        let gap = columns.saturating_sub(used).max(1);
        let status = format!("{status}{:gap$}{place}", "");
        [head, shown, vec![status], keys].concat()
    }

    /// Goes there; false where there is nothing more in that direction.
    pub fn scroll(&mut self, to: Scroll) -> bool {
        let before = self.top;
        let last = self.all.saturating_sub(self.height);
        self.top = match to {
            Scroll::NextPage if before + self.height < self.all => before + self.height,
            Scroll::NextPage => before,
            Scroll::PageBefore => before.saturating_sub(self.height),
            Scroll::Line(lines) => before.saturating_add_signed(lines).min(last.max(before)),
            Scroll::Top => 0,
            Scroll::Bottom => last,
        };
        self.top != before
    }
}

/// What is said of the keys, in as many lines as it takes, though not in more than half of the
/// screen's rows; nothing is torn apart.
fn key_lines(labels: &[String], (columns, rows): (usize, usize)) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for label in labels {
        let width = measure_text_width(label);
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 2 + width <= columns => {
                *line += &format!("  {label}");
            }
            _ => lines.push(label.clone()),
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
        pane.frame("", &vec!["x"; lines].join("\n"), "", &[label("q", "quit")], (80, rows + 2));
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
        let mut shown = |text: &str| {
            let shown = pane.frame("", text, "", &[], (80, 21));
            (strip_ansi_codes(shown.last().unwrap()).trim().to_string(), shown.len(), pane.top)
        };
        let end = ("lines 31 to 50 of 50 ↑↓".to_string(), 21, 30);
        assert_eq!(shown(&["x"; 50].join("\n")), end);
        assert_eq!(shown("one line"), (String::new(), 21, 0));
    }

    #[test]
    fn keys_stay_whole() {
        let keys = [("h", "hint"), ("s", "solution"), ("q", "quit")];
        let keys = keys.map(|(key, does)| label(key, does));
        let text = |columns| -> Vec<String> {
            let lines = key_lines(&keys, (columns, 24)).into_iter();
            lines.map(|line| strip_ansi_codes(&line).into_owned()).collect()
        };
        assert_eq!(text(18), ["h hint  s solution", "q quit"]);
        assert_eq!(text(1).len(), 3);
    }
}
