//! How this process ends: by a signal from outside, with the terminal that a child leaves behind; and
//! by itself, with an exit status, and what it says of an error.

use std::io::{self, IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use colored::Colorize;
use common::error::{Error, Failure};
use diagnostics::terminal::show_error;
#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::events::{Event, Sender, is_child};

/// From what came of a command to the program's exit status; an error is told.
pub fn end(done: Result<ExitCode>) -> ExitCode {
    let error = match done {
        Ok(status) => return status,
        // Of a stream, of which nobody says what it was about: it is told as lessons do.
        Err(error) if error.chain().count() == 1 => error
            .downcast::<io::Error>()
            .map_or_else(|other| other, |stream| Error::Io(stream).into()),
        Err(error) => error,
    };
    let known = error.downcast_ref::<Error>();
    if known.is_some_and(Error::is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    let mut says = format!("{error:#}");
    if let Some(hint) = known.and_then(|error| error.told().next) {
        says += &format!("\n  next: {hint}");
    }
    tell(&says);
    let of_worker = error.downcast_ref().map(Failure::status);
    let status = known.map(Error::status).or(of_worker);
    // Of all others a file or a folder cannot be used.
    ExitCode::from(status.unwrap_or(2))
}

fn tell(error: &str) {
    show_error(&format!("{} ", "error:".red().bold()), error);
}

/// Whether what was typed can be shown.
///
/// # Errors
/// [`Error::Usage`] where an argument has a control character, but for those of another program.
pub fn must_be_shown() -> common::Result<()> {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    // Behind the word that cargo passes on, or without it.
    let is_of_calls = words.iter().take(2).any(|word| word == "calls");
    let mut own = words.into_iter().take_while(|word| !is_of_calls || word != "--");
    let unshown = own.find(|word| word.to_string_lossy().contains(char::is_control));
    unshown.map_or(Ok(()), |word| {
        let why = "has a control character, which no terminal can show";
        Err(Error::Usage(format!("the argument {word:?} {why}")))
    })
}

/// An error on standard error, with the next thing to try.
pub fn complain(error: &Error) {
    tell(&error.told().to_string());
}

/// The child's side: all is done and said, with this status, and the driver's own end may
/// come.
pub fn leave(status: u8) {
    // If the parent cannot be told, it says that the process died, which is half true.
    let _ = Sender::from_environment().and_then(|sender| sender.send(&Event::Leaving(status)));
}

/// The exit status of a parent or a child; what went wrong is told.
pub fn status_of(result: common::Result<u8>) -> u8 {
    let error = match result {
        Ok(status) => return status,
        Err(error) => error,
    };
    if error.is_closed_pipe() {
        return 0;
    }
    // The watcher sets the stage.
    let failed = || Sender::from_environment()?.send(&Event::Failed(Failure::of(&error)));
    let is_told = match &error {
        Error::Asked(_) => true,
        // Who watches goes on with the next kernel, or says why not.
        Error::OpenCl { .. } => is_child() && failed().is_ok(),
        _ => is_child() && failed().is_ok() && crate::worker::is_heard(),
    };
    if !is_told {
        complain(&error);
    }
    error.status()
}

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
            modes: tcgetattr(io::stdin()).ok(),
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
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, modes);
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
