//! What a lesson that ran as a child left behind. A kernel that crashes or hangs takes
//! the child down and nobody else.
//!
//! [`Lesson::command`](crate::lessons::Lesson::command) starts one.

use std::process::{Command, ExitCode, ExitStatus, Output};

use anyhow::Result;
use common::failure::Failure;
use common::record::Record;
use diagnostics::terminal::plain;

/// A child that ended before its work was done: its own words, and its exit status.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// What it said.
    pub message: String,
    /// Its exit status, which becomes ours.
    pub status: u8,
}

impl From<&Failure> for Refused {
    fn from(failure: &Failure) -> Refused {
        Refused {
            message: failure.to_string(),
            status: failure.status(),
        }
    }
}

impl Refused {
    /// The child's exit status, which becomes ours.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

/// A child that has ended, by itself or not.
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its results.
    pub stdout: String,
    /// Everything else that it said.
    pub stderr: String,
}

impl Finished {
    /// Runs a child to its end, however long that takes: a lesson ends by its own time-out.
    pub fn of(command: &mut Command) -> Result<Finished> {
        Ok(Finished::from(&command.output()?))
    }

    /// What it measured on its device, with `--json`; it may print lines of other kinds.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let lines = self.stdout.lines();
        let records = lines.filter_map(|line| serde_json::from_str::<Record>(line).ok());
        records.filter(|record| record.platform != "host")
    }

    /// Its message, without what the driver wrote before; of a child that left none, how
    /// it ended.
    pub fn message(&self) -> String {
        let words = self.stderr.split_once("error:");
        match words.map_or(&*self.stderr, |(_, words)| words).trim() {
            "" => format!("it ended with {}", self.status),
            words => plain(words),
        }
    }

    /// Its message and its exit status as an error of ours, for what it leaves undone.
    pub fn refused(&self) -> Refused {
        Refused {
            message: self.message(),
            status: child_status(self.status),
        }
    }

    /// The first line of its message.
    pub fn complaint(&self) -> String {
        let message = self.message();
        message.lines().next().unwrap_or_default().to_string()
    }
}

impl From<&Output> for Finished {
    fn from(output: &Output) -> Finished {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Finished {
            status: output.status,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

/// How a process of the course ended. One that was ended from outside tells as little as
/// a device that failed.
pub fn child_status(ended: ExitStatus) -> u8 {
    ended.code().map_or(5, |status| status as u8)
}
