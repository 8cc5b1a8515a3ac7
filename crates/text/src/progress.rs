//! A sign of life on a terminal.

use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;

/// How often a bar moves.
const TICK: Duration = Duration::from_millis(100);

/// Has a bar move by itself as long as it is there. Where the system gives no thread for
/// that, it moves only when something happens (indicatif's own ticker would panic).
pub fn tick_by_itself(bar: &ProgressBar) {
    if bar.is_hidden() {
        return;
    }
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
