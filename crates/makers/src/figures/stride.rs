//! Lesson 4's copies: what a stride costs, measured and by counting.

use anyhow::{Context, Result};
use common::numbers::percent;
use common::record::Record;
use process::data::recording::Recording;

use crate::figures::axis::LogAxis;
use crate::figures::counting::{FLOAT, LINE, SECTOR, share_of_use};
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

/// A GPU, and a CPU.
const RUNS: [(&str, &str); 2] = [("h200-4096", "gpu"), ("epyc-1000", "cpu")];
const BOTTOM: f64 = 300.0;

/// Where a stride and a share of the limit lie.
const X: LogAxis = LogAxis {
    values: (1.0, 64.0),
    places: (74.0, 452.0),
};
const Y: LogAxis = LogAxis {
    values: (0.025, 1.0),
    places: (BOTTOM, 34.0),
};

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(446.0);
    shares(&mut d);
    let mut described = Vec::new();
    for ((run, class), (piece, row)) in RUNS.iter().zip([(SECTOR, 0.0), (LINE, 48.0)]) {
        let run = Recording::read(run, "lesson04")?;
        let points: Vec<(f64, f64)> = run.records.iter().filter_map(measured).collect();
        let (last, share_at_last) = *points.last().context("no copies in the recording")?;
        curves(&mut d, class, &points, piece);
        if row == 0.0 {
            strides(&mut d, &points);
        }
        key(&mut d, class, 362.0 + row, &run.device(), piece);
        let share = |at: usize| points.get(at).map_or(0.0, |(_, share)| *share);
        described.push(format!(
            "{}: {} of the limit at stride 1, {} at 8, {} at {last}",
            run.device(),
            percent(share(0)),
            percent(share(3)),
            percent(share_at_last)
        ));
    }
    let words = "elements between what two neighbours read (stride)";
    d.text("small soft middle", (263.0, BOTTOM + 36.0), words);
    Ok(Figure {
        title: "What a stride costs".into(),
        description: format!(
            "The rate of a copy over the distance between neighbours' reads, both axes logarithmic. \
             {}. Dashed beside them what counting gives: it falls until each item has a sector, or \
             a line, to itself, and is flat from there on.",
            described.join("; ")
        ),
        drawing: d,
    })
}

/// The lines across, each with its share.
fn shares(d: &mut Drawing) {
    let words = "share of what the device can copy";
    d.text("small soft", (14.0, 18.0), words);
    let shares = [0.03, 0.1, 0.3, 1.0].map(|share| (share, format!("{:.0} %", share * 100.0)));
    Y.across(d, X.places, shares);
}

/// The numbers below.
fn strides(d: &mut Drawing, points: &[(f64, f64)]) {
    for (stride, _) in points {
        let at = (X.at(*stride), BOTTOM + 18.0);
        d.text("small soft middle", at, &stride.to_string());
    }
}

/// What was measured, and dashed what counting gives.
fn curves(d: &mut Drawing, class: &str, points: &[(f64, f64)], piece: usize) {
    let counted = points.iter().map(|(stride, _)| {
        let share = share_of_use(FLOAT, *stride as usize * FLOAT, piece);
        (X.at(*stride), Y.at(share))
    });
    d.line(&format!("{class} model"), &counted.collect::<Vec<_>>());
    let measured = points
        .iter()
        .map(|(stride, share)| (X.at(*stride), Y.at(*share)));
    d.curve(class, &measured.collect::<Vec<_>>());
}

/// What the two lines of a device are.
fn key(d: &mut Drawing, class: &str, top: f64, device: &str, piece: usize) {
    d.line(class, &[(14.0, top - 5.0), (40.0, top - 5.0)]);
    d.dot(class, (27.0, top - 5.0), 4.0);
    d.text("small", (48.0, top), &format!("{device}, measured"));
    let dashes = [(14.0, top + 15.0), (40.0, top + 15.0)];
    d.line(&format!("{class} model"), &dashes);
    let words = format!("counted: moved in pieces of {piece} bytes");
    d.text("small", (48.0, top + 20.0), &words);
}

/// Stride and share of the limit, where a record is one of these copies.
fn measured(record: &Record) -> Option<(f64, f64)> {
    let stride = record.kernel.strip_prefix("copy_stride ")?.parse().ok()?;
    Some((stride, record.share_of_limit?))
}
