//! What ends this process from outside, and the terminal that a child leaves behind.

use std::io::{IsTerminal, Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// The signals that have come, heard instead of obeyed, until what this process has started is
/// put in order; the default hears none.
#[derive(Default)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Hears a closed terminal, Ctrl-C, Ctrl-\ and kill from now on. What the system does
    /// not let it hear ends the process as ever.
    pub fn heard() -> Signals {
        let signals = Signals::default();
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
                let (number, last) = (signal as usize, signals.0.clone());
                let _ = signal_hook::flag::register_usize(signal, last, number);
            }
        }
        signals
    }

    /// Whether one has come.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Forgets what came: it was meant for another program on the same terminal.
    pub fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Does what the last one asks for, if one has come: this process ends by it.
    pub fn obey(&self) {
        #[cfg(unix)]
        if self.came() {
            let signal = self.0.load(Ordering::Relaxed) as i32;
            // It does not come back, unless the number is no signal.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// The modes of a terminal: a child that died may have been waiting for a key, in raw mode.
pub(crate) struct Terminal {
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
        // xterm's DECRST 1049, back to the shell's lines, and DECTCEM, which shows the cursor.
        const LEAVE_OTHER_SCREEN: &str = "\x1b[?1049l\x1b[?25h";
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            // A terminal that has gone away needs no order.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Flush, modes);
        }
        if on_stage && stderr().is_terminal() {
            let _ = write!(stderr(), "{LEAVE_OTHER_SCREEN}");
        }
        clear_line();
    }
}

/// A run that was cut short leaves its progress line behind.
pub fn clear_line() {
    if stderr().is_terminal() {
        // A terminal that has gone away shows nothing.
        let _ = write!(stderr(), "\r\x1b[2K");
    }
}
