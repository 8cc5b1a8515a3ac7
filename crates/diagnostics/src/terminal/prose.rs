//! Prose on a screen of 80 columns: paragraphs beside a heading, and code between them; and what
//! changed between two texts.

use colored::Colorize;

use crate::terminal::diff::{Change, Line};
use crate::terminal::wrap::{self, folded};

/// Columns of a plain terminal.
pub const WIDTH: usize = 80;

/// A paragraph that begins in a column, and goes on there in the lines below.
pub fn beside(paragraph: &str, column: usize) -> String {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    folded(&words.join(" "), WIDTH - column, &" ".repeat(column))
}

/// A line, or its beginning where it is longer than `width` columns.
pub fn cut(line: &str, width: usize) -> String {
    console::truncate_str(line, width, "...").into_owned()
}

/// A text of paragraphs, and of code between fences, moved in by two columns.
pub fn prose(text: &str) -> String {
    let mut parts = Vec::new();
    for (at, part) in text.split("```").enumerate() {
        if at % 2 == 0 {
            let paragraphs = part.trim().split("\n\n").filter(|text| !text.is_empty());
            parts.extend(paragraphs.map(|text| format!("  {}", beside(text, 2))));
            continue;
        }
        // Every second part stands between fences, behind the name of its language.
        let (language, code) = part.split_once('\n').unwrap_or(("", part));
        let hunks = code.trim_end().split("\n...\n");
        parts.extend(hunks.map(|hunk| match language {
            "diff" => difference(hunk),
            _ => format!("    {}", hunk.replace('\n', "\n    ").cyan()),
        }));
    }
    parts.join("\n\n")
}

/// Lines that begin with "-", "+" or a space, without the indentation that all have.
fn difference(hunk: &str) -> String {
    let lines = || hunk.lines().map(|line| line.split_at(line.len().min(1)));
    let texts = lines()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty());
    let common = texts.map(|text| text.len() - text.trim_start().len()).min();
    let shown = lines().map(|(mark, text)| {
        let line = format!("{mark}{}", text.get(common.unwrap_or(0)..).unwrap_or(""));
        let line = match mark {
            "-" => line.red(),
            "+" => line.green(),
            _ => line.normal(),
        };
        format!("  {line}")
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Lines with their numbers: `+` in the new text, `-` in the old one.
pub fn hunks(hunks: &[Vec<Line>]) -> String {
    let line = |line: &Line| format!("{}\n", fitted(shown(line)));
    let hunks = hunks.iter();
    let hunks = hunks.map(|hunk| hunk.iter().map(line).collect::<String>());
    let between = format!("{}\n", "     ...".dimmed());
    hunks.collect::<Vec<_>>().join(&between)
}

/// A text in lines that fit a terminal.
pub fn fitted(text: String) -> String {
    match wrap::stdout_columns() {
        Some(columns) => wrap::wrap(&text, columns),
        None => text,
    }
}

fn shown(line: &Line) -> String {
    let shown = |sign| format!("{:>5} {sign} {}", line.number, line.text);
    match line.change {
        Change::Same => shown(' '),
        Change::Gone => shown('-').red().to_string(),
        Change::New => shown('+').green().to_string(),
    }
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
