//! The best kernel of each lesson under the roof of its device.

use anyhow::Result;
use common::numbers::{percent, significant};
use common::record::Record;
use process::data::recording::device_name;

use crate::figures::axis::LogAxis;
use crate::figures::drawing::{Drawing, Point, Words};
use crate::figures::figure::Figure;
use crate::figures::runs::{RUNS, best};

const HEIGHT: f64 = 270.0;
/// Half as wide as a dot.
const DOT: f64 = 5.0;
const LABEL: &str = "small bold middle";
/// Operations for each byte, at the two ends.
const INTENSITY: (f64, f64) = (0.1, 100.0);

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(2.0 * HEIGHT + 72.0);
    let mut described = Vec::new();
    for (i, (run, class)) in RUNS.iter().enumerate() {
        let top = 16.0 + HEIGHT * i as f64;
        described.push(panel(&mut d, top, class, &best(run)));
    }
    let bottom = 2.0 * HEIGHT - 8.0;
    d.text(
        "small soft middle",
        (266.0, bottom + 26.0),
        "operations for each byte asked of global memory",
    );
    let says = [
        "A dot: the best kernel of the lesson with this number.",
        "Above the slope: caches answered, not global memory.",
    ];
    d.paragraph("small", (14.0, bottom + 50.0), 18.0, &says);
    Ok(Figure {
        title: "The best kernel of each lesson under its device's roof".into(),
        description: format!(
            "Two rooflines, both axes logarithmic: speed over operations for each byte that is asked \
             of global memory, with a dot for each lesson. The roof rises with the memory's speed and ends level at what the \
             device can compute. {} Dots that lie above the slope are kernels whose bytes came \
             from a cache.",
            described.join(" ")
        ),
        drawing: d,
    })
}

/// One device: its roof, and a numbered dot for each lesson.
fn panel(d: &mut Drawing, top: f64, class: &str, lessons: &[(u32, Record)]) -> String {
    let Some((_, record)) = lessons.last() else {
        return String::new();
    };
    let Some(limits) = &record.limits else {
        return String::new();
    };
    let device = device_name(record);
    let x = LogAxis {
        values: INTENSITY,
        places: (70.0, 462.0),
    };
    let y = LogAxis {
        values: (limits.gflops / 1000.0, limits.gflops * 1.6),
        places: (top + HEIGHT - 36.0, top + 20.0),
    };
    d.text("bold", (14.0, top + 8.0), &device);
    d.text("small soft end", (466.0, top + 8.0), "GFLOP/s");
    grid(d, &x, &y);
    let ridge = limits.gflops / limits.gbytes_per_second;
    let start = (y.values.0 / limits.gbytes_per_second).max(INTENSITY.0);
    let roof = [
        (x.at(start), y.at(start * limits.gbytes_per_second)),
        (x.at(ridge), y.at(limits.gflops)),
        (x.places.1, y.at(limits.gflops)),
    ];
    d.line("roof", &roof);
    let places = lessons.iter().filter_map(|(number, record)| {
        let at = (x.at(intensity(record)?), y.at(record.gflops?));
        Some((at, *number))
    });
    let dots = dots(d, class, places);
    for (at, numbers) in &dots {
        let label = free_place(*at, numbers, &dots, &roof, d);
        d.text(LABEL, label, numbers);
    }
    format!(
        "{device}: {} GFLOP/s, from {} operations a byte on.{}",
        significant(limits.gflops),
        significant(ridge),
        highest(lessons)
    )
}

/// Lines with their values, upwards and across.
fn grid(d: &mut Drawing, x: &LogAxis, y: &LogAxis) {
    for power in -1..=2 {
        let value = 10f64.powi(power);
        let at = x.at(value);
        d.line("grid", &[(at, y.places.0), (at, y.places.1)]);
        let below = (at, y.places.0 + 17.0);
        d.text("small soft middle", below, &value.to_string());
    }
    let powers = (0..7).map(|power| 10f64.powi(power));
    let powers = powers.filter(|value| (y.values.0..y.values.1).contains(value));
    y.across(d, x.places, powers.map(|value| (value, value.to_string())));
}

/// Draws a dot at each place. Those that lie over each other share their words.
fn dots(
    d: &mut Drawing,
    class: &str,
    places: impl Iterator<Item = (Point, u32)>,
) -> Vec<(Point, String)> {
    let mut dots: Vec<(Point, String)> = Vec::new();
    for (at, number) in places {
        d.dot(class, at, DOT);
        let near = |dot: &Point| (dot.0 - at.0).hypot(dot.1 - at.1) < 2.0 * DOT;
        match dots.iter_mut().find(|(dot, _)| near(dot)) {
            Some((_, numbers)) => numbers.push_str(&format!(", {number}")),
            None => dots.push((at, number.to_string())),
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
    let (m, n, k) = (record.m as f64, record.n as f64, record.k as f64);
    Some(2.0 * m * n * k / bytes)
}

/// Where words can stand beside their dot, off the roof, other words and all dots.
fn free_place(
    at: Point,
    words: &str,
    dots: &[(Point, String)],
    roof: &[Point],
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
        let off_roof = roof.windows(2).all(|ends| {
            let step = |i: u8| along(ends[0], ends[1], f64::from(i) / 100.0);
            !(0..=100).any(|i| label.covers(step(i), 2.0))
        });
        off_roof
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
