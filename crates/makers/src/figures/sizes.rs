//! Lesson 9: rows of 4096 bytes are slower than rows a little longer.

use anyhow::{Context, Result};
use common::numbers::significant;
use process::data::recording::Recording;

use crate::figures::chart::Bars;
use crate::figures::counting::FLOAT;
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

/// Runs at 1024 and a little above.
const RUNS: [&str; 3] = ["pocl-1024", "pocl-1032", "pocl-1040"];
/// Reads B where it lies ...
const KERNEL: &str = "matmul_register_tile_private";
/// ... and the first kernel that repacks it.
const PACKED: &str = "matmul_packed_b";

const BARS: Bars = Bars {
    left: 82.0,
    full: 300.0,
};

/// Elements of a row, and GFLOP/s.
type Bar = (usize, f64);

pub fn draw() -> Result<Figure> {
    let runs = RUNS.iter().map(|run| Recording::read(run, "lesson09"));
    let runs: Vec<Recording> = runs.collect::<Result<_>>()?;
    let first = runs.first().context("no run")?;
    let kernels = first.records.iter().map(|record| record.kernel.as_str());
    let groups: Vec<(&str, Vec<Bar>)> = kernels
        .filter(|kernel| kernel.starts_with(KERNEL) || *kernel == PACKED)
        .map(|kernel| (kernel, bars(&runs, kernel)))
        .collect();
    let rates = groups
        .iter()
        .flat_map(|(_, bars)| bars)
        .map(|(_, rate)| *rate);
    let most = rates.fold(1.0, f64::max);
    let count: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
    let mut d = Drawing::new(30.0 * groups.len() as f64 + 22.0 * count as f64 + 34.0);
    let mut y = 22.0;
    let mut told = Vec::new();
    for (kernel, bars) in &groups {
        d.text("code bold", (14.0, y), kernel);
        for (i, (n, rate)) in bars.iter().enumerate() {
            let top = y + 8.0 + 22.0 * i as f64;
            let size = format!("N = {n}");
            d.text("small soft end", (BARS.left - 8.0, top + 13.0), &size);
            BARS.bar(&mut d, "cpu", top, rate / most, &significant(*rate));
        }
        y += 30.0 + 22.0 * bars.len() as f64;
        let rates: Vec<String> = bars
            .iter()
            .map(|(n, rate)| format!("{} at {n}", significant(*rate)))
            .collect();
        told.push(format!(
            "{} {}",
            kernel.trim_start_matches("matmul_"),
            rates.join(", ")
        ));
    }
    let (short, _) = groups[0].1.first().context("no rate")?;
    let says = format!(
        "GFLOP/s, {}. A row of {short} is {} bytes.",
        first.device(),
        short * FLOAT
    );
    d.text("small soft", (14.0, y + 8.0), &says);
    Ok(Figure {
        title: "A row of 4096 bytes".into(),
        description: format!(
            "Bars of GFLOP/s for matrices of three sizes. {}. The power of two is the slowest by \
             far for the narrow tiles; the widest is padded away from it. At {short} the kernel that \
             repacks B is ahead.",
            told.join("; ")
        ),
        drawing: d,
    })
}

/// The rates of a kernel in the runs that have it.
fn bars(runs: &[Recording], kernel: &str) -> Vec<Bar> {
    let rate = |run: &Recording| {
        let record = run.records.iter().find(|record| record.kernel == kernel)?;
        Some((record.n, record.gflops?))
    };
    runs.iter().filter_map(rate).collect()
}
