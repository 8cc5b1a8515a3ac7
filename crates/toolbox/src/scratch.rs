//! Files that nobody needs later.

use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};

/// A folder of its own, which goes away with its owner.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// Makes one in the system's folder for temporary files.
    pub fn new() -> Result<Scratch> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("opencl-course-{}-{number}", process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
