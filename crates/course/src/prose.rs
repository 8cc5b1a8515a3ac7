//! Prose on a screen of 80 columns: paragraphs beside a heading, and code between them.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use text::Out;
use text::wrap::folded;

/// Columns of a plain terminal.
pub const WIDTH: usize = 80;

/// A paragraph that begins in a column, and goes on there in the lines below.
pub fn beside(paragraph: &str, column: usize) -> String {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    folded(&words.join(" "), WIDTH - column, &" ".repeat(column))
}

/// A line, or its beginning where it is longer than `width` characters.
pub fn cut(line: &str, width: usize) -> String {
    if line.chars().count() > width {
        let begin: String = line.chars().take(width.saturating_sub(3)).collect();
        begin + "..."
    } else {
        line.to_string()
    }
}

/// A text of paragraphs, and of code between fences, moved in by two columns.
pub fn print_text(text: &str) -> Result<()> {
    for (at, part) in text.split("```").enumerate() {
        if at % 2 == 0 {
            for paragraph in part.trim().split("\n\n").filter(|text| !text.is_empty()) {
                writeln!(Out, "  {}\n", beside(paragraph, 2))?;
            }
            continue;
        }
        // Every second part stands between fences, behind the name of its language.
        let (language, code) = part.split_once('\n').unwrap_or(("", part));
        for hunk in code.trim_end().split("\n...\n") {
            match language {
                "diff" => print_hunk(hunk)?,
                _ => writeln!(Out, "    {}\n", hunk.replace('\n', "\n    ").cyan())?,
            }
        }
    }
    Ok(())
}

/// Lines that begin with "-", "+" or a space, without the indentation that all have.
fn print_hunk(hunk: &str) -> Result<()> {
    let lines = || hunk.lines().map(|line| line.split_at(line.len().min(1)));
    let texts = lines()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty());
    let common = texts.map(|text| text.len() - text.trim_start().len()).min();
    for (mark, text) in lines() {
        let text = text.get(common.unwrap_or(0)..).unwrap_or("");
        let line = format!("{mark}{text}");
        let line = match mark {
            "-" => line.red(),
            "+" => line.green(),
            _ => line.normal(),
        };
        writeln!(Out, "  {line}")?;
    }
    Ok(writeln!(Out)?)
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
