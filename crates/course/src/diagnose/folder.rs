//! The learner's own folder: the copies, and a plain text file that says what is
//! mended and which hints were seen. Losing that file loses nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use common::source::Source;

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

/// What the learner has done, by number of the kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Kernels that were found mended.
    pub mended: BTreeSet<usize>,
    /// Hints seen.
    pub hints: BTreeMap<usize, usize>,
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
        let text = fs::read_to_string(self.progress_file());
        parse(&text.unwrap_or_default())
    }

    /// Notes progress. A folder that cannot be written is worth a word, no failure.
    pub fn note(&self, progress: &Progress) {
        let written = self
            .make()
            .and_then(|()| Ok(fs::write(self.progress_file(), render(progress))?));
        if let Err(error) = written {
            eprintln!("your progress was not noted: {error:#}");
        }
    }
}

fn render(progress: &Progress) -> String {
    let mut text = String::from("# What `course diagnose` has noted. Edit or delete it freely.\n");
    for (number, hints) in &progress.hints {
        text.push_str(&format!("{number:02} hints {hints}\n"));
    }
    for number in &progress.mended {
        text.push_str(&format!("{number:02} mended\n"));
    }
    text
}

/// Lines that mean nothing are passed over: people edit such files.
fn parse(text: &str) -> Progress {
    let mut progress = Progress::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.first().and_then(|word| word.parse().ok()), &words[..]) {
            (Some(number), [_, "mended"]) => {
                progress.mended.insert(number);
            }
            (Some(number), [_, "hints", seen]) => {
                progress.hints.insert(number, seen.parse().unwrap_or(0));
            }
            _ => {}
        }
    }
    progress
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_as_it_was_written() {
        let mut progress = Progress::default();
        progress.mended.extend([3, 12]);
        progress.hints.insert(7, 2);
        assert_eq!(parse(&render(&progress)), progress);
    }

    #[test]
    fn other_lines_do_no_harm() {
        let text = "hello\n\n07\n07 mended now\nx mended\n07 hints many\n08 mended\n";
        let progress = parse(text);
        assert_eq!(progress.mended, BTreeSet::from([8]));
        assert_eq!(progress.hints, BTreeMap::from([(7, 0)]));
    }
}
