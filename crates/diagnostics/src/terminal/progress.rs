//! A sign of life on a terminal.

use std::io::{IsTerminal, stderr};
use std::{thread, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a bar moves.
const TICK: Duration = Duration::from_millis(100);

/// A bar of so many steps, or without an end, that moves by itself, by a template of
/// indicatif's.
pub fn bar(steps: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(steps, target());
    bar.set_style(style(template));
    if !bar.is_hidden() {
        tick_by_itself(&bar);
    }
    bar
}

/// Where it is shown: not among rows that another program passes on to the terminal whenever it
/// likes, as in `| tee log`.
pub fn target() -> ProgressDrawTarget {
    if !stderr().is_terminal() {
        return ProgressDrawTarget::hidden();
    }
    #[cfg(unix)]
    {
        use super::stream::Stream;
        use std::os::unix::fs::FileTypeExt;
        /// How often it is drawn at most.
        const PER_SECOND: u8 = 20;
        let output = Stream::Output.as_it_is().and_then(|file| file.metadata());
        if output.is_ok_and(|output| output.file_type().is_fifo()) {
            return ProgressDrawTarget::hidden();
        }
        // Standard error as it is now.
        if let (Ok(read), Ok(write)) = (Stream::Error.as_it_is(), Stream::Error.as_it_is()) {
            let term = console::Term::read_write_pair(read, write);
            return ProgressDrawTarget::term(term, PER_SECOND);
        }
    }
    ProgressDrawTarget::stderr()
}

/// indicatif's style of this template.
pub fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.progress_chars("█▌░")
}

/// Has a bar move by itself as long as it is there. Where the system gives no thread for
/// that, it moves only when something happens (indicatif's own ticker would panic).
pub fn tick_by_itself(bar: &ProgressBar) {
    let bar = bar.downgrade();
    let tick = move || {
        while let Some(bar) = bar.upgrade() {
            // Before there is anything to say, and after, nothing is to be seen.
            if !bar.is_finished() && !bar.message().is_empty() {
                bar.tick();
            }
            drop(bar);
            thread::sleep(TICK);
        }
    };
    // Without the thread there is no sign of life, and nothing else is lost.
    let _ = thread::Builder::new().spawn(tick);
}
