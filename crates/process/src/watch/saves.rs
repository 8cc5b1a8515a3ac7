//! Seeing that a file was saved.
//!
//! The file is looked at ten times a second, and tells by itself whether there is
//! something new: by its time and its bytes. So it does not matter whether an editor
//! writes into the file, or writes another and renames it, nor what kind of drive it
//! lies on; and what does not change the file (reading it, its permissions, a
//! neighbour) starts nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use common::file;
use common::source::LONGEST;

use crate::signals::Signals;

/// How often the file is looked at.
const EVERY: Duration = Duration::from_millis(100);
/// A file that stays the same for so long is no longer being written.
const QUIET: Duration = Duration::from_millis(50);
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

/// The file as it was, and those beside it.
#[derive(PartialEq)]
struct Snapshot {
    modified: Vec<Option<SystemTime>>,
    bytes: Vec<u8>,
}

/// A file that is watched.
pub struct Saves {
    paths: Vec<PathBuf>,
    name: String,
    seen: Option<Snapshot>,
    looked: Instant,
    signals: Signals,
}

impl Saves {
    /// Watches a file, by this name for people, and takes over Ctrl-C.
    pub fn of(path: &Path, name: &str) -> Saves {
        Saves::with(path, name, Signals::heard())
    }

    fn with(path: &Path, name: &str, signals: Signals) -> Saves {
        let paths = vec![path.into()];
        Saves {
            seen: look(&paths),
            paths,
            name: name.into(),
            looked: Instant::now(),
            signals,
        }
    }

    /// Sees the saves of this file, too: whether it is there does not matter.
    pub fn and(mut self, path: &Path) -> Saves {
        self.paths.push(path.into());
        self.seen = look(&self.paths);
        self
    }

    /// Watches this file from now on, instead of the one before.
    pub fn turn_to(&mut self, path: &Path, name: &str) {
        *self = Saves::with(path, name, std::mem::take(&mut self.signals));
    }

    /// What the file is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits for something new, at most so long.
    pub fn wait(&mut self, time: Duration) -> News {
        let end = Instant::now() + time;
        loop {
            let due = self.looked + EVERY;
            std::thread::sleep(end.min(due).saturating_duration_since(Instant::now()));
            if self.signals.came() {
                self.signals.forget();
                return News::Interrupted;
            }
            if Instant::now() >= due {
                let news = self.compare();
                if news != News::Nothing {
                    return news;
                }
            }
            if Instant::now() >= end {
                return News::Nothing;
            }
        }
    }

    /// Is the file another than before?
    fn compare(&mut self) -> News {
        let mut now = look(&self.paths);
        if now != self.seen {
            now = self.settled(now);
        }
        self.looked = Instant::now();
        let news = match &now {
            _ if now == self.seen => News::Nothing,
            None => News::Gone,
            Some(_) => News::Saved,
        };
        self.seen = now;
        news
    }

    /// The file when it has been written to its end.
    fn settled(&self, mut before: Option<Snapshot>) -> Option<Snapshot> {
        let begin = Instant::now();
        loop {
            std::thread::sleep(QUIET);
            let now = look(&self.paths);
            let whole = now.as_ref().is_some_and(|file| !file.bytes.is_empty());
            if (whole && now == before) || begin.elapsed() > PATIENCE {
                return now;
            }
            before = now;
        }
    }
}

fn look(paths: &[PathBuf]) -> Option<Snapshot> {
    let read = |path: &PathBuf| file::read(path, LONGEST);
    let (first, beside) = paths.split_first()?;
    let mut bytes = read(first).ok()?;
    bytes.extend(
        beside
            .iter()
            .flat_map(|path| read(path).unwrap_or_default()),
    );
    let modified = |path: &PathBuf| std::fs::metadata(path).ok()?.modified().ok();
    Some(Snapshot {
        modified: paths.iter().map(modified).collect(),
        bytes,
    })
}
