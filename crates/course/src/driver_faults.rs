//! Faults of drivers that the course has met, told from faults of its kernels by
//! a pair of runs: one just below the driver's limit, one above.

use anyhow::Result;
use common::record::Record;
use toolbox::child::Finished;
use toolbox::implementations::Implementation;
use toolbox::lessons::LESSONS;

/// Rounds of a loop that every driver manages, and more than a 16-bit counter.
const SHORT_LOOP: &str = "1x1x65000";
const LONG_LOOP: &str = "1x1x70000";

/// What is wrong with the driver itself, each with the evidence.
pub fn of(implementation: &Implementation) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let short = sum(implementation, SHORT_LOOP, "1")?;
    let long = sum(implementation, LONG_LOOP, "0")?;
    let is_right = |record: &Option<Record>| record.as_ref().is_some_and(|r| r.verified);
    if is_right(&short) && !is_right(&long) {
        faults.push(format!(
            "the driver ends long loops early: matmul_private_sum is right at {SHORT_LOOP} and \
             wrong at {LONG_LOOP}"
        ));
    }
    let clock = short.and_then(|record| record.clock);
    if clock.as_deref() == Some("wall") {
        faults.push(
            "the driver's event times cannot be true (see docs/measuring.md): lessons take the \
             wall clock"
                .to_string(),
        );
    }
    Ok(faults)
}

/// The record of one long sum with so many timed runs; none where the lesson died.
fn sum(implementation: &Implementation, shape: &str, runs: &str) -> Result<Option<Record>> {
    let mut child = LESSONS[4].command()?;
    child
        .args(["--json", "--timeout", "120", "--runs", runs])
        .args(["--only", "matmul_private_sum", "--size", shape]);
    let child = Finished::of(implementation.choose(&mut child))?;
    Ok(child.records().next())
}
