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
        let waits = wait(time)?;
        if event::poll(Duration::ZERO)? || waits && ring_again()? {
            return event::read().map(Some);
        }
    }
    Ok(None)
}

/// Waits for something to read; whether there is. crossterm must not be asked of a terminal that
/// was closed meanwhile: it reads nothing from it, for ever.
#[cfg(unix)]
fn wait(time: Duration) -> Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let keys = std::io::stdin();
    let mut terminal = [PollFd::new(&keys, PollFlags::IN)];
    let time = time.try_into().map_err(std::io::Error::other)?;
    match poll(&mut terminal, Some(&time)) {
        Ok(_) if terminal[0].revents().contains(PollFlags::HUP) => {
            Err(ErrorKind::UnexpectedEof.into())
        }
        Ok(ready) => Ok(ready > 0),
        // Its size changed, or another signal came.
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether crossterm sees the key that waits, once the terminal has told of it again. Of a change
/// of size and a key at the same moment crossterm takes one, and the system tells of each but once:
/// the key would wait for the next one. Setting the modes that are set wakes who waits for keys.
#[cfg(unix)]
fn ring_again() -> Result<bool> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let keys = std::io::stdin();
    if let Ok(modes) = tcgetattr(&keys) {
        let _ = tcsetattr(&keys, OptionalActions::Now, &modes);
    }
    event::poll(Duration::ZERO)
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
fn wait(time: Duration) -> Result<bool> {
    event::poll(time)
}

/// Elsewhere no key is lost.
#[cfg(not(unix))]
fn ring_again() -> Result<bool> {
    Ok(false)
}
