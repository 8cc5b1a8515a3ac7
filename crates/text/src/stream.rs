//! Standard output and error of this process as files, and sent elsewhere: with them goes
//! what drivers and kernels print.

use std::fs::File;
use std::io::{Result, Write, stderr, stdout};

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

/// Whether another program reads what is printed, as in `| tee log`. Its words come to the
/// terminal whenever that likes.
pub fn stdout_is_piped() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = Stream::Output.as_it_is().and_then(|file| file.metadata());
        kind.is_ok_and(|kind| kind.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    false
}
