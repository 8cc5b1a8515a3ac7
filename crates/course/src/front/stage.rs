//! The terminal: the course's own screen, and the ordinary one for a lesson.

use std::io::{Write, stdout};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use common::Error;
use common::source::own_workspace;
use process::lessons::Lesson;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use text::aside;

/// How long a key is waited for until files and checks are looked at.
pub const PAUSE: Duration = Duration::from_millis(50);
/// Whether the terminal tells of the mouse.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// Takes the terminal over; a panic gives it back.
pub fn enter() -> Result<DefaultTerminal> {
    Ok(ratatui::try_init().map_err(Error::Io)?)
}

/// Gives it back.
pub fn leave() {
    listen_to_the_mouse(false);
    ratatui::restore();
}

/// Has the terminal tell of the mouse, or leave it to the user, who marks text with it.
pub fn listen_to_the_mouse(listen: bool) {
    if LISTENS.swap(listen, Ordering::Relaxed) == listen {
        return;
    }
    // A terminal that has no mouse does nothing.
    let _ = if listen {
        execute!(stdout(), EnableMouseCapture)
    } else {
        execute!(stdout(), DisableMouseCapture)
    };
}

/// Waits for something to read, and not longer than this; whether the terminal was closed
/// meanwhile. crossterm must not be asked of that one: it reads nothing from it, for ever.
#[cfg(unix)]
pub fn is_gone_within(time: Duration) -> Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let keys = std::io::stdin();
    let mut terminal = [PollFd::new(&keys, PollFlags::IN)];
    match poll(&mut terminal, Some(&time.try_into()?)) {
        // Its size changed, or another signal came.
        Ok(_) | Err(Errno::INTR) => Ok(terminal[0].revents().intersects(PollFlags::HUP)),
        Err(error) => Err(Error::Io(error.into()).into()),
    }
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
pub fn is_gone_within(time: Duration) -> Result<bool> {
    event::poll(time)?;
    Ok(false)
}

/// Runs a lesson in the ordinary screen, and comes back after a key.
pub fn run(terminal: &mut DefaultTerminal, lesson: &Lesson, in_steps: bool) -> Result<()> {
    leave();
    let mut command = command(lesson)?;
    let flag = if in_steps { " -- --step" } else { "" };
    if in_steps {
        command.arg("--step");
    }
    // Over what the shell left there: building takes a while, the first time.
    writeln!(stdout(), "\n$ cargo run -p {}{flag}\n", lesson.package())?;
    if let Err(error) = command.status() {
        aside!("{} cannot be started: {error}", lesson.package());
    }
    write!(stdout(), "\nAny key leads back to the map.")?;
    stdout().flush()?;
    enable_raw_mode()?;
    while !is_gone_within(PAUSE)? {
        if event::poll(Duration::ZERO)? && matches!(event::read()?, Event::Key(_)) {
            break;
        }
    }
    disable_raw_mode()?;
    *terminal = enter()?;
    Ok(())
}

/// By cargo where it started the course, so that the lesson is built; else as it is.
fn command(lesson: &Lesson) -> Result<Command> {
    let Some(cargo) = std::env::var_os("CARGO") else {
        return lesson.command();
    };
    let mut command = Command::new(cargo);
    command
        .args(["run", "-p", &lesson.package(), "--manifest-path"])
        .arg(own_workspace().join("Cargo.toml"))
        .arg("--");
    Ok(command)
}
