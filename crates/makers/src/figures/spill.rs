//! Lesson 5: what an item gains by more sums, and from how many on they have no room.

use anyhow::{Context, Result};
use common::numbers::bytes;
use common::record::Record;
use process::data::recording::Recording;

use super::{Axis, Chart, Drawing, GPU, RUNS};

const BOTTOM: f64 = 226.0;
const CHART: Chart = Chart {
    x: Axis::log((1.0, 128.0), (60.0, 452.0)),
    y: Axis::log((0.25, 4.0), (BOTTOM, 40.0)),
};

pub fn draw() -> Result<Drawing> {
    let mut d = Drawing::default();
    d.text("small soft", (14.0, 22.0), "rate, where one sum has 1");
    let rates = [0.25, 0.5, 1.0, 2.0, 4.0].map(|rate| (rate, rate.to_string()));
    CHART.across(&mut d, rates);
    let sums = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 128.0].map(|sums| (sums, sums.to_string()));
    CHART.below(&mut d, sums, "sums of an item");
    for (run, left) in RUNS.iter().zip([14.0, 246.0]) {
        let recording = Recording::read(run.name, "lesson05")?;
        let points = points(&recording)?;
        d.curve(run.class, &CHART.places(&points));
        let device = recording.device();
        d.key(run.class, (left, 288.0), &device);
    }
    let gpu = Recording::read(GPU.name, "lesson05")?;
    let spills = sums_of(&gpu).find(|(_, record)| record.private_bytes.is_some_and(|b| b > 0));
    let (sums, record) = spills.context("nothing spills")?;
    let spilled = bytes(record.private_bytes.unwrap_or(0));
    let at = CHART.x.at(sums);
    d.line("limit", &[(at, 52.0), (at, BOTTOM)]);
    let words = format!("the GPU spills {spilled} of an item");
    d.text("small limit end", (at - 7.0, BOTTOM - 8.0), &words);
    d.text("small soft", (14.0, 316.0), "Both axes are logarithmic.");
    Ok(d)
}

/// The kernels that differ in their number of sums.
fn sums_of(run: &Recording) -> impl Iterator<Item = (f64, &Record)> {
    run.records.iter().filter_map(|record| {
        let sums = record.kernel.strip_prefix("matmul_private_sums x")?;
        Some((sums.parse().ok()?, record))
    })
}

/// Sums of an item, and the rate over that of one sum; from one sum on.
fn points(run: &Recording) -> Result<Vec<(f64, f64)>> {
    let mut records = run.records.iter();
    let one = records.find(|record| record.kernel == "matmul_private_sum");
    let one = one
        .and_then(|record| record.gflops)
        .context("no rate of one sum")?;
    let others = sums_of(run).filter_map(|(sums, record)| Some((sums, record.gflops? / one)));
    Ok([(1.0, 1.0)].into_iter().chain(others).collect())
}
