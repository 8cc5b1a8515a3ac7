//! A lesson's page: in the browser, as a page of the book; else as text, over the screen.

use anyhow::Result;
use common::source::{Source, workspace};
use process::lessons::Lesson;
use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::Text;

use super::footer;
use super::pane::Pane;
use super::plain::plain;

/// A page that is read here.
pub struct Page {
    text: String,
    pane: Pane,
}

impl Page {
    /// Opens the page of a lesson; the text is for here where the book is not built, and
    /// where there is no browser.
    pub fn open(lesson: &Lesson) -> Result<Option<Page>> {
        let place = format!("lessons/{}/README", lesson.folder);
        let book = workspace()
            .join("target/book")
            .join(format!("{place}.html"));
        if has_windows() && book.is_file() && open::that_detached(&book).is_ok() {
            return Ok(None);
        }
        let page = Source::read(&workspace().join(format!("{place}.md")))?;
        Ok(Some(Page {
            text: plain(&page.text),
            pane: Pane::default(),
        }))
    }

    /// Scrolls; false where this key closes it.
    pub fn on(&mut self, key: &KeyEvent) -> bool {
        self.pane.on(key)
    }

    pub fn draw(&mut self, frame: &mut Frame) {
        let keys = footer::lines(&[("↑↓", "scroll"), ("any other key", "back")], frame.area());
        let parts = [Constraint::Min(1), Constraint::Length(keys.len() as u16)];
        let [body, foot] = Layout::vertical(parts).areas(frame.area());
        self.pane.draw(frame, body, &self.text);
        frame.render_widget(Text::from(keys), foot);
    }
}

/// Whether a browser could show itself.
fn has_windows() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set)
}
