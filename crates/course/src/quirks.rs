//! Faults of drivers that the course has met, told from faults of its kernels by
//! a pair of runs: one just below the driver's limit, one above.

use std::process::{Command, Stdio};

use anyhow::Result;
use common::record::Record;

use crate::implementations::Implementation;
use crate::lessons::LESSONS;

/// Rounds of a loop that every driver manages, and more than a 16-bit counter.
const SHORT_LOOP: &str = "1x1x65000";
const LONG_LOOP: &str = "1x1x70000";

/// What is wrong with the driver itself, each with the evidence.
pub fn of(implementation: &Implementation) -> Result<Vec<String>> {
    let mut quirks = Vec::new();
    let short = sum(implementation, SHORT_LOOP, 1)?;
    let long = sum(implementation, LONG_LOOP, 0)?;
    let is_right = |record: &Option<Record>| record.as_ref().is_some_and(|r| r.verified);
    if is_right(&short) && !is_right(&long) {
        quirks.push(format!(
            "the driver ends long loops early: matmul_private_sum is right at {SHORT_LOOP} and \
             wrong at {LONG_LOOP}"
        ));
    }
    let clock = short.and_then(|record| record.clock);
    if clock.as_deref() == Some("wall") {
        quirks.push(
            "the driver's event times cannot be true (see docs/measuring.md): lessons take the \
             wall clock"
                .to_string(),
        );
    }
    Ok(quirks)
}

/// The record of one long sum with so many timed runs; none where the lesson died.
fn sum(implementation: &Implementation, shape: &str, runs: u32) -> Result<Option<Record>> {
    let lesson = &LESSONS[4];
    let output = Command::new(lesson.binary()?)
        .args(["--json", "--timeout", "120", "--size", shape])
        .args(["--runs", &runs.to_string()])
        .args(["--only", "matmul_private_sum"])
        .args([
            "--device",
            implementation.selector.as_deref().unwrap_or("0"),
        ])
        .envs(
            implementation
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .find_map(|line| serde_json::from_str(line).ok()))
}
