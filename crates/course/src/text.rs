//! Words on a screen of 80 columns.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;

/// Columns of a plain terminal.
pub const WIDTH: usize = 80;

/// A command for a shell, in lines that fit: a backslash joins them again.
pub fn command_line(words: &[String]) -> String {
    let quote = |word: &String| match word.contains([' ', '\'', '"', '$', '\\']) {
        true => format!("'{}'", word.replace('\'', r"'\''")),
        false => word.clone(),
    };
    let words: Vec<String> = words.iter().map(quote).collect();
    fold(&words, WIDTH - 16).join(" \\\n  ")
}

/// A text in lines of at most `width` characters, as far as its words allow.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    fold(&words, width)
}

fn fold(words: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// Lines below one another, all but the first moved to a column.
pub fn indented(lines: &[String], column: usize) -> String {
    lines.join(&format!("\n{:column$}", ""))
}

/// The text, or its beginning where it is longer than `width` characters.
pub fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width - 3).collect::<String>() + "...",
        false => text.to_string(),
    }
}

/// A text of paragraphs, and of code between fences, moved in by two columns.
pub fn print_text(text: &str) -> Result<()> {
    let mut out = std::io::stdout();
    for (at, part) in text.split("```").enumerate() {
        // Every second part stands between fences, behind the name of its language.
        if at % 2 == 1 {
            let (language, code) = part.split_once('\n').unwrap_or(("", part));
            for hunk in code.trim_end().split("\n...\n") {
                match language {
                    "diff" => print_hunk(hunk)?,
                    _ => writeln!(out, "    {}\n", indented(&lines_of(hunk), 4).cyan())?,
                }
            }
            continue;
        }
        for paragraph in part.trim().split("\n\n").filter(|text| !text.is_empty()) {
            writeln!(out, "  {}\n", indented(&wrap(paragraph, WIDTH - 2), 2))?;
        }
    }
    Ok(())
}

/// The lines of a text.
pub fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(String::from).collect()
}

/// Lines that begin with "-", "+" or a space, without the indentation that all have.
fn print_hunk(hunk: &str) -> Result<()> {
    let mut out = std::io::stdout();
    let split = |line: &str| -> (String, String) {
        let at = line.len().min(1);
        (line[..at].to_string(), line[at..].to_string())
    };
    let lines: Vec<(String, String)> = hunk.lines().map(split).collect();
    let texts = lines
        .iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty());
    let common = texts.map(|text| text.len() - text.trim_start().len()).min();
    for (mark, text) in lines {
        let text = text.get(common.unwrap_or(0)..).unwrap_or("");
        let line = format!("{mark}{text}");
        let line = match mark.as_str() {
            "-" => line.red(),
            "+" => line.green(),
            _ => line.normal(),
        };
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(indented(&wrap("one two three", 7), 2), "one two\n  three");
        assert_eq!(cut("abcdefgh", 6), "abc...");
    }

    #[test]
    fn a_command_can_be_pasted() {
        let words = ["run", "my file.cl"].map(String::from);
        assert_eq!(command_line(&words), "run 'my file.cl'");
        let long: Vec<String> = (0..20).map(|i| format!("word{i:04}")).collect();
        assert!(command_line(&long).contains(" \\\n  word"));
    }
}
