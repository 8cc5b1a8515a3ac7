//! The exit status of a program of the course.

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use text::show_error;

use crate::finished::Refused;

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
