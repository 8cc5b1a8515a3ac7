//! Long output a screen at a time, where standard output is a terminal: by `$PAGER`, else by
//! `less`. What fits on the screen is printed as ever.

use std::env;
use std::fs::File;
use std::io::{Write, stdout};
use std::process::{Child, Command, Stdio};

use text::stream::Stream;
use text::wrap;

/// Standard output goes through the pager until this is dropped; then it is waited until the
/// reader has read.
pub struct Pager {
    /// The pager, and where the output went before.
    pages: Option<(Child, File)>,
}

/// What git has `less` do, too: no pages where one screen is enough (F), colours (R), and
/// what was read stays on the screen (X).
const LESS: &str = "FRX";

impl Pager {
    /// From now on. Without a terminal, and without a pager, nothing changes.
    pub fn begin() -> Pager {
        #[cfg(unix)]
        return Pager { pages: pages() };
        #[cfg(not(unix))]
        Pager { pages: None }
    }
}

#[cfg(unix)]
fn pages() -> Option<(Child, File)> {
    use std::os::fd::OwnedFd;
    let columns = wrap::stdout_columns()?;
    let colours = colored::control::SHOULD_COLORIZE.should_colorize();
    let own = Stream::Output.as_it_is().ok()?;
    let mut child = command()?.stdin(Stdio::piped()).spawn().ok()?;
    let pipe = OwnedFd::from(child.stdin.take()?);
    Stream::Output.send_to(&pipe.into()).ok()?;
    // For the terminal, although it is a pipe now.
    wrap::fix_stdout_columns(columns);
    colored::control::set_override(colours);
    Some((child, own))
}

/// None where `$PAGER` is empty or `cat`: pages are not wanted.
#[cfg(unix)]
fn command() -> Option<Command> {
    let named = env::var("PAGER");
    // Where `less` is missing, it does not start.
    let mut command = Command::new(if named.is_ok() { "sh" } else { "less" });
    match named.as_deref().map(str::trim) {
        Ok("" | "cat") => return None,
        Ok(line) => drop(command.args(["-c", line])),
        Err(_) => {}
    }
    if env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    Some(command)
}

impl Drop for Pager {
    fn drop(&mut self) {
        if let Some((pager, own)) = &mut self.pages {
            // Ctrl-C is the pager's, which would be left behind.
            let _ = process::Signals::heard();
            // A reader who has left early misses nothing.
            let _ = stdout().flush();
            // The pipe's last end closes, which ends the text.
            let _ = Stream::Output.send_to(own);
            let _ = pager.wait();
        }
    }
}
