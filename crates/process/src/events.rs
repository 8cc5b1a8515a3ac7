//! What a lesson's process tells the process that watches it: a file of JSON
//! lines, one for each thing begun and each result. (A pipe on standard error would take the
//! terminal from the progress line, a socket needs more code.)

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use common::error::{Error, Result};
use common::file;
use common::numbers;
use common::record::Record;
use serde::{Deserialize, Serialize};

use crate::stage::Place;

/// The environment variable that names the file. Set, it also makes a lesson
/// do its work in this process instead of starting another.
pub const EVENTS_VARIABLE: &str = "OPENCL_COURSE_EVENTS";

/// Bytes of such a file at most: a thousand times those of a long lesson.
const LONGEST: u64 = 64 << 20;

/// One line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Something begins that may hang or crash, for example "running matmul_naive".
    Doing(String),
    /// A kernel begins: its record, as far as it is known before the launch.
    Begun(Box<Record>),
    /// A result, as `--json` prints it.
    Record(Box<Record>),
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
    /// The terminal's other screen shows this, or nothing any more.
    Stage(Option<Place>),
}

/// The writing end, where there is somebody to tell.
pub struct Sender(Option<(PathBuf, File)>);

impl Sender {
    /// Opens the file that the environment names, if it names one.
    pub fn from_environment() -> Result<Sender> {
        match std::env::var_os(EVENTS_VARIABLE) {
            Some(path) => Sender::to(Path::new(&path)),
            None => Ok(Sender(None)),
        }
    }

    /// Opens this file, to add to it.
    pub fn to(path: &Path) -> Result<Sender> {
        must_be_of_events(path)?;
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| Error::temporary(path, &error))?;
        Ok(Sender(Some((path.into(), file))))
    }

    /// Appends a line, at once: the process may die on what comes next.
    pub fn send(&mut self, event: &Event) -> Result<()> {
        if let Some((path, file)) = &mut self.0 {
            let mut line = serde_json::to_string(event).map_err(std::io::Error::from)?;
            line.push('\n');
            file.write_all(line.as_bytes())
                .map_err(|error| Error::temporary(path, &error))?;
        }
        Ok(())
    }
}

/// A person who sets the variable may name anything: a pipe would be waited for, and a
/// device has no end.
fn must_be_of_events(path: &Path) -> Result<()> {
    let Ok(there) = fs::metadata(path) else {
        return Ok(());
    };
    let kind = there.file_type();
    let why = if !kind.is_file() {
        format!("it is {}, not a regular file", file::name(kind))
    } else if there.len() > LONGEST {
        format!("it is larger than {}", numbers::bytes(LONGEST))
    } else {
        return Ok(());
    };
    let path = path.into();
    let why = format!(
        "{why}; {EVENTS_VARIABLE} names it, which lessons set by themselves\n  \
         next: unset {EVENTS_VARIABLE}"
    );
    Err(Error::File { path, why })
}

/// Reads what has been written so far. What is no event is left out: a last line that is
/// not complete yet, or what something else has written there.
pub fn read(path: &Path) -> Vec<Event> {
    of(&file::read(path, LONGEST).unwrap_or_default())
}

pub(crate) fn of(bytes: &[u8]) -> Vec<Event> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
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
