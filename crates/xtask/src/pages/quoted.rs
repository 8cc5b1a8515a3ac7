//! What a page quotes as it is: a kernel's text, an item of a Rust file, what a run printed.

use anyhow::{Context, Result, ensure};
use common::source::Source;
use diagnostics::functions::functions;
use regex_lite::Regex;

use crate::kept;

/// A function of a kernel file, with the comment above it; or some of its lines, counted from that
/// comment on.
pub fn kernel(file: &str, name: &str, range: Option<&str>) -> Result<String> {
    let text = Source::of_course(file)?.text;
    let mut functions = functions(&text).into_iter();
    let function = functions.find(|one| one.name == name);
    let bytes = function.with_context(|| format!("{file} has no kernel {name}"))?.bytes;
    // What belongs to it stands directly above.
    let above = text[..bytes.start].lines().rev();
    let above = above.take_while(|line| !line.is_empty() && *line != "}");
    let start = bytes.start - above.map(|line| line.len() + 1).sum::<usize>();
    let whole = &text[start..bytes.end];
    let part = range.map_or(Ok(whole.into()), |range| lines(whole, range))?;
    ensure!(!part.is_empty(), "no such lines");
    Ok(format!("```c\n{}\n```", at_the_margin(part.lines())))
}

/// Lines, moved to the left margin.
fn at_the_margin<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> String {
    let full = lines.clone().filter(|line| !line.is_empty());
    let indent = full.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let moved = lines.map(|line| line.get(indent..).unwrap_or(""));
    moved.collect::<Vec<_>>().join("\n")
}

/// An item of a Rust file, with the comment above it; the whole file where none is named.
pub fn code(file: &str, item: Option<&str>) -> Result<String> {
    let text = kept::read(file)?;
    let shown = match item {
        None => text.trim_end().to_string(),
        Some(name) => extract(&text, name).with_context(|| format!("{file} has no item {name}"))?,
    };
    Ok(format!("```rust\n{shown}\n```"))
}

/// The comment and the attributes above the item, and the item up to the brace
/// that closes it, moved to the left margin.
fn extract(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let item = Regex::new(&format!(r"^ *(pub\S* )?(fn|struct|enum) {name}\b")).ok()?;
    let named = lines.iter().position(|line| item.is_match(line))?;
    let indent = lines[named].len() - lines[named].trim_start().len();
    let closes = |line: &&str| line.trim_end() == format!("{:indent$}}}", "");
    let end = named + lines[named..].iter().position(closes)?;
    let above = lines[..named].iter().rev();
    let above = above.take_while(|line| line.trim_start().starts_with(['/', '#'])).count();
    Some(at_the_margin(lines[named - above..=end].iter().copied()))
}

/// Some lines of what a lesson's recorded run printed.
pub fn output(run: &str, lesson: &str, range: &str) -> Result<String> {
    let text = kept::read(format!("docs/data/{run}/{lesson}.txt"))?;
    Ok(format!("```text\n{}\n```", lines(&text, range)?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_comes_with_its_comment_and_without_its_neighbours() {
        let text = "/// Other.\nfn other() {\n}\n\nimpl X {\n    /// One.\n    #[inline]\n    \
                    pub fn one<T>(n: T) {\n        if n {\n        }\n\n        n\n    }\n}\n";
        let one = "/// One.\n#[inline]\npub fn one<T>(n: T) {\n    if n {\n    }\n\n    n\n}";
        assert_eq!(extract(text, "one").as_deref(), Some(one));
        let other = "/// Other.\nfn other() {\n}";
        assert_eq!(extract(text, "other").as_deref(), Some(other));
        assert_eq!(extract(text, "on"), None);
    }

    #[test]
    fn code_is_an_item_of_a_file_or_the_whole_file() {
        let file = "examples/saxpy/src/main.rs";
        let item = code(file, Some("main")).unwrap();
        assert!(item.starts_with("```rust\nfn main()"), "{item}");
        let whole = code(file, None).unwrap();
        assert!(whole.contains("fn main()") && whole.contains("// 11. "), "{whole}");
        assert!(code(file, Some("nothing")).is_err());
        assert!(code("no/such/file.rs", None).is_err());
    }
}
