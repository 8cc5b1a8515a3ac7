//! The best kernel of each lesson under the roofs of its device, and lesson 13's under those of a
//! GPU's matrix units.

use anyhow::{Context, Result, ensure};
use common::probe::Peak;
use common::record::Record;
use process::data::recording::Recording;

use super::{Axis, Chart, Drawing, GPU, Point, RUNS, Run};
use crate::pages::claim;
use crate::probe::Machine;

const HEIGHT: f64 = 270.0;
/// Half as wide as a dot.
const DOT: f64 = 5.0;
/// The lessons whose numbers stand above their dots, where there is room; the others stand below.
const ABOVE: [(&str, &str); 4] = [("cpu", "6"), ("cpu", "7"), ("cpu", "8"), ("cpu", "9")];
/// Operations for each byte, at the two ends.
const INTENSITY: (f64, f64) = (0.1, 100.0);

pub fn draw() -> Result<Drawing> {
    let mut d = Drawing::default();
    for (i, run) in RUNS.iter().enumerate() {
        panel(&mut d, 16.0 + HEIGHT * i as f64, run)?;
    }
    Ok(d)
}

/// One device: its roofs, and a numbered dot for each lesson.
fn panel(d: &mut Drawing, top: f64, run: &Run) -> Result<()> {
    let lessons = run.best();
    let (_, record) = lessons.last().context("no lesson is recorded")?;
    let limits = record.limits.context("no limits are recorded")?;
    let parts = Machine::read(run.parts)?;
    let cache = parts.of_probe("sweep").filter_map(|step| step.rate());
    let cache = cache.fold(0.0, f64::max);
    let (low, high) = (limits.gflops / 1000.0, limits.gflops * 1.6);
    let chart = Chart {
        x: Axis::log(INTENSITY, (70.0, 462.0)),
        y: Axis::log((low, high), (top + HEIGHT - 36.0, top + 20.0)),
    };
    let of_cache = Peak {
        gbytes_per_second: cache,
        ..limits
    };
    roofs(d, &chart, [limits, of_cache]);
    // A dot for each lesson; those that lie over each other share their words.
    let mut dots: Vec<(Point, String)> = Vec::new();
    for (number, record) in &lessons {
        let Some((x, rate)) = intensity(record).zip(record.gflops) else {
            continue;
        };
        ensure!(
            rate < x * cache,
            "lesson {number} is faster than the L1 cache"
        );
        let at = chart.at((x, rate));
        d.dot(run.class, at, DOT);
        let near = |dot: &Point| (dot.0 - at.0).hypot(dot.1 - at.1) < 2.0 * DOT;
        match dots.iter_mut().find(|(dot, _)| near(dot)) {
            Some((_, numbers)) => numbers.push_str(&format!(", {number}")),
            None => dots.push((at, number.to_string())),
        }
    }
    for ((x, y), numbers) in &dots {
        let is_above = ABOVE.contains(&(run.class, numbers));
        let y = if is_above { y - 9.0 } else { y + 19.0 };
        d.text("small bold middle", (*x, y), numbers);
    }
    Ok(())
}

/// What lesson 13's kernels reach on matrix units, where their words begin beside the dot, and
/// the bytes of an element of A or B. Their tiles of C are equal.
const BY_UNITS: [(&str, &str, Point, f64); 3] = [
    ("matmul_wgmma half", "end", (-10.0, -3.0), 2.0),
    ("matmul_mma half", "", (10.0, 13.0), 2.0),
    ("matmul_wgmma tf32", "end", (-10.0, 5.0), 4.0),
];
const TILE: [f64; 2] = [128.0, 256.0];
/// The most that anything was seen to do on them.
const MOST: &str = "peers h200-half-8192 8192 ours, vendor's";

/// Above the roof of a GPU's fp32 units that of its matrix units.
pub fn units() -> Result<Drawing> {
    let mut d = Drawing::default();
    let chart = Chart {
        x: Axis::log((1.0, 1000.0), (70.0, 462.0)),
        y: Axis::log((1000.0, 2e6), (234.0, 36.0)),
    };
    let best = GPU.best();
    let (number, fp32) = best.last().context("no lesson is recorded")?;
    let limits = fp32.limits.context("no limits are recorded")?;
    let gflops = claim::figure(MOST)?;
    roofs(&mut d, &chart, [limits, Peak { gflops, ..limits }]);
    let mut dot = |(x, rate): (f64, f64), class: &str, (right, down): Point, words: &str| {
        let at = chart.at((x, rate));
        d.dot(GPU.class, at, DOT);
        let class = format!("small {class}");
        d.text(class.trim_end(), (at.0 + right, at.1 + down), words);
    };
    let at = intensity(fp32).zip(fp32.gflops);
    let words = format!("lesson {number}, fp32");
    dot(
        at.context("no traffic is recorded")?,
        "",
        (10.0, 13.0),
        &words,
    );
    let recording = Recording::read(GPU.name, "lesson13")?;
    for (kernel, class, words, bytes) in BY_UNITS {
        let mut records = recording.records.iter();
        let record = records.find(|record| record.kernel == kernel);
        let rate = record.and_then(|record| record.gflops).context(kernel)?;
        let x = 2.0 * TILE[0] * TILE[1] / (bytes * (TILE[0] + TILE[1]));
        dot(
            (x, rate),
            class,
            words,
            kernel.trim_start_matches("matmul_"),
        );
    }
    Ok(d)
}

/// The grid of a chart, and two roofs in it: rising with a bandwidth, then level.
fn roofs(d: &mut Drawing, chart: &Chart, [solid, dashed]: [Peak; 2]) {
    let [(first, last), (low, high)] = [chart.x.ends(), chart.y.ends()];
    let powers = (-1..7).map(|power| 10f64.powi(power));
    let powers = powers.filter(|value| (low..high).contains(value));
    chart.across(d, powers.map(|value| (value, value.to_string())));
    for (class, peak) in [("roof model", dashed), ("roof", solid)] {
        let bandwidth = peak.gbytes_per_second;
        let start = (low / bandwidth).max(first);
        let corners = [start, peak.gflops / bandwidth, last];
        d.line(
            class,
            &corners.map(|x| chart.at((x, peak.gflops.min(x * bandwidth)))),
        );
    }
}

/// Operations for each byte that the kernel loads from or stores to global memory.
fn intensity(record: &Record) -> Option<f64> {
    let traffic = record.traffic_elements?;
    let bytes = 4.0 * (traffic.global_loads + traffic.global_stores) as f64;
    Some(record.shape().flop() / bytes)
}
