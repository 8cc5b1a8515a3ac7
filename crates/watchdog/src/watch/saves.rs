//! Seeing that a file was saved.
//!
//! notify looks at the file twenty times a second, at its time and its bytes. So it does not
//! matter whether an editor writes into the file, or writes another and renames it, nor what
//! kind of drive it lies on; and what does not change the file (reading it, its permissions, a
//! neighbour) starts nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use notify::{Config, Event, PollWatcher, RecursiveMode, Watcher};

use crate::signals::Signals;

/// How often the file is looked at.
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

/// A file that is watched.
pub struct Saves {
    path: PathBuf,
    name: String,
    _watcher: PollWatcher,
    changes: Receiver<notify::Result<Event>>,
    signals: Signals,
}

impl Saves {
    /// Watches the first of these files, by this name for people, sees the saves of the others,
    /// too, and takes over Ctrl-C.
    pub fn of(files: &[&Path], name: &str) -> Result<Saves> {
        let (sender, changes) = channel();
        let config = Config::default().with_poll_interval(EVERY);
        let watcher = PollWatcher::new(sender, config.with_compare_contents(true));
        let failed = |error| Error::Io(std::io::Error::other::<notify::Error>(error));
        let mut watcher = watcher.map_err(failed)?;
        for file in files {
            let watched = watcher.watch(file, RecursiveMode::NonRecursive);
            watched.map_err(failed)?;
        }
        Ok(Saves {
            path: files[0].into(),
            name: name.into(),
            _watcher: watcher,
            changes,
            signals: Signals::heard(),
        })
    }

    /// Watches this file from now on, instead of those before.
    pub fn turn_to(&mut self, file: &Path, name: &str) -> Result<()> {
        let signals = std::mem::take(&mut self.signals);
        let saves = Saves::of(&[file], name)?;
        *self = Saves { signals, ..saves };
        Ok(())
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
            let left = end.saturating_duration_since(Instant::now());
            match self.changes.recv_timeout(left.min(EVERY)) {
                Ok(Ok(_)) => return self.settled(),
                _ if left.is_zero() => return News::Nothing,
                _ => {}
            }
        }
    }

    /// What became of the file, when it has been written to its end.
    fn settled(&self) -> News {
        let begin = Instant::now();
        loop {
            // An error is a file that is not there.
            while matches!(self.changes.recv_timeout(QUIET), Ok(Ok(_))) {}
            match std::fs::metadata(&self.path) {
                Ok(file) if file.len() > 0 || begin.elapsed() > PATIENCE => return News::Saved,
                Err(_) if begin.elapsed() > PATIENCE => return News::Gone,
                _ => {}
            }
        }
    }
}
