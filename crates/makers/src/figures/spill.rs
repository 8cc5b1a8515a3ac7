//! Lesson 5: what an item gains by more sums, and from how many on they have no room.

use anyhow::{Context, Result};
use process::data::recording::Recording;

use super::{Axis, Chart, Drawing, RUNS};

const CHART: Chart = Chart {
    x: Axis::log((1.0, 128.0), (60.0, 452.0)),
    y: Axis::log((0.25, 4.0), (226.0, 40.0)),
};

pub fn draw() -> Result<Drawing> {
    let mut d = Drawing::default();
    for run in &RUNS {
        let recording = Recording::read(run.name, "lesson05")?;
        let points = points(&recording)?;
        d.curve(run.class, &CHART.places(&points));
    }
    Ok(d)
}

/// Sums of an item, and the rate over that of one sum; from one sum on.
fn points(run: &Recording) -> Result<Vec<(f64, f64)>> {
    let mut records = run.records.iter();
    let one = records.find(|record| record.kernel == "matmul_private_sum");
    let one = one
        .and_then(|record| record.gflops)
        .context("no rate of one sum")?;
    let others = run.records.iter().filter_map(|record| {
        let sums = record.kernel.strip_prefix("matmul_private_sums x")?;
        Some((sums.parse().ok()?, record.gflops? / one))
    });
    Ok([(1.0, 1.0)].into_iter().chain(others).collect())
}
