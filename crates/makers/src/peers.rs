//! Keeps what `course peers` measures on this machine, for the pages.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use process::data::peers::{Comparison, path};

use crate::course;
use crate::kept::{self, must_be_a_name};

/// Runs `course peers --json` with these flags, and writes `data/peers/NAME.jsonl`.
pub fn record(name: &str, flags: &[String]) -> Result<()> {
    must_be_a_name(name)?;
    let mut command = course::command(&["peers", "--json"])?;
    command.args(flags).stderr(Stdio::inherit());
    let output = command.output();
    let output = output.context("course is not built; run `cargo build --workspace` first")?;
    if !output.status.success() {
        bail!("it ended with {}", output.status);
    }
    let text = String::from_utf8(output.stdout)?;
    Comparison::of(&text)?;
    kept::write(path(name), &text)
}
