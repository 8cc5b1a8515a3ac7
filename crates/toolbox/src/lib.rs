//! What the learner's `course` and the makers' `makers` share.
//!
//! # Layout
//!
//! - [`lessons`] is the one list of them, and [`child`] what one of them left that ran as a
//!   process of its own.
//! - [`implementations`] of OpenCL are those that the course is checked on; [`simulator`] is
//!   the one of them that sees every access. [`devices`] are those that lesson 1 lists.
//! - [`machine`] is what this one tells of itself, [`packages`] how it gets what it lacks.
//! - What is kept below `data/`: a [`recording`] of a lesson, [`reports`] of all of them,
//!   and [`peers`], the course beside libraries, on certain [`shapes`].
//! - [`scratch`] is for files that nobody needs later.

pub mod child;
pub mod devices;
pub mod implementations;
pub mod lessons;
pub mod machine;
pub mod packages;
pub mod peers;
pub mod recording;
pub mod reports;
pub mod scratch;
pub mod shapes;
pub mod simulator;

use std::io;
use std::process::{Command, ExitCode};

use anyhow::Result;
use colored::Colorize;
use common::shape::Shape;
use text::show_error;

use child::Refused;

/// From what came of a command to the program's exit status; an error is told.
pub fn end(done: Result<ExitCode>) -> ExitCode {
    match done.map_err(of_streams) {
        Ok(status) => status,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let known = error.downcast_ref::<common::Error>();
            let mut message = format!("{} {error:#}", "error:".red().bold());
            let hint = known.and_then(common::Error::hint);
            // What a child said ends with one.
            if let Some(hint) = hint.filter(|_| !message.contains("\n  next:")) {
                message.push_str(&format!("\n  next: {hint}"));
            }
            show_error(message);
            let refused = error.downcast_ref().map(Refused::exit_code);
            let known = known.map(common::Error::exit_code);
            known.or(refused).unwrap_or(ExitCode::FAILURE)
        }
    }
}

/// An error of a stream, of which nobody says what it was about, is told as lessons do.
fn of_streams(error: anyhow::Error) -> anyhow::Error {
    if error.chain().count() > 1 {
        return error;
    }
    let told = |error| common::Error::Io(error).into();
    error
        .downcast::<io::Error>()
        .map_or_else(|other| other, told)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<common::Error>()
        .is_some_and(common::Error::is_closed_pipe)
}

/// The date by the system's own command: a recording says when it was made.
pub fn date(format: &str) -> Result<String> {
    let output = Command::new("date").arg(format).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// "1024", or "37x91x53" where the sides differ.
pub fn size_name(s: Shape) -> String {
    if s.m == s.n && s.n == s.k {
        s.m.to_string()
    } else {
        s.to_string()
    }
}
