//! A lesson's page: in the browser, as a page of the book; else as text.

use anyhow::Result;
use common::source::{Source, workspace};
use toolbox::lessons::LESSONS;

/// Opens the page of the lesson of this number, or gives its text: where the book is not
/// built, and where there is no browser.
pub fn open(lesson: u32) -> Result<Option<String>> {
    let Some(lesson) = LESSONS.iter().find(|one| one.number == lesson) else {
        return Ok(None);
    };
    let place = format!("lessons/{}/README", lesson.folder);
    let book = workspace()
        .join("target/book")
        .join(format!("{place}.html"));
    if has_windows() && book.is_file() && open::that_detached(&book).is_ok() {
        return Ok(None);
    }
    let page = Source::read(&workspace().join(format!("{place}.md")))?;
    Ok(Some(page.text))
}

/// Whether a browser could show itself.
fn has_windows() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set)
}
