//! What kernels and drivers print while the whole terminal is taken. There it would be drawn
//! over; so it goes to a file, from which it is told, and which is passed on when the terminal
//! is given back: by this process, or by the one that watches, where this one died.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;

use crate::plain::plain;
use crate::stream::Stream;

/// Bytes that are told at a time, and lines of them: more than anybody reads on a stage.
const LONGEST: u64 = 64 << 10;
const MOST: usize = 100;

/// Standard output and error of this process, while they go to a file.
pub(super) struct Captured {
    file: File,
    /// Bytes of it that were told.
    told: u64,
    /// Where the output went before; none where that is no terminal: it stays what it is.
    output: Option<File>,
    error: File,
}

impl Captured {
    /// Keeps it in this file from now on; `None` where the system does not let streams go
    /// elsewhere.
    pub fn begin(path: &Path) -> Option<Captured> {
        let file = File::options()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .ok()?;
        // Without a /dev/tty crossterm asks standard output how large the terminal is.
        let is_shown = io::stdout().is_terminal() && File::open("/dev/tty").is_ok();
        let output = is_shown
            .then(|| Stream::Output.as_it_is())
            .transpose()
            .ok()?;
        let error = Stream::Error.as_it_is().ok()?;
        if is_shown {
            Stream::Output.send_to(&file).ok()?;
        }
        Stream::Error.send_to(&file).ok()?;
        Some(Captured {
            file,
            told: 0,
            output,
            error,
        })
    }

    /// What was printed since this was asked last.
    pub fn news(&mut self) -> String {
        let mut bytes = Vec::new();
        let begin = self.file.seek(SeekFrom::Start(self.told));
        // What cannot be read now is passed on at the end.
        let _ = begin.and_then(|_| (&self.file).take(LONGEST).read_to_end(&mut bytes));
        self.told += bytes.len() as u64;
        if bytes.len() as u64 == LONGEST {
            self.told = self.file.seek(SeekFrom::End(0)).unwrap_or(self.told);
        }
        shortened(&plain(&String::from_utf8_lossy(&bytes)))
    }

    /// Keeps no more.
    pub fn end(&self) {
        // It was possible before.
        let _ = self.output.as_ref().map(|own| Stream::Output.send_to(own));
        let _ = Stream::Error.send_to(&self.error);
    }

    /// Passes on all that was printed.
    pub fn pass_on(mut self) {
        if self.file.rewind().is_ok() {
            let lines = BufReader::new(&self.file)
                .split(b'\n')
                .map_while(Result::ok);
            lines.for_each(|line| crate::aside!("{}", plain(&String::from_utf8_lossy(&line))));
        }
        // It is not to be told again.
        let _ = self.file.set_len(0);
    }
}

/// The first lines of a text.
fn shortened(text: &str) -> String {
    let text = text.trim_end().replace('\t', "    ");
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.len() > MOST {
        lines.truncate(MOST);
        lines.push("(and more: all of it stands here when the lesson has ended)");
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lines_the_first_are_told() {
        assert_eq!(shortened("one\n\ttwo\n\n"), "one\n    two");
        let all = shortened(&"line\n".repeat(MOST));
        assert_eq!(all.lines().count(), MOST);
        let more = shortened(&"line\n".repeat(MOST + 7));
        assert_eq!(more.lines().count(), MOST + 1);
        assert!(
            more.ends_with("line\n(and more: all of it stands here when the lesson has ended)")
        );
    }
}
