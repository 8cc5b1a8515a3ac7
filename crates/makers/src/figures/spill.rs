//! Lesson 5: how many sums an item can keep in registers, and what it gains by them.

use anyhow::{Context, Result};
use common::numbers::bytes;
use common::record::Record;
use process::data::recording::Recording;

use crate::figures::axis::LogAxis;
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::runs::RUNS;

const LEFT: f64 = 60.0;
const RIGHT: f64 = 452.0;
const TOP: f64 = 226.0;
const BOTTOM: f64 = 406.0;

/// Sums of an item, and the rate over that of one sum.
type Point = (f64, f64);

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(500.0);
    let gpu = Recording::read(RUNS[0].0, "lesson05")?;
    let most = sums(&gpu).last().context("no sums are recorded")?;
    let kept = sums(&gpu).filter(|(_, record)| record.private_bytes == Some(0));
    let (fewer, _) = kept.max_by_key(|(sums, _)| *sums).context("all spill")?;
    let spilled = bytes(most.1.private_bytes.unwrap_or(0));
    registers(&mut d, (14.0, fewer), None);
    registers(&mut d, (254.0, most.0), Some(&spilled));
    let device = format!("of an item on {}", gpu.device());
    d.text("small soft", (14.0, 140.0), &device);
    let mut told = Vec::new();
    let x = LogAxis {
        values: (1.0, most.0 as f64),
        places: (LEFT, RIGHT),
    };
    let y = LogAxis {
        values: (0.25, 16.0),
        places: (BOTTOM, TOP),
    };
    axes(&mut d, &x, &y, &gpu)?;
    for (i, (run, class)) in RUNS.iter().enumerate() {
        let run = Recording::read(run, "lesson05")?;
        let points = points(&run)?;
        let places: Vec<_> = points
            .iter()
            .map(|(s, rate)| (x.at(*s), y.at(*rate)))
            .collect();
        d.curve(class, &places);
        let left = 60.0 + 200.0 * i as f64;
        d.dot(class, (left, 472.0), 5.0);
        d.text("small", (left + 12.0, 476.5), &run.device());
        let best = points.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let (best, rate) = best.context("no rates")?;
        told.push(format!(
            "on {} best at {best}, {rate:.1} times one sum",
            run.device()
        ));
    }
    Ok(Figure {
        title: "How many sums an item can keep".into(),
        description: format!(
            "Above, registers of an item on {}: {fewer} sums fit, and of {} sums {spilled} are spilled \
             to memory, stored there and loaded again. Below, the rate over how many sums an item has, both \
             axes logarithmic: {}. The GPU's rate falls long before it spills.",
            gpu.device(),
            most.0,
            told.join("; ")
        ),
        drawing: d,
    })
}

/// The kernels that differ in their number of sums.
fn sums(run: &Recording) -> impl Iterator<Item = (usize, &Record)> {
    run.records.iter().filter_map(|record| {
        let sums = record.kernel.strip_prefix("matmul_private_sums x")?;
        Some((sums.parse().ok()?, record))
    })
}

/// From one sum on.
fn points(run: &Recording) -> Result<Vec<Point>> {
    let mut records = run.records.iter();
    let one = records.find(|record| record.kernel == "matmul_private_sum");
    let one = one
        .and_then(|record| record.gflops)
        .context("no rate of one sum")?;
    let others = sums(run).filter_map(|(sums, record)| Some((sums as f64, record.gflops? / one)));
    Ok([(1.0, 1.0)].into_iter().chain(others).collect())
}

/// What an item's registers hold, and what has no room there.
fn registers(d: &mut Drawing, (left, sums): (f64, usize), spilled: Option<&str>) {
    d.text("code bold", (left, 24.0), &format!("REAL sum[{sums}];"));
    d.rect("private", (left, 36.0), 212.0, 62.0);
    d.text("small", (left + 10.0, 55.0), "registers");
    for i in 0..12 {
        d.rect("c", (left + 10.0 + 16.0 * f64::from(i), 66.0), 13.0, 20.0);
    }
    let Some(bytes) = spilled else {
        d.text("small soft", (left, 122.0), "all sums are in registers");
        return;
    };
    d.arrow(&[(left + 60.0, 98.0), (left + 60.0, 128.0)]);
    d.arrow(&[(left + 76.0, 130.0), (left + 76.0, 100.0)]);
    d.text("small soft", (left + 90.0, 118.0), "stored and loaded");
    d.rect("global", (left, 130.0), 212.0, 34.0);
    for i in 0..3 {
        d.rect("c", (left + 10.0 + 16.0 * f64::from(i), 137.0), 13.0, 20.0);
    }
    d.text("small", (left + 68.0, 152.0), &format!("spilled: {bytes}"));
}

fn axes(d: &mut Drawing, x: &LogAxis, y: &LogAxis, run: &Recording) -> Result<()> {
    d.text(
        "small soft",
        (14.0, TOP - 18.0),
        "rate, where one sum has 1",
    );
    let rates = [0.25, 1.0, 4.0, 16.0].map(|rate| (rate, rate.to_string()));
    y.across(d, (LEFT, RIGHT), rates);
    for (sums, _) in points(run)? {
        let at = (x.at(sums), BOTTOM + 20.0);
        d.text("small soft middle", at, &sums.to_string());
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    d.text(
        "small soft middle",
        (middle, BOTTOM + 42.0),
        "sums of an item",
    );
    Ok(())
}
