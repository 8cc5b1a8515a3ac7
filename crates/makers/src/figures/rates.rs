//! Lesson 10: the course's choice beside the vendor's library, over the size of a square.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use common::numbers::significant;
use common::shape::Shape;
use process::data::peers::{Comparison, OURS};
use process::data::recording::Recording;

use crate::figures::axis::LogAxis;
use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;

/// The comparison, and the run that has the device's limit.
const PEERS: &str = "h200";
const RUN: (&str, &str) = ("h200-4096", "lesson10");
/// The kernels of the lesson, as it numbers them.
const NUMBERED: [&str; 7] = [
    "matmul_prefetch",
    "matmul_two_tiles",
    "matmul_fragments",
    "matmul_packed_tiles",
    "matmul_group_copy",
    "matmul_shares",
    "matmul_stages",
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

/// A square product by ours and by the library.
struct Square {
    rows: usize,
    kernel: usize,
    ours: f64,
    theirs: f64,
}

pub fn draw() -> Result<Figure> {
    let comparison = Comparison::read(PEERS)?;
    let run = Recording::read(RUN.0, RUN.1)?;
    let limits = run.records.iter().find_map(|record| record.limits.as_ref());
    let limit = limits.context("no limit in the recording")?.gflops;
    let libraries = comparison.libraries();
    let library = *libraries.first().context("no library in the comparison")?;
    let squares = squares(&comparison, library)?;

    let mut d = Drawing::new(BOTTOM + 96.0);
    let height = |rate: f64| BOTTOM - (BOTTOM - TOP) * rate / (limit * 1.05);
    axes(&mut d, limit, height);
    let line = |rate: fn(&Square) -> f64| -> Vec<Point> {
        let place = |square: &Square| (X.at(square.rows as f64), height(rate(square)));
        squares.iter().map(place).collect()
    };
    let ours = line(|square| square.ours);
    d.line("arrow", &line(|square| square.theirs));
    d.curve("gpu", &ours);
    number(&mut d, &squares, &ours);
    key(&mut d, library);
    Ok(Figure {
        title: format!("Squares beside {library}"),
        description: describe(library, &squares),
        drawing: d,
    })
}

/// The square products, by size.
fn squares(comparison: &Comparison, library: &str) -> Result<Vec<Square>> {
    let mut squares = Vec::new();
    for shape in comparison.shapes() {
        let rate = |library| comparison.rate(shape, library);
        let (Some(ours), Some(theirs)) = (rate(OURS), rate(library)) else {
            continue;
        };
        let (Some(gflops), Some(theirs)) = (ours.gflops, theirs.gflops) else {
            continue;
        };
        if shape != Shape::cube(shape.m) {
            continue;
        }
        let kernel = ours.kernel.as_deref().unwrap_or_default();
        let number = NUMBERED.iter().position(|name| kernel.starts_with(name));
        squares.push(Square {
            rows: shape.m,
            kernel: 1 + number.with_context(|| format!("{kernel} has no number"))?,
            ours: gflops,
            theirs,
        });
    }
    squares.sort_by_key(|square| square.rows);
    Ok(squares)
}

fn axes(d: &mut Drawing, limit: f64, height: impl Fn(f64) -> f64) {
    let (left, right) = X.places;
    d.text("small soft", (14.0, 18.0), "GFLOP/s");
    for rate in (0..=limit as usize).step_by(STEP) {
        let y = height(rate as f64);
        d.line("grid", &[(left, y), (right, y)]);
        let at = (left - 8.0, y + 4.5);
        d.text("small soft end", at, &rate.to_string());
    }
    let y = height(limit);
    d.line("limit", &[(left, y), (right, y)]);
    let words = "what the device can do";
    d.text("small limit end", (right, y - 6.0), words);
    for n in [256, 512, 1024, 2048, 4096, 8192] {
        let at = (X.at(f64::from(n)), BOTTOM + 18.0);
        d.text("small soft middle", at, &n.to_string());
    }
    let words = "rows of a square matrix";
    d.text("small soft middle", (260.0, BOTTOM + 36.0), words);
}

/// At the dots the number of the chosen kernel, on the side where the library's line is not;
/// dots that lie close share their words.
fn number(d: &mut Drawing, squares: &[Square], dots: &[Point]) {
    let pairs: Vec<(&Square, &Point)> = squares.iter().zip(dots).collect();
    for near in pairs.chunk_by(|(_, one), (_, other)| other.0 - one.0 < NEAR) {
        let kernels: BTreeSet<usize> = near.iter().map(|(square, _)| square.kernel).collect();
        let heights = near.iter().map(|(_, dot)| dot.1);
        let (first, dot) = near[0];
        let y = if first.ours < first.theirs {
            heights.fold(0.0, f64::max) + 20.0
        } else {
            heights.fold(BOTTOM, f64::min) - 9.0
        };
        let words: Vec<String> = kernels.iter().map(usize::to_string).collect();
        d.text("small bold middle", (dot.0, y), &words.join(", "));
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

fn describe(library: &str, squares: &[Square]) -> String {
    let shown = squares
        .iter()
        .filter(|square| square.rows.is_power_of_two());
    let pairs = shown.map(|square| {
        let [ours, theirs] = [square.ours, square.theirs].map(significant);
        format!("{}: {ours} and {theirs}", square.rows)
    });
    let behind = squares.iter().filter(|square| square.ours < square.theirs);
    let behind: Vec<String> = behind.map(|square| square.rows.to_string()).collect();
    format!(
        "GFLOP/s over the size of square matrices: the kernel that the lesson chooses, and {library}. \
         {}. The library is ahead at {}, the course at all others.",
        pairs.collect::<Vec<_>>().join("; "),
        behind.join(", ")
    )
}
