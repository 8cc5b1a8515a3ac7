//! What is kept below `docs/data/`: a [`recording`] of a lesson.

pub mod recording;

use std::process::Command;

use anyhow::Result;
use verify::shape::Shape;

/// The date by the system's own command: a recording says when it was made.
pub fn date(format: &str) -> Result<String> {
    let output = Command::new("date").arg(format).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// "1024", or "37x91x53" where the sides differ.
pub fn size_name(s: Shape) -> String {
    if s.m == s.n && s.n == s.k {
        s.m.to_string()
    } else {
        s.to_string()
    }
}
