//! The file of events of a lesson, in a folder that is gone when the lesson is, with what
//! else its child leaves there.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use common::error::{Error, Result};
use common::file;
use common::program::words::OF_KERNELS;
use text::{aside, plain};

use crate::limits;
use crate::scratch::{self, Scratch};

/// Bytes that are read of what was said.
const LONGEST: u64 = 1 << 20;

const NAME: &str = "events.jsonl";
const WORDS: &str = "words";

/// A file for events that goes away with its owner.
pub(crate) struct EventsFile {
    pub path: PathBuf,
    file: File,
    _folder: Scratch,
}

impl EventsFile {
    /// Makes one.
    pub fn new() -> Result<EventsFile> {
        let folder = Scratch::new()?;
        let path = folder.0.join(NAME);
        let file = File::options().append(true).create_new(true).open(&path);
        let file = file.map_err(|error| Error::temporary(&path, &error))?;
        Ok(EventsFile {
            path,
            file,
            _folder: folder,
        })
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
        let written = (&self.file).write_all(b"\n");
        written.map_err(|error| Error::temporary(&self.path, &error))
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        // What cannot be forgotten is only what a child did before.
        let _ = self.file.set_len(0);
    }
}

/// The files of this user's lessons that go on now.
pub(crate) fn of_living_lessons() -> impl Iterator<Item = PathBuf> {
    let folders = scratch::of_the_living().into_iter();
    folders.map(|folder| folder.join(NAME))
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
    /// What kernels print.
    OfKernels,
}

impl Beside {
    /// Its file, beside this one.
    pub fn of(self, events: &Path) -> PathBuf {
        events.with_file_name(match self {
            Beside::SimulatorLog => "oclgrind",
            Beside::DriversWords => WORDS,
            Beside::OfKernels => return events.with_file_name(WORDS).with_extension(OF_KERNELS),
            Beside::Printed => "printed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
