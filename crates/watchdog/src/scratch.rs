//! Folders that nobody needs later. A process that is ended leaves its own behind, and the
//! next one clears them away: their owners hold them by a lock, which ends with them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Error, Result};

const BEGIN: &str = "opencl-course-scratch-";

/// A folder of its own, which goes away with its owner.
pub struct Scratch(pub PathBuf, Option<File>);

impl Scratch {
    /// Makes one in the system's folder for temporary files. It is new, and nobody else can
    /// put anything into it: drivers may be loaded by what lies there.
    pub fn new() -> Result<Scratch> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        clear_left_behind(&std::env::temp_dir());
        #[allow(unused_mut)]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{BEGIN}{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match builder.create(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(|error| Error::temporary(&path, &error))?,
            }
            // Where the system locks no folders, nobody clears them away.
            let held = File::open(&path).and_then(|folder| folder.lock().map(|()| folder));
            // Another process may have cleared it away before it was held.
            if path.exists() {
                return Ok(Scratch(path, held.ok()));
            }
        }
    }
}

/// Removes the folders that are named like ours, and whose owners have ended.
fn clear_left_behind(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(BEGIN);
        // Not where a link points.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours
            && is_folder
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            // Another may have been quicker, or it is somebody else's.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
        // Not before, or another would remove it, too.
        drop(self.1.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_behind_is_cleared_away_and_what_is_held_is_not() {
        let held = Scratch::new().unwrap();
        let left = held.0.join(format!("{BEGIN}1-2"));
        let notes = held.0.join("opencl-course-notes");
        for folder in [&left, &notes] {
            fs::create_dir(folder).unwrap();
        }
        clear_left_behind(&held.0);
        assert_eq!([left, notes].map(|folder| folder.exists()), [false, true]);
        clear_left_behind(&std::env::temp_dir());
        assert!(held.0.exists());
    }
}
