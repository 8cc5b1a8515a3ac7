//! A page of Markdown on a terminal: its words in paragraphs, colours instead of its marks.

use colored::{ColoredString, Colorize};
use diagnostics::terminal::wrap::beside;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

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
    /// The language of the code that is read now.
    code: Option<String>,
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
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Event::End(TagEnd::Strong) => self.strong = false,
            Event::End(TagEnd::Emphasis) => self.slanted = false,
            Event::End(TagEnd::TableCell) => self.now.push_str("   "),
            Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::Item) => self.end("\n"),
            Event::End(TagEnd::List(_) | TagEnd::Table) => self.blocks.push('\n'),
            Event::End(TagEnd::Paragraph) => self.end("\n\n"),
            Event::End(TagEnd::Heading(_)) => {
                self.end("\n\n");
                self.strong = false;
            }
            Event::End(TagEnd::CodeBlock) => {
                let code = std::mem::take(&mut self.now);
                let indent = " ".repeat(self.column);
                let language = self.code.take();
                for hunk in code.trim_end().split("\n...\n") {
                    let lines = match language.as_deref() {
                        Some("diff") => difference(hunk),
                        _ => hunk.lines().map(|line| format!("  {}", line.cyan())).collect(),
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
    fn no_mark_is_left_and_no_word_is_lost() {
        colored::control::set_override(false);
        let page = "## Why\n\n**One** `a * b` of M*N, *two*:\n[a link](to.md).\n\n- x\n- y\n\n\
                    <!-- no -->\n\n```diff\n-     old\n+     new\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let shown = "  Why\n\n  One a * b of M*N, two: a link.\n\n  - x\n  - y\n\n  -old\n  +new\n\n  a b\n  1 2";
        assert_eq!(markdown(page, 2), shown);
    }
}
