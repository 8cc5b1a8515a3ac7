//! Where a lesson's lines go.

use std::fmt::Display;
use std::fs::File;
use std::io::{Result, Write, stdout};

/// Standard output: shared with what kernels and drivers print, or the lesson's alone.
pub struct Out(Option<File>);

impl Out {
    /// As it comes.
    pub const SHARED: Out = Out(None);

    /// For programs that read it: what others print goes to standard error from now on.
    /// Where the system cannot do that, it stays shared.
    pub fn alone() -> Out {
        #[cfg(unix)]
        {
            use rustix::io::fcntl_dupfd_cloexec;
            use rustix::stdio::{dup2_stdout, stderr};
            let own = fcntl_dupfd_cloexec(stdout(), 3);
            if let Ok(own) = own
                && dup2_stdout(stderr()).is_ok()
            {
                return Out(Some(own.into()));
            }
        }
        Out::SHARED
    }

    /// Prints a line.
    pub fn line(&self, text: impl Display) -> Result<()> {
        let line = format!("{text}\n");
        match self.0.as_ref() {
            Some(mut own) => own.write_all(line.as_bytes()),
            None => stdout().write_all(line.as_bytes()),
        }
    }
}
