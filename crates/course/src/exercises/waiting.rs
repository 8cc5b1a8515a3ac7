//! A sign of life while the checks run.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A sign of life on a terminal, until it is dropped.
pub struct Waiting(ProgressBar);

impl Waiting {
    /// Shows what is being done.
    pub fn begin(doing: &'static str) -> Waiting {
        let spinner = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg} {elapsed}") {
            spinner.set_style(style);
        }
        spinner.set_message(doing);
        spinner.enable_steady_tick(Duration::from_millis(100));
        Waiting(spinner)
    }

    /// Shows what is done next.
    pub fn goes_on(&self, doing: &'static str) {
        self.0.set_message(doing);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
