//! Text for people: lines and letters for a terminal, tables, and what changed between
//! two texts. It knows nothing of OpenCL.
//!
//! # Layout
//!
//! - `plain` makes text of what came from outside.
//! - [`wrap`] breaks lines that are too long for the terminal, [`progress`] is a sign of life on it.
//! - [`prose`] is paragraphs in columns, code between them, and changed lines.
//! - [`stream`] is what this process prints, sent elsewhere.
//! - [`diff`] is what changed between two texts.

pub mod diff;
mod plain;
pub mod progress;
pub mod prose;
pub mod stream;
pub mod wrap;

pub use plain::{plain, plain_name};

use std::io::{Result, Write, stdout};

use console::{Alignment, measure_text_width, pad_str};

/// Standard output.
pub struct Out;

impl Write for Out {
    fn write(&mut self, text: &[u8]) -> Result<usize> {
        stdout().write(text)
    }

    fn flush(&mut self) -> Result<()> {
        stdout().flush()
    }
}

/// A plain table; columns with a heading hold numbers, the others text, and so does the first.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(ToString::to_string).collect();
    let all = || std::iter::once(&heading).chain(rows);
    let width = |at: usize| {
        all()
            .filter_map(|row| Some(measure_text_width(row.get(at)?)))
            .max()
    };
    let lines = all().map(|row| {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let is_number = at > 0 && heading.get(at).is_some_and(|heading| !heading.is_empty());
            let side = if is_number {
                Alignment::Right
            } else {
                Alignment::Left
            };
            format!(" {} ", pad_str(cell, width(at).unwrap_or(0), side, None))
        });
        cells.collect::<String>().trim_end().to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A message on standard error, in lines that fit the terminal.
pub fn show_error(mut message: String) {
    if let Some(columns) = wrap::stderr_columns() {
        message = wrap::wrap_prose(&message, columns);
    }
    aside!("{message}");
}

/// A line on standard error, as `eprintln!` writes it, which panics where it cannot: on a
/// full disk, for example. There is nobody to tell that to.
#[macro_export]
macro_rules! aside {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", format_args!($($line)*));
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
}
