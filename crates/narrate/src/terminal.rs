//! The terminal, taken as a whole and given back: its other screen, which has no scrollback,
//! and single keys.

use std::io::{Result, stderr};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// Whether the other screen is shown.
static ON: AtomicBool = AtomicBool::new(false);

/// Takes the terminal.
///
/// # Errors
/// When it takes no order.
pub(super) fn enter() -> Result<()> {
    leave_on_panic();
    ON.store(true, Ordering::SeqCst);
    execute!(stderr(), EnterAlternateScreen)
}

/// Whether it is taken.
pub(super) fn is_taken() -> bool {
    ON.load(Ordering::SeqCst)
}

/// Gives the terminal back, if it was taken.
pub(super) fn leave() {
    if ON.swap(false, Ordering::SeqCst) {
        // A terminal that has gone away needs nothing.
        let _ = disable_raw_mode();
        let _ = execute!(stderr(), LeaveAlternateScreen, Show);
    }
}

/// A panic's message is to be read.
fn leave_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            told(panic);
        }));
    });
}

/// While it lives the terminal gives single keys, and shows none.
pub(super) struct Keys;

impl Keys {
    pub fn taken() -> Keys {
        // A terminal that has gone away gives none: the first one that is awaited says so.
        let _ = enable_raw_mode();
        Keys
    }

    /// Does something that may take long: Control-C is the terminal's own meanwhile.
    pub fn given_back<T>(work: impl FnOnce() -> T) -> T {
        let _ = disable_raw_mode();
        let done = work();
        let _ = enable_raw_mode();
        done
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}
