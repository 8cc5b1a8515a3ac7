//! The terminal after a child that did not end by itself: such a child may have been
//! waiting for a key, with the terminal in raw mode.

use std::io::{IsTerminal, Write};

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// Back to the screen with the shell's lines, and the cursor shown (xterm's control
/// sequences, DECRST 1049 and DECTCEM).
const LEAVE_OTHER_SCREEN: &str = "\x1b[?1049l\x1b[?25h";

/// The modes of a terminal.
pub struct Terminal {
    #[cfg(unix)]
    modes: Option<Termios>,
}

impl Terminal {
    /// As it is now.
    pub fn now() -> Terminal {
        Terminal {
            #[cfg(unix)]
            modes: tcgetattr(std::io::stdin()).ok(),
        }
    }

    /// As it was; keys that were meant for the child are forgotten, and so is the
    /// progress line that it left behind, or the other screen, where it was `on_stage`.
    pub fn restore(&self, on_stage: bool) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            // A terminal that has gone away needs no order.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, modes);
        }
        if on_stage && std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "{LEAVE_OTHER_SCREEN}");
        }
        clear_line();
    }
}

/// A run that was cut short leaves its progress line behind.
pub fn clear_line() {
    if std::io::stderr().is_terminal() {
        // A terminal that has gone away shows nothing.
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
}
