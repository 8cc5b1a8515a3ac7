//! What a learner has done: a plain text file, a fact a line, made to be read and
//! edited. Losing it loses nothing else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What can be said of a kernel, besides the hints that were seen.
const MARKS: [&str; 3] = ["mended", "solved", "right"];

/// The facts by kernel, which a short key names: "07" or "6.2".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    entries: BTreeMap<String, Entry>,
    /// Lines of the learner's own, which are kept.
    notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    mark: Option<String>,
    hints: usize,
}

impl Progress {
    /// What was noted before; nothing where there is no file.
    pub fn read(file: &Path) -> Progress {
        Progress::try_read(file).unwrap_or_default()
    }

    /// The same, or why the file that is there cannot be read.
    fn try_read(file: &Path) -> io::Result<Progress> {
        match fs::read(file) {
            // Editors of old write other letters than UTF-8.
            Ok(bytes) => Ok(parse(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Progress::default()),
            Err(error) => Err(error),
        }
    }

    /// Adds to what is noted, under a line that says what the file is. Another command
    /// that does the same at this moment waits, and loses nothing.
    pub fn update(
        file: &Path,
        heading: &str,
        change: impl FnOnce(&mut Progress),
    ) -> io::Result<()> {
        let _lock = Lock::take(file)?;
        let mut progress = Progress::try_read(file)?;
        change(&mut progress);
        // In one step: a reader meets the old text or the new one.
        let fresh = file.with_extension("new");
        let written = fs::write(&fresh, progress.render(heading));
        written
            .and_then(|()| fs::rename(&fresh, file))
            .inspect_err(|_| {
                // Half a file is of no use.
                let _ = fs::remove_file(&fresh);
            })
    }

    /// What was noted of a kernel: "mended", "solved", or "right".
    pub fn mark(&self, key: &str) -> Option<&str> {
        self.entries.get(key)?.mark.as_deref()
    }

    /// Notes one of these words.
    pub fn set_mark(&mut self, key: &str, mark: &str) {
        self.entry(key).mark = Some(mark.into());
    }

    /// How many of a kernel's hints were seen.
    pub fn hints(&self, key: &str) -> usize {
        self.entries.get(key).map_or(0, |entry| entry.hints)
    }

    /// Notes how many were seen.
    pub fn set_hints(&mut self, key: &str, hints: usize) {
        self.entry(key).hints = hints;
    }

    fn entry(&mut self, key: &str) -> &mut Entry {
        self.entries.entry(key.into()).or_default()
    }

    fn render(&self, heading: &str) -> String {
        let mut text = format!("# {heading} Edit or delete it freely.\n");
        for (key, entry) in &self.entries {
            if let Some(mark) = &entry.mark {
                text.push_str(&format!("{key} {mark}\n"));
            }
            if entry.hints > 0 {
                text.push_str(&format!("{key} hints {}\n", entry.hints));
            }
        }
        for note in &self.notes {
            text.push_str(&format!("{note}\n"));
        }
        text
    }
}

/// A file beside another one, which is there as long as somebody changes that one.
struct Lock(PathBuf);

impl Lock {
    /// Nobody takes so long; a lock that is left was left by a process that was ended.
    const PATIENCE: Duration = Duration::from_secs(2);

    fn take(file: &Path) -> io::Result<Lock> {
        let path = file.with_extension("lock");
        let begin = Instant::now();
        loop {
            match File::options().write(true).create_new(true).open(&path) {
                Ok(_) => return Ok(Lock(path)),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                Err(_) if begin.elapsed() > Lock::PATIENCE => return Ok(Lock(path)),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = fs::remove_file(&self.0);
    }
}

/// Lines that say nothing here are kept as they are: people edit such files.
fn parse(text: &str) -> Progress {
    let mut progress = Progress::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [key, mark] if MARKS.contains(&mark) => progress.set_mark(key, mark),
            [key, "hints", seen] if seen.parse::<usize>().is_ok() => {
                progress.set_hints(key, seen.parse().unwrap_or(0));
            }
            _ if line.ends_with("Edit or delete it freely.") => {}
            _ => progress.notes.push(line.into()),
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
        progress.set_mark("03", "mended");
        progress.set_mark("6.2", "solved");
        progress.set_hints("6.2", 2);
        let text = progress.render("What was noted.");
        assert_eq!(parse(&text), progress, "{text}");
        assert_eq!(progress.mark("6.2"), Some("solved"));
        assert_eq!((progress.hints("6.2"), progress.hints("9.9")), (2, 0));
    }

    #[test]
    fn many_at_once_lose_nothing_and_nor_does_a_letter_that_is_no_utf8() {
        let name = format!("course-progress-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("progress.txt");
        fs::write(&file, b"1.1 solved\n# f\xFCr morgen\n").unwrap();
        std::thread::scope(|scope| {
            for hints in 1..=8 {
                let add = move |p: &mut Progress| p.set_hints(&format!("2.{hints}"), hints);
                let file = &file;
                scope.spawn(move || Progress::update(file, "x", add).unwrap());
            }
        });
        let progress = Progress::read(&file);
        assert_eq!(progress.mark("1.1"), Some("solved"));
        assert!((1..=8).all(|hints| progress.hints(&format!("2.{hints}")) == hints));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn other_lines_do_no_harm_and_are_kept() {
        let text = "hello\n\n07\n07 mended now\n07 hints many\n08 mended\n\u{1F600} \0\n";
        let progress = parse(text);
        assert_eq!(progress.mark("07"), None);
        assert_eq!(progress.mark("08"), Some("mended"));
        let text = progress.render("x");
        assert!(text.contains("hello\n07\n07 mended now\n"), "{text}");
        assert_eq!(parse(&text), progress);
    }
}
