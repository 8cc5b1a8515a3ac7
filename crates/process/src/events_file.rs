//! The file of events of a lesson: in the folder for temporary files, and gone when the
//! lesson is. Its owner holds it by a lock, which ends with the owner, however that ends.
//! So the next lesson sees which files nobody needs any more.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use common::error::{Error, Result};
use common::file;
use text::{aside, plain};

use crate::limits;

/// Bytes that are read of what was said.
const LONGEST: u64 = 1 << 20;

const BEGIN: &str = "opencl-course-events-";

/// A file for events that goes away with its owner.
pub(crate) struct EventsFile {
    pub path: PathBuf,
    held: File,
}

impl EventsFile {
    /// Makes one, and clears away what others have left.
    ///
    /// # Errors
    /// When the folder for temporary files is not there, or full.
    pub fn new() -> Result<EventsFile> {
        let folder = std::env::temp_dir();
        clear_left_behind(&folder);
        loop {
            let path = folder.join(name());
            let file = File::options().append(true).create_new(true).open(&path);
            let held = file.map_err(|error| Error::temporary(&path, &error))?;
            // Where files cannot be locked, nobody clears them away.
            let _ = held.lock();
            // Another lesson may have cleared it away before it was held.
            if path.exists() {
                return Ok(EventsFile { path, held });
            }
        }
    }

    /// The file beside it that takes this.
    pub fn beside(&self, what: Beside) -> PathBuf {
        what.of(&self.path)
    }

    /// Passes on what was said before a child ended, and it did not.
    pub fn pass_on(&self, what: Beside) {
        let path = self.beside(what);
        let words = file::read(&path, LONGEST).unwrap_or_default();
        let words = plain(&String::from_utf8_lossy(&words));
        if !words.trim().is_empty() {
            aside!("{}", words.trim_end());
        }
        // Another child may have words of its own.
        let _ = fs::remove_file(path);
    }

    /// # Errors
    /// When nothing more can be written to it. A child could not tell how it ended, then:
    /// that is what is to be told.
    pub fn must_have_room(&self) -> Result<()> {
        // To write more than `ulimit -f` allows would end this process.
        if limits::is_set_for_files() {
            return Ok(());
        }
        // An empty line says nothing.
        let written = (&self.held).write_all(b"\n");
        written.map_err(|error| Error::temporary(&self.path, &error))
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        // What cannot be forgotten is only what a child did before.
        let _ = self.held.set_len(0);
    }
}

impl Drop for EventsFile {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// What lies beside a file of events, where somebody has made it.
#[derive(Clone, Copy)]
pub(crate) enum Beside {
    /// What a simulator reports.
    SimulatorLog,
    /// What a driver says while it builds.
    DriversWords,
    /// What is printed while a lesson has the whole terminal.
    Printed,
}

impl Beside {
    const ALL: [Beside; 3] = [Beside::SimulatorLog, Beside::DriversWords, Beside::Printed];

    /// Its file, beside this one.
    pub fn of(self, events: &Path) -> PathBuf {
        events.with_extension(match self {
            Beside::SimulatorLog => "oclgrind",
            Beside::DriversWords => "words",
            Beside::Printed => "printed",
        })
    }
}

/// Removes a file of events and what lies beside it.
fn remove(events: &Path) {
    // Nothing to do about a file that cannot be removed from a temporary folder.
    let _ = fs::remove_file(events);
    for beside in Beside::ALL {
        let _ = fs::remove_file(beside.of(events));
    }
}

fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    format!("{BEGIN}{}-{now}.jsonl", std::process::id())
}

/// Removes the files whose owners have ended.
fn clear_left_behind(folder: &Path) {
    for (path, file) in files(folder) {
        if file.try_lock().is_ok() {
            // Another may have been quicker.
            remove(&path);
        }
    }
}

/// The files of this user's lessons that go on now.
pub(crate) fn of_living_lessons() -> Vec<PathBuf> {
    let folder = std::env::temp_dir();
    let living =
        files(&folder).filter(|(_, file)| file.try_lock().is_err() && is_of_this_user(file));
    living.map(|(path, _)| path).collect()
}

/// Nobody else tells this user what to read: the folder is everybody's.
fn is_of_this_user(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = file.metadata().map(|file| file.uid());
        owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    true
}

/// The files of events in a folder, opened.
fn files(folder: &Path) -> impl Iterator<Item = (PathBuf, File)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(BEGIN) && name.ends_with(".jsonl");
        // Not a pipe of this name, which would be waited for, nor where a link points.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let file = (is_ours && is_file).then(|| File::open(entry.path()));
        Some((entry.path(), file?.ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_lesson_left_is_cleared_away_and_what_a_living_one_writes_is_not() {
        let folder = std::env::temp_dir().join(format!("course-events-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [left, held, other] = ["1-2.jsonl", "3-4.jsonl", ""].map(|end| match end {
            "" => folder.join("notes.jsonl"),
            end => folder.join(format!("{BEGIN}{end}")),
        });
        for path in [&left, &held, &other] {
            fs::write(path, "{}\n").unwrap();
        }
        let owner = File::open(&held).unwrap();
        owner.lock().unwrap();
        clear_left_behind(&folder);
        assert_eq!(
            [left, held, other].map(|path| path.exists()),
            [false, true, true]
        );
        drop(owner);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_goes_with_its_owner_and_forgets_when_asked() {
        let file = EventsFile::new().unwrap();
        let path = file.path.clone();
        file.must_have_room().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"\n");
        file.clear();
        assert!(fs::read(&path).unwrap().is_empty());
        drop(file);
        assert!(!path.exists());
    }
}
