//! The files of all puzzles, and when each was saved last: who saves another one than that on
//! the screen works on that one now.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// How often they are looked at.
const EVERY: Duration = Duration::from_millis(300);

pub struct Others {
    files: Vec<(PathBuf, Option<SystemTime>)>,
    looked: Instant,
}

impl Others {
    pub fn of(files: impl Iterator<Item = PathBuf>) -> Others {
        let files = files.map(|file| (file.clone(), saved(&file))).collect();
        let looked = Instant::now();
        Others { files, looked }
    }

    /// The place of one that was saved since the last look.
    pub fn look(&mut self) -> Option<usize> {
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        let mut found = None;
        for (at, (file, before)) in self.files.iter_mut().enumerate() {
            let now = saved(file);
            if now.is_some() && now != *before {
                found = Some(at);
            }
            *before = now;
        }
        found
    }
}

fn saved(file: &PathBuf) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}
