//! What is written about a puzzle: what is to be done, and for those who look it up hints, and why
//! the answer is as it is. A page of Markdown, in sections.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use common::source::Source;

/// Such a page, taken apart.
#[derive(Default)]
pub struct Written {
    /// What it is called, or what is seen of it.
    pub title: String,
    /// What its check is told, in TOML.
    pub data: String,
    /// What is to be done, in a few sentences.
    pub asks: String,
    /// From a nudge to nearly the answer.
    pub hints: Vec<String>,
    /// Why the answer is as it is.
    pub why: String,
}

/// What of a problem's page may be read before it is solved.
pub fn before_hints(page: &str) -> &str {
    page.split("\n## Hints").next().unwrap_or_default()
}

impl Written {
    /// A page that begins with a title and its data.
    pub fn read(path: &Path) -> Result<Written> {
        let source = Source::read(path)?;
        parse(&source.text).with_context(|| format!("{} cannot be used", source.path.display()))
    }

    /// A problem's page, where hints and solutions stand behind summaries that open them.
    pub fn of_problem(path: &Path) -> Result<Written> {
        let text = Source::read(path)?.text;
        let head = before_hints(&text);
        let (title, asks) = head.split_once('\n').context("README.md has no title")?;
        let title = title.split_once(": ").map_or(title, |(_, title)| title);
        // Without headings and what is typed.
        let prose = asks.split("```").step_by(2).flat_map(str::lines);
        let asks: Vec<&str> = prose.filter(|line| !line.starts_with('#')).collect();
        let (mut hints, mut why) = (Vec::new(), Vec::new());
        for details in text.split("<summary>").skip(1) {
            let (title, body) = details.split_once("</summary>").unwrap_or_default();
            let body = body.split("</details>").next().unwrap_or_default().trim();
            match title.starts_with("Hint") {
                true => hints.push(body.to_string()),
                false => why.push(body),
            }
        }
        Ok(Written {
            title: title.trim().into(),
            data: String::new(),
            asks: asks.join("\n").trim().into(),
            hints,
            why: why.join("\n\n"),
        })
    }
}

fn parse(text: &str) -> Result<Written> {
    let mut sections = text.split("\n## ");
    let head = sections.next().unwrap_or_default();
    let (mut hints, mut why) = (Vec::new(), String::new());
    for section in sections {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        match title.trim() {
            "Why" | "Explanation" => why = body.trim().to_string(),
            hint if hint.starts_with("Hint ") => hints.push(body.trim().to_string()),
            other => bail!("it has an unknown section: {other}"),
        }
    }
    ensure!(
        hints.len() == 3 && !why.is_empty(),
        "it needs the sections Hint 1, Hint 2, Hint 3, and Why or Explanation"
    );
    let parts = head.split_once("```toml\n");
    let (title, rest) = parts.context("it has no data between ```toml and ```")?;
    let (data, asks) = rest.split_once("\n```").context("the data do not end")?;
    ensure!(!asks.trim().is_empty(), "it says no task");
    let title = title.trim().trim_start_matches("# ");
    let [title, data, asks] = [title, data, asks.trim()].map(String::from);
    Ok(Written { title, data, asks, hints, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_apart_by_their_titles() {
        let hints = "## Hint 1\n\nLook.\n\n## Hint 2\n\nCloser.\n\n## Hint 3\n\nHere.\n";
        let head = "# x\n\n```toml\na = 1\n```\n\nDo it.\n";
        let page = parse(&format!("{head}\n{hints}\n## Why\n\nSo.\n\nAnd so.\n")).unwrap();
        assert_eq!([page.title, page.data, page.asks], ["x", "a = 1", "Do it."]);
        assert_eq!(page.hints, ["Look.", "Closer.", "Here."]);
        assert_eq!(page.why, "So.\n\nAnd so.");
        assert!(parse(hints).is_err());
        assert!(parse("# x\n\n## Surprise\n").is_err());
    }

    #[test]
    fn a_damaged_page_is_refused_or_has_all_its_parts() {
        let hints = "## Hint 1\n\nLook.\n\n## Hint 2\n\nCloser.\n\n## Hint 3\n\nHere.\n";
        let page = format!(
            "# x\n\n```toml\na = 1\n```\n\nDo it.\n\n{hints}\n## Why\n\nSo \u{fc}.\n\nAnd so.\n"
        );
        damage::must_be_survived(page.as_bytes(), |bytes| {
            if let Ok(page) = parse(&String::from_utf8_lossy(bytes)) {
                assert!(page.hints.len() == 3 && !page.why.is_empty());
            }
        });
    }
}
