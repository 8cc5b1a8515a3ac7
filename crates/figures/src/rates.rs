//! Lesson 10: the course's choice beside the vendor's library, over the size of a square.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use common::numbers::significant;
use common::shape::Shape;
use toolbox::peers::{Comparison, OURS, Rate};
use toolbox::recording::Recording;

use crate::Figure;
use crate::axis::LogAxis;
use crate::drawing::{Drawing, Point};

/// The comparison, and the run that has the device's limit.
const PEERS: &str = "h200";
const RUN: (&str, &str) = ("h200-4096", "lesson10");
/// The kernels of the lesson, as it numbers them.
const NUMBERED: [(&str, u32); 5] = [
    ("matmul_fragments", 3),
    ("matmul_packed_tiles", 4),
    ("matmul_group_copy", 5),
    ("matmul_shares", 6),
    ("matmul_stages", 7),
];

const TOP: f64 = 40.0;
const BOTTOM: f64 = 300.0;
/// GFLOP/s from one line across to the next.
const STEP: usize = 10_000;
const X: LogAxis = LogAxis {
    values: (256.0, 8192.0),
    places: (70.0, 450.0),
};
/// Dots nearer than this share a number.
const NEAR: f64 = 12.0;

pub fn draw() -> Result<Figure> {
    let comparison = Comparison::read(PEERS)?;
    let run = Recording::read(RUN.0, RUN.1)?;
    let limits = run.records.iter().find_map(|record| record.limits.as_ref());
    let limit = limits.context("no limit in the recording")?.gflops;
    let height = |rate: f64| BOTTOM - (BOTTOM - TOP) * rate / (limit * 1.05);
    let library = comparison.rates.iter().find(|rate| rate.library != OURS);
    let library = library
        .context("no library in the comparison")?
        .library
        .clone();
    let [ours, theirs] = [OURS, &library].map(|name| squares(&comparison, name));

    let mut d = Drawing::new(BOTTOM + 96.0);
    d.text("small soft", (14.0, 18.0), "GFLOP/s");
    for rate in (0..=limit as usize).step_by(STEP) {
        let y = height(rate as f64);
        d.line("grid", &[(X.places.0, y), (X.places.1, y)]);
        d.text(
            "small soft end",
            (X.places.0 - 8.0, y + 4.5),
            &rate.to_string(),
        );
    }
    let y = height(limit);
    d.line("limit", &[(X.places.0, y), (X.places.1, y)]);
    d.text(
        "small limit end",
        (X.places.1, y - 6.0),
        "what the device can do",
    );
    for n in [256, 512, 1024, 2048, 4096, 8192] {
        d.text(
            "small soft middle",
            (X.at(f64::from(n)), BOTTOM + 18.0),
            &n.to_string(),
        );
    }
    d.text(
        "small soft middle",
        (260.0, BOTTOM + 36.0),
        "rows of a square matrix",
    );
    let at = |rate: &&Rate| {
        (
            X.at(rate.shape.m as f64),
            height(rate.gflops.unwrap_or(0.0)),
        )
    };
    d.line("arrow", &theirs.iter().map(at).collect::<Vec<_>>());
    d.curve("gpu", &ours.iter().map(at).collect::<Vec<_>>());
    number(&mut d, &ours, &theirs, at);
    key(&mut d, &library);
    Ok(Figure {
        title: format!("Squares beside {library}"),
        description: describe(&library, &ours, &theirs),
        drawing: d,
    })
}

/// The rates of square products, by size.
fn squares<'a>(comparison: &'a Comparison, library: &str) -> Vec<&'a Rate> {
    let is_square = |rate: &&Rate| {
        let Shape { m, n, k } = rate.shape;
        m == n && n == k && rate.library == library && rate.gflops.is_some()
    };
    let mut rates: Vec<&Rate> = comparison.rates.iter().filter(is_square).collect();
    rates.sort_by_key(|rate| rate.shape.m);
    rates
}

/// At the dots the number of the chosen kernel, on the side where the library's line is not;
/// dots that lie close share their words.
fn number(d: &mut Drawing, ours: &[&Rate], theirs: &[&Rate], at: impl Fn(&&Rate) -> Point) {
    let mut near: Vec<(Vec<Point>, BTreeSet<u32>, bool)> = Vec::new();
    for (rate, other) in ours.iter().zip(theirs) {
        let kernel = rate.kernel.as_deref().unwrap_or_default();
        let numbered = NUMBERED.iter().find(|(name, _)| kernel.starts_with(name));
        let Some((_, number)) = numbered else {
            continue;
        };
        let place = at(rate);
        let is_behind = rate.gflops < other.gflops;
        match near.last_mut() {
            Some((places, numbers, _)) if place.0 - places[0].0 < NEAR => {
                places.push(place);
                numbers.insert(*number);
            }
            _ => near.push((vec![place], BTreeSet::from([*number]), is_behind)),
        }
    }
    for (places, numbers, is_behind) in near {
        let heights = places.iter().map(|(_, y)| *y);
        let y = match is_behind {
            true => heights.fold(0.0, f64::max) + 20.0,
            false => heights.fold(BOTTOM, f64::min) - 9.0,
        };
        let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
        d.text("small bold middle", (places[0].0, y), &words.join(", "));
    }
}

fn key(d: &mut Drawing, library: &str) {
    let y = BOTTOM + 58.0;
    d.line("gpu", &[(14.0, y), (40.0, y)]);
    d.dot("gpu", (27.0, y), 4.0);
    let words = "the kernel that the lesson chooses, by its number";
    d.text("small", (48.0, y + 5.0), words);
    d.line("arrow", &[(14.0, y + 20.0), (40.0, y + 20.0)]);
    d.text("small", (48.0, y + 25.0), library);
}

fn describe(library: &str, ours: &[&Rate], theirs: &[&Rate]) -> String {
    let rate = |rates: &[&Rate], n| {
        let found = rates.iter().find(|rate| rate.shape.m == n);
        found
            .and_then(|rate| rate.gflops)
            .map_or("nothing".into(), significant)
    };
    let pairs = [512, 1024, 2048, 4096, 8192]
        .map(|n| format!("{n}: {} and {}", rate(ours, n), rate(theirs, n)));
    format!(
        "GFLOP/s over the size of square matrices: the kernel that the lesson chooses, and {library}. \
         {}. Both rise steeply to 2048. The library is ahead up to there, the course from 3000 on.",
        pairs.join("; ")
    )
}
