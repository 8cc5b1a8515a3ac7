//! Lesson 10: the course's choice beside the vendor's library, over the size of a square.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use common::shape::Shape;
use process::data::peers::{Comparison, OURS};
use process::data::recording::Recording;

use super::{Axis, Chart, Drawing, Point};

/// The kernels of the lesson, as it numbers them.
const NUMBERED: &str = "matmul_prefetch matmul_two_tiles matmul_fragments matmul_packed_tiles \
                        matmul_shares";
/// The lesson of the others.
const COPIES: usize = 13;

const BOTTOM: f64 = 300.0;
/// Dots nearer than this share a number.
const NEAR: f64 = 30.0;

/// A square product by ours and by the library.
struct Square {
    rows: usize,
    kernel: usize,
    ours: f64,
    theirs: f64,
}

pub fn draw() -> Result<Drawing> {
    let comparison = Comparison::read("h200")?;
    let run = Recording::read("h200-4096", "lesson10")?;
    let limits = run.records.iter().find_map(|record| record.limits.as_ref());
    let limit = limits.context("no limit in the recording")?.gflops;
    let libraries = comparison.libraries();
    let library = *libraries.first().context("no library in the comparison")?;
    let squares = squares(&comparison, library)?;

    let mut d = Drawing::default();
    let chart = Chart {
        x: Axis::log((256.0, 8192.0), (70.0, 450.0)),
        y: Axis::linear((0.0, limit * 1.05), (BOTTOM, 40.0)),
    };
    let rates = (0..=limit as usize).step_by(10_000);
    chart.across(&mut d, rates.map(|rate| (rate as f64, rate.to_string())));
    chart.level(&mut d, "limit", limit);
    let (right, y) = chart.at((f64::INFINITY, limit));
    let words = "what the device can do";
    d.text("small limit end", (right, y - 6.0), words);
    let line = |rate: fn(&Square) -> f64| -> Vec<Point> {
        let values = squares
            .iter()
            .map(|square| (square.rows as f64, rate(square)));
        chart.places(&values.collect::<Vec<_>>())
    };
    let ours = line(|square| square.ours);
    d.line("arrow", &line(|square| square.theirs));
    d.curve("gpu", &ours);
    number(&mut d, &squares, &ours);
    Ok(d)
}

/// The square products, by size.
fn squares(comparison: &Comparison, library: &str) -> Result<Vec<Square>> {
    let mut squares = Vec::new();
    let shapes = comparison.shapes().into_iter();
    for shape in shapes.filter(|shape| *shape == Shape::cube(shape.m)) {
        let ours = comparison.rate(shape, OURS);
        let theirs = comparison.rate(shape, library).and_then(|rate| rate.gflops);
        let Some((ours, theirs)) = ours.zip(theirs) else {
            continue;
        };
        let kernel = ours.kernel.as_deref().unwrap_or_default();
        let number = NUMBERED
            .split(' ')
            .position(|name| kernel.starts_with(name));
        if let Some(gflops) = ours.gflops {
            squares.push(Square {
                rows: shape.m,
                kernel: number.map_or(COPIES, |number| 1 + number),
                ours: gflops,
                theirs,
            });
        }
    }
    squares.sort_by_key(|square| square.rows);
    Ok(squares)
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
