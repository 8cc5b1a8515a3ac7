//! The terminal, taken as a whole and given back: its other screen, which has no scrollback,
//! and single keys.

use std::io::{Result, Write, stderr};
use std::sync::{Mutex, MutexGuard, Once};

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use text::stream::Stream;

use super::overheard::Overheard;

/// The other screen, while it is shown.
struct Taken {
    /// What others print meanwhile; where that cannot be, they print on the screen.
    overheard: Option<Overheard>,
}

static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

fn taken() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(|poison| poison.into_inner())
}

/// Takes the terminal, and gives the way to draw on it.
///
/// # Errors
/// When it takes no order.
pub(super) fn enter() -> Result<Box<dyn Write + Send>> {
    leave_on_panic();
    // Asked while standard error is the terminal.
    console::colors_enabled_stderr();
    let mut screen: Box<dyn Write + Send> = match Stream::Error.as_it_is() {
        Ok(own) => Box::new(own),
        Err(_) => Box::new(stderr()),
    };
    execute!(screen, EnterAlternateScreen)?;
    let overheard = Overheard::begin();
    *taken() = Some(Taken { overheard });
    Ok(screen)
}

/// Whether it is taken.
pub(super) fn is_taken() -> bool {
    taken().is_some()
}

/// What others have printed since this was asked last.
pub(super) fn overheard() -> String {
    let mut taken = taken();
    let overheard = taken.as_mut().and_then(|taken| taken.overheard.as_mut());
    overheard.map_or(String::new(), Overheard::news)
}

/// Gives the terminal back, if it was taken, and passes on what others have printed.
pub(super) fn leave() {
    let Some(Taken { overheard }) = taken().take() else {
        return;
    };
    // A terminal that has gone away needs nothing.
    let _ = disable_raw_mode();
    let overheard = overheard.inspect(Overheard::end);
    let _ = execute!(stderr(), LeaveAlternateScreen, Show);
    if let Some(overheard) = overheard {
        overheard.pass_on();
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
