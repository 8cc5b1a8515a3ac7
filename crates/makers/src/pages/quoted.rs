//! What a page quotes as it is: a kernel's text, and what a run printed.

use anyhow::{Context, Result};
use common::source::Source;
use language::functions::functions;

/// A function of a kernel file, with the comment above it.
pub fn kernel(file: &str, name: &str) -> Result<String> {
    let text = Source::of_course(file)?.text;
    let mut functions = functions(&text).into_iter();
    let function = functions.find(|one| one.name == name);
    let bytes = function
        .with_context(|| format!("{file} has no kernel {name}"))?
        .bytes;
    // What belongs to it stands directly above.
    let above = text[..bytes.start].lines().rev();
    let above = above.take_while(|line| !line.is_empty() && *line != "}");
    let start = bytes.start - above.map(|line| line.len() + 1).sum::<usize>();
    Ok(format!("```c\n{}\n```", &text[start..bytes.end]))
}

/// What a lesson's recorded run printed, or some of its lines.
pub fn output(run: &str, lesson: &str, lines: Option<&str>) -> Result<String> {
    let text = process::data::recording::file(run, lesson, "txt")?;
    let chosen = match lines {
        None => text.trim_end().to_string(),
        Some(range) => self::lines(&text, range)?,
    };
    Ok(format!("```text\n{chosen}\n```"))
}

/// Some lines of a text, as `3-9`, counted from 1; less where it has fewer.
pub fn lines(text: &str, range: &str) -> Result<String> {
    let [first, last] = self::range(range).context("lines are given as 3-9")?;
    let lines = text.lines().take(last).skip(first.saturating_sub(1));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// The numbers of `3-9`.
pub fn range(word: &str) -> Option<[usize; 2]> {
    let (first, last) = word.split_once('-')?;
    Some([first.parse().ok()?, last.parse().ok()?])
}
