//! What is written about a puzzle: what is to be done, and for those who look it up hints, and why
//! the answer is as it is. A page of Markdown, in sections; and what a terminal shows of one.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use colored::{ColoredString, Colorize};
use common::source::Source;
use diagnostics::terminal::wrap::beside;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

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

/// The text, moved in to a column. Nothing is left of HTML and of where links lead to.
pub fn markdown(text: &str, column: usize) -> String {
    let mut page = Page { column, ..Page::default() };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        page.hear(event);
    }
    page.blocks.trim_end().into()
}

#[derive(Default)]
struct Page {
    column: usize,
    blocks: String,
    /// The paragraph, the item, or the row of a table that is read now.
    now: String,
    /// Whether the code that is read now, if any, is a difference.
    code: Option<bool>,
    strong: bool,
    slanted: bool,
}

impl Page {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Text(text) if self.code.is_some() => self.now.push_str(&text),
            Event::Text(text) => self.add(text.normal()),
            Event::Code(text) => self.add(text.cyan()),
            Event::SoftBreak | Event::HardBreak => self.now.push(' '),
            Event::Start(Tag::Heading { .. } | Tag::Strong) => self.strong = true,
            Event::Start(Tag::Emphasis) => self.slanted = true,
            Event::Start(Tag::Item) => self.now = "- ".into(),
            Event::Start(Tag::CodeBlock(kind)) => {
                self.code = Some(kind == CodeBlockKind::Fenced("diff".into()));
            }
            Event::End(TagEnd::Strong) => self.strong = false,
            Event::End(TagEnd::Emphasis) => self.slanted = false,
            Event::End(TagEnd::TableCell) => self.now.push_str("   "),
            Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::Item) => self.end("\n"),
            Event::End(TagEnd::List(_) | TagEnd::Table) => self.blocks.push('\n'),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                self.end("\n\n");
                self.strong = false;
            }
            Event::End(TagEnd::CodeBlock) => {
                let code = std::mem::take(&mut self.now);
                let indent = " ".repeat(self.column);
                let is_difference = self.code.take() == Some(true);
                for hunk in code.trim_end().split("\n...\n") {
                    let lines = match is_difference {
                        true => difference(hunk),
                        false => hunk.lines().map(|line| format!("  {}", line.cyan())).collect(),
                    };
                    let lines = lines.iter().map(|line| format!("{indent}{line}\n"));
                    self.blocks.extend(lines.chain(["\n".into()]));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, mut words: ColoredString) {
        if self.strong {
            words = words.bold();
        }
        if self.slanted {
            words = words.italic();
        }
        self.now += &words.to_string();
    }

    /// Ends what is read now.
    fn end(&mut self, gap: &str) {
        let now = std::mem::take(&mut self.now);
        if !now.is_empty() {
            let more = if now.starts_with("- ") { 2 } else { 0 };
            let (indent, text) = (" ".repeat(self.column), beside(&now, self.column + more));
            self.blocks += &format!("{indent}{text}{gap}");
        }
    }
}

/// Lines that begin with "-", "+" or a space, without the indentation that all have.
fn difference(hunk: &str) -> Vec<String> {
    let lines = || hunk.lines().map(|line| line.split_at(line.len().min(1)));
    let texts = lines().map(|(_, text)| text).filter(|text| !text.is_empty());
    let common = texts.map(|text| text.len() - text.trim_start().len()).min();
    let shown = lines().map(|(mark, text)| {
        let line = format!("{mark}{}", text.get(common.unwrap_or(0)..).unwrap_or(""));
        match mark {
            "-" => line.red(),
            "+" => line.green(),
            _ => line.normal(),
        }
        .to_string()
    });
    shown.collect()
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

    #[test]
    fn no_mark_is_left_and_no_word_is_lost() {
        colored::control::set_override(false);
        let page = "## Why\n\n**One** `a * b` of M*N, *two*:\n[a link](to.md).\n\n- x\n- y\n\n\
                    <!-- no -->\n\n```diff\n-     old\n+     new\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let shown = "  Why\n\n  One a * b of M*N, two: a link.\n\n  - x\n  - y\n\n  -old\n  +new\n\n  a b\n  1 2";
        assert_eq!(markdown(page, 2), shown);
    }
}
