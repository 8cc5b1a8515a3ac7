//! Keeps what `course peers` measures on this machine, for the pages.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use process::data::peers::{Comparison, path};

use crate::kept::{self, must_be_a_name};

/// Runs `course peers --json` with these flags, and writes `data/peers/NAME.jsonl`.
pub fn record(name: &str, flags: &[String]) -> Result<()> {
    must_be_a_name(name)?;
    let course = std::env::current_exe()?.with_file_name("course");
    let course = course.with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new(course);
    process::end_with_us(&mut command);
    command
        .args(["peers", "--json"])
        .args(flags)
        .stderr(Stdio::inherit());
    let output = command.output();
    let output = output.context("course is not built; run `cargo build --workspace` first")?;
    if !output.status.success() {
        bail!("it ended with {}", output.status);
    }
    let text = String::from_utf8(output.stdout)?;
    Comparison::of(&text)?;
    kept::write(&path(name), &text)
}
