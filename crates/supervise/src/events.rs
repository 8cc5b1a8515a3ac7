//! What a lesson's process tells the process that watches it: a file of JSON
//! lines, one for each thing begun and each result.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::error::{Error, Result};
use common::record::Record;
use serde::{Deserialize, Serialize};

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

/// Reads what has been written so far; a last line that is not complete yet is
/// left out.
pub fn read(path: &Path) -> Vec<Event> {
    fs::read_to_string(path)
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

/// A file for events that goes away with its owner. Ctrl-C ends the owner at once, so
/// the next one clears away what is older than any lesson.
pub(crate) struct EventsFile(pub PathBuf);

impl EventsFile {
    const BEGIN: &str = "opencl-course-events-";

    pub fn new() -> EventsFile {
        let folder = std::env::temp_dir();
        EventsFile::clear_old(&folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{}{}-{}.jsonl",
            EventsFile::BEGIN,
            std::process::id(),
            now.map_or(0, |now| now.as_nanos())
        );
        EventsFile(folder.join(name))
    }

    /// A file beside it, for what a simulator reports.
    pub fn simulator_log(&self) -> PathBuf {
        self.0.with_extension("oclgrind")
    }

    fn clear_old(folder: &Path) {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_ours = name.to_string_lossy().starts_with(EventsFile::BEGIN);
            let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
            if is_ours && age().is_some_and(|age| age > DAY) {
                // Another may have been quicker.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        // Nothing to do about a file that cannot be removed from a temporary folder.
        let _ = fs::remove_file(&self.0);
    }
}

impl Drop for EventsFile {
    fn drop(&mut self) {
        self.clear();
        // Only a simulator makes it.
        let _ = fs::remove_file(self.simulator_log());
    }
}
