//! What a lesson's process tells the process that watches it: a file of JSON lines, one for
//! each thing begun and each result, in a folder that is gone when the lesson is. (A pipe on
//! standard error would take the terminal from the progress line, a socket needs more code.)

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use common::stage::{Death, Stage};
use common::{Error, Result, error::Failure, file, outcome::Outcome, record::Record, timing::Peak};
use diagnostics::{aside, terminal::plain};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scratch::Scratch;

/// The environment variable that names the folder. Set, it also makes a program do its work in
/// this process instead of starting another.
pub const WORK_VARIABLE: &str = "OPENCL_COURSE_WORK";

/// Bytes of such a file at most, and of what lies beside it: a thousand times those of a long lesson.
const LONGEST: u64 = 64 << 20;

/// The file's name.
pub const NAME: &str = "events.jsonl";

/// What lies beside it, where somebody has made it: what a simulator reports; what a driver says
/// while it builds; what is printed while a lesson has the whole terminal.
pub(crate) const SIMULATOR_LOG: &str = "oclgrind";
pub(crate) const DRIVERS_WORDS: &str = "words";
pub(crate) const PRINTED: &str = "printed";

/// One line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Something begins that may hang or crash.
    Doing(Stage),
    /// The device is chosen.
    Device {
        /// Its implementation.
        platform: String,
        /// With `--all-devices`: those that there are.
        all: Vec<String>,
    },
    /// A kernel begins.
    Begun {
        /// Its name, with the variant.
        kernel: String,
        /// The function alone.
        function: String,
    },
    /// It took its process down.
    Died(Death),
    /// What the device does at most, as it was measured.
    Peak(Peak),
    /// A result, and its outcome: the record's own JSON has only words of that.
    Record(Box<Record>, Outcome),
    /// The kernel has come to its end.
    Ended,
    /// A trial begins: it may take this process down, or longer than the limit, and the lesson
    /// goes on with what comes next. What it does is not told.
    Trial {
        /// What it is, for the lesson.
        what: Value,
        /// Now.
        begun: SystemTime,
        /// How long it may take.
        limit: Duration,
    },
    /// It took the process down.
    Lost(Lost),
    /// What is asked for, where that is no record.
    Answer(Value),
    /// An error ends this process before its work is done.
    Failed(Failure),
    /// A person is awaited, who may take any time.
    Paused,
    /// And has come.
    Resumed,
    /// The task is done, and nothing was wrong: the worker awaits another one.
    Done,
    /// All is done and said, and this is the exit status: what is left is the driver's
    /// own end.
    Leaving(u8),
    /// The terminal's other screen is taken, or given back.
    Stage(bool),
}

impl From<Record> for Event {
    fn from(record: Record) -> Event {
        let outcome = record.outcome.clone();
        Event::Record(record.into(), outcome)
    }
}

/// A trial that took its process down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lost {
    /// What it was.
    pub what: Value,
    /// How the process ended.
    pub death: Death,
    /// How long the trial took.
    pub taken: Duration,
}

/// The worker's side: the folder that its watcher has made for it.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os(WORK_VARIABLE).map(PathBuf::from)
}

/// True in a worker.
pub fn is_child() -> bool {
    folder().is_some()
}

/// The writing end, where there is somebody to tell.
#[derive(Default)]
pub struct Sender(Option<(PathBuf, File)>);

impl Sender {
    /// Opens the file in the folder that the environment names, if it names one.
    pub fn from_environment() -> Result<Sender> {
        folder().map_or(Ok(Sender(None)), |folder| Sender::to(&folder.join(NAME)))
    }

    /// Opens this file, to add to it.
    pub fn to(path: &Path) -> Result<Sender> {
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| Error::temporary(path, &error))?;
        Ok(Sender(Some((path.into(), file))))
    }

    /// Appends a line, at once: the process may die on what comes next.
    pub fn send(&self, event: &Event) -> Result<()> {
        let Some((path, file)) = &self.0 else { return Ok(()) };
        let line = serde_json::to_string(event).map_err(std::io::Error::from)? + "\n";
        let written = (&*file).write_all(line.as_bytes());
        written.map_err(|error| Error::temporary(path, &error))
    }
}

/// What a worker has written so far. It is read as far as somebody asks for it.
pub struct Written(Vec<u8>);

impl Written {
    /// What stands in this file; nothing where it cannot be read.
    pub fn at(path: &Path) -> Written {
        Written(file::read(path, LONGEST).unwrap_or_default())
    }

    /// All of it. What is no event is left out: a last line that is not complete yet, or what
    /// something else has written there.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Event> {
        self.0.split_inclusive(|byte| *byte == b'\n').filter_map(|line| {
            let mut event = serde_json::from_slice(line).ok()?;
            if let Event::Record(record, outcome) = &mut event {
                record.outcome.clone_from(outcome);
            }
            Some(event)
        })
    }

    /// What came last.
    pub fn last(&self) -> Option<Event> {
        self.events().next_back()
    }

    /// What was begun last.
    pub fn stage(&self) -> Stage {
        let begun = self.events().rev().find_map(|event| match event {
            Event::Doing(stage) => Some(stage),
            _ => None,
        });
        begun.unwrap_or_default()
    }

    /// Whether the child that wrote this had the other screen when it ended.
    pub fn is_on_stage(&self) -> bool {
        let last = self.events().rfind(|event| matches!(event, Event::Stage(_)));
        matches!(last, Some(Event::Stage(true)))
    }
}

/// The child's side: the file for what others print while it has the whole terminal. Where it does
/// not live to pass it on, its parent does. None where nobody watches.
pub fn file_for_printed() -> Option<PathBuf> {
    Some(folder()?.join(PRINTED))
}

/// The folder of a worker: its file of events and what lies beside that. It goes with its owner.
pub(crate) struct EventsFile {
    pub folder: Scratch,
    pub path: PathBuf,
    /// Adds to it.
    pub sender: Sender,
}

impl EventsFile {
    /// Makes one.
    pub fn new() -> Result<EventsFile> {
        let folder = Scratch::new()?;
        let path = folder.0.join(NAME);
        Ok(EventsFile { sender: Sender::to(&path)?, path, folder })
    }

    /// What a child has written so far.
    pub fn read(&self) -> Written {
        Written::at(&self.path)
    }

    /// What somebody has printed into this file beside it, without what a terminal would obey.
    pub fn said(&self, name: &str) -> String {
        let said = file::read(&self.folder.0.join(name), LONGEST).unwrap_or_default();
        plain(&String::from_utf8_lossy(&said))
    }

    /// Passes on what was said before a child ended, and it did not.
    pub fn pass_on(&self, name: &str) {
        let words = self.said(name);
        if !words.trim().is_empty() {
            aside!("{}", words.trim_end());
        }
        // Another child may have words of its own.
        let _ = fs::remove_file(self.folder.0.join(name));
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        // What cannot be forgotten is only what a child did before.
        let _ = File::create(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Written {
        /// What a worker writes that tells this.
        pub fn of(events: &[Event]) -> Written {
            let lines = events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n");
            Written(lines.collect::<String>().into())
        }

        /// Whatever bytes these are.
        pub fn of_bytes(bytes: &[u8]) -> Written {
            Written(bytes.into())
        }
    }

    #[test]
    fn a_file_goes_with_its_owner() {
        let file = EventsFile::new().unwrap();
        let path = file.path.clone();
        assert_eq!(fs::read(&path).unwrap(), b"");
        drop(file);
        assert!(!path.exists());
    }
}
