//! Seeing that a file was saved.
//!
//! What the file system reports is only a reason to look. Whether there is
//! something new is told by the file itself: its time and its bytes. So it does
//! not matter whether an editor writes into the file, or writes another and
//! renames it, and what does not change the file (reading it, its permissions,
//! a neighbour) starts nothing. The folder is watched, not the file: a watch on
//! a file would stay with the one that was renamed away.
//!
//! Network drives and folders shared with a virtual machine may report nothing.
//! So the file is looked at now and then in any case; if that is what finds a
//! save, the file system is not relied on any more.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime};

use common::error::{Error, Result};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Set to look at the file again and again instead of being notified.
pub const POLL_VARIABLE: &str = "OPENCL_COURSE_POLL";

/// How often the file is looked at where nothing reports a save.
const POLL: Duration = Duration::from_millis(100);
/// The same where saves are reported: only in case one is not.
const SAFETY_NET: Duration = Duration::from_secs(1);
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
    /// Ctrl-C, or another polite request to end.
    Interrupted,
}

/// The file as it was.
#[derive(PartialEq)]
struct Snapshot {
    modified: Option<SystemTime>,
    bytes: Vec<u8>,
}

/// A file that is watched.
pub struct Saves {
    path: PathBuf,
    seen: Option<Snapshot>,
    looked: Instant,
    reports: Receiver<()>,
    interrupted: Arc<AtomicBool>,
    /// None where the file is only looked at.
    watcher: Option<RecommendedWatcher>,
}

impl Saves {
    /// Watches a file, and takes over Ctrl-C.
    ///
    /// # Errors
    /// When Ctrl-C cannot be taken over.
    pub fn of(path: &Path) -> Result<Saves> {
        let (send, reports) = mpsc::channel();
        let interrupted = Arc::new(AtomicBool::new(false));
        let (flag, wake) = (interrupted.clone(), send.clone());
        ctrlc::set_handler(move || {
            flag.store(true, Ordering::Relaxed);
            let _ = wake.send(()); // Nobody waits any more: the program is about to end.
        })
        .map_err(|error| Error::Io(std::io::Error::other(error)))?;
        let watcher = match std::env::var_os(POLL_VARIABLE) {
            Some(_) => None,
            None => watcher(path, move || {
                let _ = send.send(()); // As above.
            })
            .ok(),
        };
        Ok(Saves {
            seen: look(path),
            path: path.into(),
            looked: Instant::now(),
            reports,
            interrupted,
            watcher,
        })
    }

    /// True where the file is looked at again and again, because nothing reports
    /// that it was saved.
    pub fn is_polling(&self) -> bool {
        self.watcher.is_none()
    }

    /// Waits for something new, at most so long.
    pub fn wait(&mut self, time: Duration) -> News {
        let end = Instant::now() + time;
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return News::Interrupted;
            }
            let every = if self.is_polling() { POLL } else { SAFETY_NET };
            let due = self.looked + every;
            let now = Instant::now();
            let reported = match self
                .reports
                .recv_timeout(end.min(due).saturating_duration_since(now))
            {
                Ok(()) => true,
                Err(mpsc::RecvTimeoutError::Timeout) => false,
                // The handler of Ctrl-C holds a sender for ever.
                Err(mpsc::RecvTimeoutError::Disconnected) => false,
            };
            if reported || Instant::now() >= due {
                let news = self.compare(reported);
                if news != News::Nothing {
                    return news;
                }
            }
            if Instant::now() >= end {
                return News::Nothing;
            }
        }
    }

    /// Is the file another than before? Waits until it has been written to its end.
    fn compare(&mut self, mut reported: bool) -> News {
        self.looked = Instant::now();
        let mut now = look(&self.path);
        if now == self.seen {
            return News::Nothing;
        }
        let begin = Instant::now();
        loop {
            std::thread::sleep(QUIET);
            let next = look(&self.path);
            let whole = next.as_ref().is_some_and(|file| !file.bytes.is_empty());
            let settled = next == now && whole;
            now = next;
            if settled || begin.elapsed() > PATIENCE {
                break;
            }
        }
        reported |= self.reports.try_iter().count() > 0;
        if !reported {
            self.watcher = None;
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
}

fn look(path: &Path) -> Option<Snapshot> {
    let modified = std::fs::metadata(path).ok()?.modified().ok();
    let bytes = std::fs::read(path).ok()?;
    Some(Snapshot { modified, bytes })
}

/// Calls `report` after everything that may have changed the file: in its folder,
/// and in the one of the file that a link leads to.
fn watcher(path: &Path, report: impl Fn() + Send + 'static) -> notify::Result<RecommendedWatcher> {
    let target = path.canonicalize()?;
    let here = std::path::absolute(path)?;
    let files = [here, target];
    let names: Vec<OsString> = files
        .iter()
        .filter_map(|file| file.file_name())
        .map(OsString::from)
        .collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let concerns = match &event {
            Ok(event) if is_reading(event.kind) => false,
            Ok(event) => event
                .paths
                .iter()
                .filter_map(|path| path.file_name())
                .any(|name| names.iter().any(|known| known == name)),
            // An overflow, for example: better to look.
            Err(_) => true,
        };
        if concerns {
            report();
        }
    })?;
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.dedup();
    for folder in folders {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// The lesson itself opens and reads the file: that is no reason to look.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
