//! A lesson, run in the ordinary screen.

use std::io::{Write, stdout};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use common::source::own_workspace;
use process::lessons::Lesson;
use text::aside;
use text::screen::crossterm::event::Event;
use text::screen::{self, event_within};

/// For how long a key is waited for at a time.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs a lesson, perhaps in steps, and comes back after a key.
pub fn run(lesson: &Lesson, in_steps: bool) -> Result<()> {
    screen::leave();
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
    screen::take_keys();
    // A terminal that has gone away is noticed on the map, too.
    while let Ok(event) = event_within(PAUSE)
        && !matches!(event, Some(Event::Key(_)))
    {}
    super::enter()
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
