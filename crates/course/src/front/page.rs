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
    /// Opens a page, by its place in the course without its end; the text is for here where the book is not built, and
    /// where there is no browser.
    pub fn open(place: &Path) -> Result<Option<Page>> {
        let book = workspace().join("target/book").join(place);
        let book = book.with_extension("html");
        if has_windows() && book.is_file() && open::that_detached(&book).is_ok() {
            return Ok(None);
        }
        let page = Source::read(&workspace().join(place.with_extension("md")))?;
        let (text, pane) = (page.text, Pane::default());
        Ok(Some(Page { text, pane }))
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
