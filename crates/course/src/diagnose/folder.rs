//! The learner's own folder: the copies, and a plain text file that says what is
//! mended and which hints were seen. Losing that file loses nothing else.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use common::source::Source;

use crate::progress::Progress;

/// Where the copies go unless `--dir` says otherwise: below the current folder.
pub const DEFAULT: &str = "diagnose";

/// The folder that `--dir` names; it need not exist yet.
pub struct Folder {
    path: PathBuf,
}

/// A copy of a broken kernel.
pub struct Copy {
    /// The file, as messages show it.
    pub path: PathBuf,
    /// What it holds now.
    pub text: String,
    /// Whether it was made just now.
    pub made: bool,
}

impl Folder {
    /// The folder at this path.
    pub fn new(path: &Path) -> Folder {
        Folder {
            path: path.to_path_buf(),
        }
    }

    /// The learner's copy. Made where there is none; one that is there is never
    /// written to.
    pub fn copy(&self, number: usize, fresh: &str) -> Result<Copy> {
        self.make()?;
        let path = self.copy_path(number);
        let made = match File::options().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(fresh.as_bytes());
                written.with_context(|| format!("cannot write {}", path.display()))?;
                true
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            Err(error) => {
                return Err(error).with_context(|| {
                    let path = path.display();
                    format!("cannot write your copy {path}; name another folder by --dir DIR")
                });
            }
        };
        let text = Source::read(&path)
            .with_context(|| format!("delete {} for a fresh copy", path.display()))?
            .text;
        Ok(Copy { path, text, made })
    }

    /// Where the copy of this number lies: a name that gives nothing away.
    pub fn copy_path(&self, number: usize) -> PathBuf {
        self.path.join(format!("{number:02}.cl"))
    }

    /// The command that diagnoses this number with this folder.
    pub fn command(&self, number: usize) -> String {
        let dir = match self.path.to_str() {
            Some(DEFAULT) => String::new(),
            _ => format!(" --dir {}", self.path.display()),
        };
        format!("cargo run -p course -- diagnose {number}{dir}")
    }

    /// Makes the folder, hidden from git where it lies in a clone.
    fn make(&self) -> Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        let make = || -> std::io::Result<()> {
            fs::create_dir_all(&self.path)?;
            fs::write(self.path.join(".gitignore"), "*\n")
        };
        make().with_context(|| {
            let path = self.path.display();
            format!("cannot make the folder {path} for your copies; name another by --dir DIR")
        })
    }

    /// The file that holds the progress.
    pub fn progress_file(&self) -> PathBuf {
        self.path.join("progress.txt")
    }

    /// What was noted before; nothing where there is no file.
    pub fn progress(&self) -> Progress {
        Progress::read(&self.progress_file())
    }

    /// Notes progress. A folder that cannot be written is worth a word, no failure.
    pub fn note(&self, change: impl FnOnce(&mut Progress)) {
        let heading = "What `course diagnose` has noted.";
        let file = self.progress_file();
        let written = self
            .make()
            .and_then(|()| Ok(Progress::update(&file, heading, change)?));
        if let Err(error) = written {
            eprintln!("your progress was not noted: {error:#}");
        }
    }
}

/// How the progress file calls a kernel.
pub fn key(number: usize) -> String {
    format!("{number:02}")
}
