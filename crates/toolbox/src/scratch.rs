//! Files that nobody needs later.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Error, Result};

/// A folder of its own, which goes away with its owner.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// Makes one in the system's folder for temporary files. It is new, and nobody else can
    /// put anything into it: drivers may be loaded by what lies there.
    pub fn new() -> Result<Scratch> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("opencl-course-{}-{number}", process::id());
            let path = std::env::temp_dir().join(name);
            match mine().create(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::temporary(&path, &error)),
            }
        }
    }
}

/// Makes folders that only their owner may use, where the system knows owners.
fn mine() -> fs::DirBuilder {
    #[allow(unused_mut)]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
