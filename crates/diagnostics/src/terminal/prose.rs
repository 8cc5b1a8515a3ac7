//! Prose on a screen of 80 columns: a paragraph beside a heading.

use crate::terminal::wrap::{self, folded};

/// Columns of a plain terminal.
pub const WIDTH: usize = 80;

/// Columns for prose: those of the terminal, or of the screen that shows what is printed, as
/// `COLUMNS` tells, and no more than of a plain one.
fn width() -> usize {
    let of_screen = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = wrap::stdout_columns().or_else(of_screen);
    columns.unwrap_or(WIDTH).min(WIDTH)
}

/// A paragraph that begins in a column, and goes on there in the lines below.
pub fn beside(paragraph: &str, column: usize) -> String {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let room = width().saturating_sub(column);
    folded(&words.join(" "), room, &" ".repeat(column))
}

/// A line, or its beginning where it is longer than `width` columns.
pub fn cut(line: &str, width: usize) -> String {
    console::truncate_str(line, width, "...").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(cut("abcdefgh", 6), "abc...");
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abc", 0), "...");
    }

    #[test]
    fn a_paragraph_stays_in_its_column() {
        let text = "word\n".repeat(30);
        let shown = beside(&text, 40);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with(&" ".repeat(40)) && lines[1].trim_start().len() <= 40);
    }
}
