//! Seeing that a file was saved.
//!
//! Twenty times a second a look at the file's time and its bytes. So it does not matter whether
//! an editor writes into the file, or writes another and renames it, nor what kind of drive it
//! lies on; and what does not change the file (reading it, its permissions, a neighbour) starts
//! nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use common::file;

use crate::signals::Signals;

/// How often the file is looked at at least.
const EVERY: Duration = Duration::from_millis(50);
/// A file that stays the same for so long is no longer being written.
const QUIET: Duration = Duration::from_millis(100);
/// A file that is missing or empty for longer than this is meant to be.
const PATIENCE: Duration = Duration::from_millis(500);

/// What is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    Nothing,
    /// The file was saved.
    Saved,
    /// The file is no longer there.
    Gone,
    /// Another file is watched from now on.
    Turned,
    /// Ctrl-C, or another polite request to end.
    Interrupted,
}

/// When a file was written, and what it holds; nothing where it is not there.
type State = (Option<SystemTime>, Option<Vec<u8>>);

fn state(path: &Path) -> State {
    let time = fs::metadata(path).and_then(|file| file.modified());
    // Of a larger one the time must do.
    (time.ok(), file::read(path, 1 << 20).ok())
}

/// A file that is watched.
pub struct Saves {
    name: String,
    /// This file and those beside it, as they were at the last look.
    seen: Vec<(PathBuf, State)>,
    signals: Signals,
}

impl Saves {
    /// Watches the first of these files, by this name for people, sees the saves of the others,
    /// too, and takes over Ctrl-C.
    pub fn of(files: &[&Path], name: &str) -> Saves {
        let seen = |file: &&Path| (file.to_path_buf(), state(file));
        Saves {
            name: name.into(),
            seen: files.iter().map(seen).collect(),
            signals: Signals::heard(),
        }
    }

    /// Watches this file from now on, instead of those before.
    pub fn turn_to(&mut self, file: &Path, name: &str) {
        self.name = name.into();
        self.seen = vec![(file.into(), state(file))];
    }

    /// What the file is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for something new, at most so long.
    pub fn wait(&mut self, time: Duration) -> News {
        let end = Instant::now() + time;
        loop {
            if self.signals.came() {
                self.signals.forget();
                return News::Interrupted;
            }
            if self.changed() {
                return self.settled();
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return News::Nothing;
            }
            sleep(left.min(EVERY));
        }
    }

    /// Whether one of the files is another than at the last look.
    fn changed(&mut self) -> bool {
        let mut changed = false;
        for (path, seen) in &mut self.seen {
            let now = state(path);
            changed |= now != *seen;
            *seen = now;
        }
        changed
    }

    /// What became of the file, when it has been written to its end.
    fn settled(&mut self) -> News {
        let begin = Instant::now();
        loop {
            sleep(QUIET);
            if self.changed() {
                continue;
            }
            match fs::metadata(&self.seen[0].0) {
                Ok(file) if file.len() > 0 || begin.elapsed() > PATIENCE => return News::Saved,
                Err(_) if begin.elapsed() > PATIENCE => return News::Gone,
                _ => {}
            }
        }
    }
}
