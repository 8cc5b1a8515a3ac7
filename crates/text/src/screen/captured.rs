//! What kernels and drivers print while the whole terminal is taken. There it would be drawn
//! over; so it goes to a file, which is passed on when the terminal is given back: by this
//! process, or by the one that watches, where this one died.

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::plain::plain;
use crate::stream::Stream;

/// Where standard output and error of this process went before they went to a file.
pub(super) struct Captured {
    path: PathBuf,
    before: Vec<(Stream, File)>,
}

impl Captured {
    /// Keeps it in this file from now on; `None` where the system does not let streams go
    /// elsewhere.
    pub fn begin(path: &Path) -> Option<Captured> {
        let file = File::options().append(true).create(true).open(path).ok()?;
        let mut streams = vec![Stream::Error];
        // A file stays what it is; and without a /dev/tty crossterm asks standard output how
        // large the terminal is.
        if io::stdout().is_terminal() && File::open("/dev/tty").is_ok() {
            streams.push(Stream::Output);
        }
        let mut before = Vec::new();
        for stream in streams {
            before.push((stream, stream.as_it_is().ok()?));
            stream.send_to(&file).ok()?;
        }
        let path = path.into();
        Some(Captured { path, before })
    }

    /// Keeps no more.
    pub fn end(&self) {
        // It was possible before.
        let send = |(stream, own): &(Stream, File)| drop(stream.send_to(own));
        self.before.iter().for_each(send);
    }

    /// Passes on all that was printed.
    pub fn pass_on(self) {
        let printed = fs::read(&self.path).unwrap_or_default();
        if !printed.is_empty() {
            crate::aside!("{}", plain(&String::from_utf8_lossy(&printed)).trim_end());
        }
        // It is not to be told again.
        let _ = fs::remove_file(self.path);
    }
}
