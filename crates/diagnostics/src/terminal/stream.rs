//! Standard output and error of this process as files, and sent elsewhere: with them goes
//! what drivers and kernels print.

use std::fs::File;
use std::io::{Read, Result, Seek, Write, stderr, stdout};

/// One of the two.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Stream {
    Output,
    Error,
}

impl Stream {
    /// Where it goes now, for when it goes elsewhere.
    pub fn as_it_is(self) -> Result<File> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let copy = match self {
                Stream::Output => stdout().as_fd().try_clone_to_owned(),
                Stream::Error => stderr().as_fd().try_clone_to_owned(),
            };
            Ok(copy?.into())
        }
        #[cfg(not(unix))]
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Sends it there from now on.
    pub fn send_to(self, file: &File) -> Result<()> {
        stdout().flush()?;
        #[cfg(unix)]
        {
            use rustix::stdio::{dup2_stderr, dup2_stdout};
            match self {
                Stream::Output => dup2_stdout(file)?,
                Stream::Error => dup2_stderr(file)?,
            }
            Ok(())
        }
        #[cfg(not(unix))]
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

/// A stream that goes to a file meanwhile.
pub struct Taken {
    stream: Stream,
    file: File,
    own: File,
}

impl Taken {
    /// Sends it behind what stands in this file; `None` where the system does not let streams
    /// go elsewhere.
    pub fn to(stream: Stream, path: &std::path::Path) -> Option<Taken> {
        let own = stream.as_it_is().ok()?;
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(path);
        let file = file.ok()?;
        stream.send_to(&file).ok()?;
        Some(Taken { stream, file, own })
    }

    /// The stream as it was, and what was said meanwhile.
    pub fn given_back(mut self) -> String {
        // It was possible before.
        let _ = self.stream.send_to(&self.own);
        let mut said = Vec::new();
        let read = self.file.rewind();
        let read = read.and_then(|()| self.file.read_to_end(&mut said));
        // What is passed on is not to be told again.
        let _ = read.and_then(|_| self.file.set_len(0));
        String::from_utf8_lossy(&said).into_owned()
    }
}
