//! Text for people: lines and letters for a terminal, tables, and what changed between
//! two texts. It knows nothing of OpenCL.
//!
//! # Layout
//!
//! - [`plain`] makes text of what came from outside; [`Out`] and [`aside!`](crate::aside) let no
//!   more than colours pass.
//! - [`wrap`] breaks lines that are too long for the terminal, and has prose in columns; [`progress`]
//!   is a sign of life.
//! - [`stream`] is what this process prints, sent elsewhere.
//! - [`diff`] is what changed between two texts.

pub mod diff;
pub mod progress;
pub mod stream;
pub mod wrap;

use std::io::{Result, Write, stdout};

use console::{Alignment, AnsiCodeIterator, measure_text_width, pad_str};

/// Standard output.
pub struct Out;

impl Write for Out {
    fn write(&mut self, text: &[u8]) -> Result<usize> {
        stdout().write(text)
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments) -> Result<()> {
        stdout().write_all(with_colours(&text.to_string()).as_bytes())
    }

    fn flush(&mut self) -> Result<()> {
        stdout().flush()
    }
}

/// Text of this program: colours pass, and nothing else that a terminal would obey.
pub fn with_colours(text: &str) -> String {
    let is_colour = |code: &str| code.starts_with("\x1b[") && code.ends_with('m');
    AnsiCodeIterator::new(text)
        .map(|(part, is_code)| match is_code && is_colour(part) {
            true => part.to_string(),
            false => plain(part),
        })
        .collect()
}

/// Text from outside, what a driver, a file or another process says, without what a terminal would obey: escape sequences are left out, other
/// control characters become `�`, and lines and tabs stay as they are.
pub fn plain(text: &str) -> String {
    let text = console::strip_ansi_codes(text).replace("\r\n", "\n");
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        // What changes the direction of writing, so that a name can pass for another (Unicode
        // Standard Annex #9, "Explicit Directional Embeddings", "Overrides" and "Isolates").
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ if c.is_control() => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// The same in one line, without the spaces and zero bytes that drivers put around names.
pub fn plain_name(text: &str) -> String {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    plain(text).replace(['\n', '\t'], " ")
}

/// A plain table; columns with a heading hold numbers, the others text, and so does the first.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(ToString::to_string).collect();
    let all = || std::iter::once(&heading).chain(rows);
    let width = |at: usize| {
        let widths = all().filter_map(|row| Some(measure_text_width(row.get(at)?)));
        widths.max().unwrap_or(0)
    };
    let lines = all().map(|row| {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let side = match heading.get(at) {
                Some(heading) if at > 0 && !heading.is_empty() => Alignment::Right,
                _ => Alignment::Left,
            };
            format!(" {} ", pad_str(cell, width(at), side, None))
        });
        cells.collect::<String>().trim_end().to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A message on standard error, behind a `head`, in lines that fit the terminal.
pub fn show_error(head: &str, says: &str) {
    let message = head.to_string() + &plain(says);
    crate::aside!("{}", wrap::fitted(stream::Stream::Error, &message));
}

/// A line on standard error, as `eprintln!` writes it, which panics where it cannot: on a
/// full disk, for example. There is nobody to tell that to.
#[macro_export]
macro_rules! aside {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let line = $crate::terminal::with_colours(&format!($($line)*));
        let _ = writeln!(std::io::stderr(), "{line}");
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_under_the_end_of_their_heading() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let rows = [row(["a", "12", "words"]), row(["long", "3.5", ""])];
        let shown = "       GB/s\n a       12  words\n long   3.5";
        assert_eq!(table(&["", "GB/s", ""], &rows), shown);
    }

    #[test]
    fn what_a_terminal_would_obey_is_left_out() {
        assert_eq!(plain("a\x1b[31mb\x1b[0m\x1b]0;title\x07c"), "abc");
        assert_eq!(plain("one\r\ntwo\tthree\n"), "one\ntwo\tthree\n");
        assert_eq!(plain("seen\roverwritten\x08\x7f\u{9b}"), "seen�overwritten���");
        assert_eq!(plain("\u{202e}abc"), "�abc");
        assert_eq!(plain("Größe ±0.7 % ✓"), "Größe ±0.7 % ✓");
        let own = "\x1b[1;31mred\x1b[0m";
        let mixed = format!("\x1b]0;title\x07{own}\x1b[2J\u{9b}31m");
        assert_eq!(with_colours(&mixed), own);
    }

    #[test]
    fn an_escape_that_does_not_end_is_not_obeyed_either() {
        for text in ["\x1b", "\x1b[", "\x1b]0;title", "\x1b[31", "\x1bP1"] {
            assert!(!plain(text).contains('\x1b'), "{text:?}");
        }
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(plain_name(" NVIDIA  H200\0\0"), "NVIDIA  H200");
        assert_eq!(plain_name("one\ntwo"), "one two");
    }
}
