//! The best kernel of each lesson under the roofs of its device.

use anyhow::{Context, Result, ensure};
use common::record::Record;

use super::{Axis, Chart, Drawing, Point, RUNS, Run};
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
    let powers = (-1..7).map(|power| 10f64.powi(power));
    let powers = powers.filter(|value| (low..high).contains(value));
    chart.across(d, powers.map(|value| (value, value.to_string())));
    let roof = |bandwidth: f64| {
        let start = (low / bandwidth).max(INTENSITY.0);
        let corners = [start, limits.gflops / bandwidth, INTENSITY.1];
        corners.map(|x| chart.at((x, limits.gflops.min(x * bandwidth))))
    };
    let roofs = [roof(limits.gbytes_per_second), roof(cache)];
    d.line("roof model", &roofs[1]);
    d.line("roof", &roofs[0]);
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

/// Operations for each byte that the kernel loads from or stores to global memory.
fn intensity(record: &Record) -> Option<f64> {
    let traffic = record.traffic_elements?;
    let bytes = 4.0 * (traffic.global_loads + traffic.global_stores) as f64;
    Some(record.shape().flop() / bytes)
}
