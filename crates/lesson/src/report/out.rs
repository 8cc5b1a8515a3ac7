//! Where a lesson's lines go.

use std::fmt::Display;
use std::fs::File;
use std::io::{Result, Write, stdout};

use text::stream::Stream;

/// Standard output: shared with what kernels and drivers print, or the lesson's alone.
pub struct Out(Option<File>);

impl Out {
    /// As it comes.
    pub const SHARED: Out = Out(None);

    /// For programs that read it: what others print goes to standard error from now on.
    /// Where the system cannot do that, it stays shared.
    pub fn alone() -> Out {
        let alone = || -> Result<File> {
            let own = Stream::Output.as_it_is()?;
            Stream::Output.send_to(&Stream::Error.as_it_is()?)?;
            Ok(own)
        };
        Out(alone().ok())
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
