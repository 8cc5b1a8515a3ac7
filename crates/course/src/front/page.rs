//! A page to read: over the screen, or in the browser, where a lesson's page can be.

use std::path::Path;

use anyhow::Result;
use common::source::{Source, workspace};
use text::screen::crossterm::event::KeyCode;
use text::screen::pane::{Pane, Scroll};
use text::wrap::lines;

/// A page that is read here.
pub struct Page {
    text: String,
    pane: Pane,
}

impl Page {
    pub fn of(text: String) -> Page {
        let pane = Pane::default();
        Page { text, pane }
    }

    /// Opens a page, by its place in the course without its end; the text is for here where the book is not built, and
    /// where there is no browser.
    pub fn open(place: &Path) -> Result<Option<Page>> {
        let book = workspace().join("target/book").join(place);
        let book = book.with_extension("html");
        if has_windows() && book.is_file() && open::that_detached(&book).is_ok() {
            return Ok(None);
        }
        let page = Source::read(&workspace().join(place.with_extension("md")))?;
        Ok(Some(Page::of(plain(&page.text))))
    }

    /// Scrolls; false where this key closes it.
    pub fn on(&mut self, key: KeyCode) -> bool {
        let to = Scroll::of(key);
        to.map(|to| self.pane.scroll(to)).is_some()
    }

    pub fn rows(&mut self, size: (usize, usize)) -> Vec<String> {
        let keys = [("↑↓", "scroll"), ("any other key", "back")];
        let text = lines(self.text.trim_end(), size.0);
        self.pane.frame(Vec::new(), text, "", &keys, size)
    }
}

/// Whether a browser could show itself.
fn has_windows() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set)
}

/// A page's Markdown as it reads best on a terminal: links by their words, pictures by their
/// descriptions, and nothing that only a browser or a maker needs. What stands between fences
/// stays as it is.
fn plain(markdown: &str) -> String {
    let mut is_fenced = false;
    let mut text = String::new();
    for line in markdown.lines() {
        // Directives, and the targets of links that are named once.
        let is_for_others =
            line.starts_with("<!-- ") || line.starts_with("[`") && line.contains("`]: ");
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced {
            text += &format!("{line}\n");
        } else if !is_for_others {
            text += &format!("{}\n", without_tags(&words(line)));
        }
    }
    text
}

/// A line without the targets of its links.
fn words(line: &str) -> String {
    let (mut said, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once("](") {
        let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
        let figure = before.strip_suffix('!');
        said += figure.unwrap_or(before);
        said += if figure.is_some() { "Figure: " } else { "" };
        said += text;
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    (said + rest).replace("[`", "`").replace("`]", "`")
}

fn without_tags(line: &str) -> String {
    let tags = ["details", "summary", "code"].iter();
    let tags = tags.flat_map(|tag| [format!("<{tag}>"), format!("</{tag}>")]);
    tags.fold(line.to_string(), |line, tag| line.replace(&tag, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_words_and_its_code_stays() {
        let page = "Two [tiles](../glossary.md#tile), [`clX`](https://x) and [`clY`].\n\
                    <!-- figure: banks -->\n![32 banks.](banks.svg)\n<!-- end -->\n\
                    ```c\nc[i] = a[b](x); // <code>\n```\n\
                    <details><summary>Hint</summary>\n[`clY`]: https://y\n";
        let shown = "Two tiles, `clX` and `clY`.\nFigure: 32 banks.\n\
                     c[i] = a[b](x); // <code>\nHint\n";
        assert_eq!(plain(page), shown);
    }
}
