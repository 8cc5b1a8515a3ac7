//! Single keys, the mouse, and changes of size.

use std::io::{ErrorKind, Result};
use std::time::Duration;

use crossterm::event::{self, Event};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// The terminal gives single keys from now on, and shows none.
pub fn take_keys() {
    // A terminal that has gone away gives none: the first one that is awaited says so.
    let _ = enable_raw_mode();
}

/// The keys are the terminal's own again, Control-C among them.
pub fn give_keys_back() {
    let _ = disable_raw_mode();
}

/// Waits for something to happen, and not longer than this.
pub fn event_within(time: Duration) -> Result<Option<Event>> {
    // The first time for what was read together with the event before.
    for time in [Duration::ZERO, time] {
        if is_gone_within(time)? {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if event::poll(Duration::ZERO)? {
            return event::read().map(Some);
        }
    }
    Ok(None)
}

/// Waits for something to read; whether the terminal was closed meanwhile. crossterm must not
/// be asked of that one: it reads nothing from it, for ever.
#[cfg(unix)]
fn is_gone_within(time: Duration) -> Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let keys = std::io::stdin();
    let mut terminal = [PollFd::new(&keys, PollFlags::IN)];
    let time = time.try_into().map_err(std::io::Error::other)?;
    match poll(&mut terminal, Some(&time)) {
        // Its size changed, or another signal came.
        Ok(_) | Err(Errno::INTR) => Ok(terminal[0].revents().intersects(PollFlags::HUP)),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
fn is_gone_within(time: Duration) -> Result<bool> {
    event::poll(time).map(|_| false)
}
