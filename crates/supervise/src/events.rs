//! What a lesson's process tells the process that watches it: a file of JSON
//! lines, one for each thing begun and each result.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use common::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The environment variable that names the file. Set, it also makes a lesson
/// do its work in this process instead of starting another.
pub const EVENTS_VARIABLE: &str = "OPENCL_COURSE_EVENTS";

/// One line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Something begins that may hang or crash, for example "running matmul_naive".
    Doing(String),
    /// A kernel begins: its record, as far as it is known before the launch.
    Begun(Value),
    /// A result, as `--json` prints it.
    Record(Value),
    /// The kernel has come to its end.
    Ended,
    /// The device failed, and with it this process: why, in words.
    Failed(String),
    /// A person is awaited, who may take any time.
    Paused,
    /// And has come.
    Resumed,
    /// All is done and said, and this is the exit status: what is left is the driver's
    /// own end.
    Leaving(u8),
}

/// The writing end.
pub struct Sender(Option<File>);

impl Sender {
    /// Opens the file that the environment names, if it names one.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn from_environment() -> Result<Sender> {
        match std::env::var_os(EVENTS_VARIABLE) {
            Some(path) => Sender::to(Path::new(&path)),
            None => Ok(Sender(None)),
        }
    }

    /// Opens this file, to add to it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn to(path: &Path) -> Result<Sender> {
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| Error::File {
            path: path.into(),
            why: format!(
                "{error}\n  it is where a lesson tells its parent what it does, in the folder for \
                 temporary files\n  next: export TMPDIR=/another/folder   which exists and has room"
            ),
        })?;
        Ok(Sender(Some(file)))
    }

    /// Appends a line, at once: the process may die on what comes next.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn send(&mut self, event: &Event) -> Result<()> {
        if let Some(file) = &mut self.0 {
            let mut line = serde_json::to_string(event).map_err(std::io::Error::from)?;
            line.push('\n');
            file.write_all(line.as_bytes())?;
        }
        Ok(())
    }
}

/// Reads what has been written so far; a last line that is not complete yet is
/// left out.
pub fn read(path: &Path) -> Vec<Event> {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// What was begun last, for example "running matmul_naive".
pub fn doing(events: &[Event]) -> &str {
    let begun = events.iter().rev().find_map(|event| match event {
        Event::Doing(what) => Some(what.as_str()),
        _ => None,
    });
    begun.unwrap_or("starting")
}
