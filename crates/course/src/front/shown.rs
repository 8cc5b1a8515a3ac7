//! What is read on the screen: what a command says, or a page.

use std::path::Path;

use anyhow::Result;
use common::source::{Source, workspace};
use text::screen::pane::Pane;

use crate::game::background::Background;

/// A text that scrolls.
pub struct Shown {
    /// The command that says it; none of a page.
    pub job: Option<Background>,
    page: String,
    pub pane: Pane,
}

impl Shown {
    /// What this command says.
    pub fn of(words: &[String]) -> Result<Shown> {
        Ok(Shown {
            job: Some(Background::start(words, true)?),
            page: String::new(),
            pane: Pane::default(),
        })
    }

    /// A page, by its place in the course without its end. Where the book is built, and there is
    /// a browser, it is opened there.
    pub fn page(place: &Path) -> Result<Option<Shown>> {
        let book = workspace().join("target/book").join(place);
        let book = book.with_extension("html");
        if has_windows() && book.is_file() && open::that_detached(&book).is_ok() {
            return Ok(None);
        }
        let page = Source::read(&workspace().join(place.with_extension("md")))?.text;
        let (job, pane) = (None, Pane::default());
        Ok(Some(Shown { job, page, pane }))
    }

    /// All of it so far, colours and all.
    pub fn text(&mut self) -> String {
        match &mut self.job {
            None => self.page.clone(),
            Some(job) => match job.said() {
                said if said.is_empty() && job.status().is_none() => "...".into(),
                said => said,
            },
        }
    }

    /// Whether more may come.
    pub fn is_busy(&mut self) -> bool {
        let job = self.job.as_mut();
        job.is_some_and(|job| job.status().is_none())
    }
}

/// Whether a browser could show itself.
fn has_windows() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set)
}
