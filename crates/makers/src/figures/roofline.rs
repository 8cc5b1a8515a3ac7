//! The best kernel of each lesson under the roofs of its device.

use anyhow::{Context, Result, ensure};
use common::numbers::{percent, significant};
use common::record::Record;

use crate::figures::chart::{Axis, Chart, key};
use crate::figures::drawing::{Drawing, Point, Words};
use crate::figures::figure::Figure;
use crate::figures::runs::{RUNS, Run};
use crate::probe::Machine;

const HEIGHT: f64 = 270.0;
/// Half as wide as a dot.
const DOT: f64 = 5.0;
const LABEL: &str = "small bold middle";
/// Operations for each byte, at the two ends.
const INTENSITY: (f64, f64) = (0.1, 100.0);

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(2.0 * HEIGHT + 82.0);
    let mut described = Vec::new();
    for (i, run) in RUNS.iter().enumerate() {
        described.push(panel(&mut d, 16.0 + HEIGHT * i as f64, run)?);
    }
    let bottom = 2.0 * HEIGHT + 16.0;
    let says = "operations for each byte asked of global memory";
    d.text("small soft middle", (266.0, bottom + 2.0), says);
    let says = "global memory answers, and what the device can compute";
    key(&mut d, "roof", (14.0, bottom + 28.0), says);
    key(
        &mut d,
        "roof model",
        (14.0, bottom + 48.0),
        "the L1 cache answers",
    );
    Ok(Figure {
        title: "The best kernel of each lesson under its device's roofs".into(),
        description: format!(
            "Two rooflines, both axes logarithmic: speed over operations for each byte that is asked \
             of global memory, with a dot for each lesson. One roof rises with the speed of global \
             memory, a dashed one above it with that of the L1 cache; both end level at what the \
             device can compute. {} Dots between the two slopes are kernels whose bytes came from a cache.",
            described.join(" ")
        ),
        drawing: d,
    })
}

/// One device: its roofs, and a numbered dot for each lesson; says it in words.
fn panel(d: &mut Drawing, top: f64, run: &Run) -> Result<String> {
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
    let device = run.device();
    d.text("bold", (14.0, top + 8.0), &device);
    d.text("small soft end", (466.0, top + 8.0), "GFLOP/s");
    axes(d, &chart, (low, high));
    let roof = |bandwidth: f64| {
        let start = (low / bandwidth).max(INTENSITY.0);
        let corners = [start, limits.gflops / bandwidth, INTENSITY.1];
        corners.map(|x| chart.at((x, limits.gflops.min(x * bandwidth))))
    };
    let roofs = [roof(limits.gbytes_per_second), roof(cache)];
    d.line("roof model", &roofs[1]);
    d.line("roof", &roofs[0]);
    let mut places = Vec::new();
    for (number, record) in &lessons {
        let (Some(x), Some(rate)) = (intensity(record), record.gflops) else {
            continue;
        };
        ensure!(
            rate < x * cache,
            "lesson {number} is faster than the L1 cache"
        );
        places.push((chart.at((x, rate)), *number));
    }
    let dots = dots(d, run.class, &places);
    for (at, numbers) in &dots {
        let label = free_place(*at, numbers, &dots, &roofs, d);
        d.text(LABEL, label, numbers);
    }
    let ridge = limits.gflops / limits.gbytes_per_second;
    Ok(format!(
        "{device}: {} GFLOP/s, from {} operations a byte on, {} GB/s of the L1 cache.{}",
        significant(limits.gflops),
        significant(ridge),
        significant(cache),
        highest(&lessons)
    ))
}

/// Lines with their values, upwards and across.
fn axes(d: &mut Drawing, chart: &Chart, (low, high): (f64, f64)) {
    for power in -1..=2 {
        let value = 10f64.powi(power);
        let (x, bottom) = chart.at((value, low));
        d.line("grid", &[(x, bottom), (x, chart.y.at(high))]);
        d.text("small soft middle", (x, bottom + 17.0), &value.to_string());
    }
    let powers = (-1..7).map(|power| 10f64.powi(power));
    let powers = powers.filter(|value| (low..high).contains(value));
    chart.across(d, powers.map(|value| (value, value.to_string())));
}

/// Draws a dot at each place. Those that lie over each other share their words.
fn dots(d: &mut Drawing, class: &str, places: &[(Point, u32)]) -> Vec<(Point, String)> {
    let mut dots: Vec<(Point, String)> = Vec::new();
    for (at, number) in places {
        d.dot(class, *at, DOT);
        let near = |dot: &Point| (dot.0 - at.0).hypot(dot.1 - at.1) < 2.0 * DOT;
        match dots.iter_mut().find(|(dot, _)| near(dot)) {
            Some((_, numbers)) => numbers.push_str(&format!(", {number}")),
            None => dots.push((*at, number.to_string())),
        }
    }
    dots
}

/// The lesson that comes nearest to the limit that was measured with it, in a sentence.
fn highest(lessons: &[(u32, Record)]) -> String {
    let reached = |(_, record): &(u32, Record)| record.share_of_limit.unwrap_or(0.0);
    let highest = lessons
        .iter()
        .max_by(|one, other| reached(one).total_cmp(&reached(other)));
    highest.map_or(String::new(), |lesson| {
        let share = percent(reached(lesson));
        format!(
            " The highest dot is lesson {}'s, at {share} of that.",
            lesson.0
        )
    })
}

/// Operations for each byte that the kernel loads from or stores to global memory.
pub fn intensity(record: &Record) -> Option<f64> {
    let traffic = record.traffic_elements?;
    let bytes = 4.0 * (traffic.global_loads + traffic.global_stores) as f64;
    Some(record.shape().flop() / bytes)
}

/// Where words can stand beside their dot, off the roofs, other words and all dots.
fn free_place(
    at: Point,
    words: &str,
    dots: &[(Point, String)],
    roofs: &[[Point; 3]],
    d: &Drawing,
) -> Point {
    let half = Words::placed(LABEL, at, words).to.0 - at.0;
    let across = |side: f64| side * (half + DOT + 3.0);
    let places = [
        (0.0, -9.0),
        (0.0, 19.0),
        (across(1.0), 5.0),
        (across(-1.0), 5.0),
        (across(1.0), 17.0),
        (across(-1.0), 17.0),
    ];
    let places = places.map(|(dx, dy)| (at.0 + dx, at.1 + dy));
    let is_free = |place: &&Point| {
        let label = Words::placed(LABEL, **place, words);
        let mut edges = roofs.iter().flat_map(|roof| roof.windows(2));
        let off_roofs = edges.all(|ends| {
            let step = |i: u8| along(ends[0], ends[1], f64::from(i) / 100.0);
            !(0..=100).any(|i| label.covers(step(i), 2.0))
        });
        off_roofs
            && d.words().iter().all(|other| !label.overlap(other))
            && dots.iter().all(|(dot, _)| !label.covers(*dot, DOT))
    };
    *places.iter().find(is_free).unwrap_or(&places[0])
}

/// A place on the way from one to the other.
fn along(from: Point, to: Point, share: f64) -> Point {
    (
        from.0 + share * (to.0 - from.0),
        from.1 + share * (to.1 - from.1),
    )
}
