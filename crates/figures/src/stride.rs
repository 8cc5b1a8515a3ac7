//! Lesson 4's copies: what a stride costs, measured and by counting.

use anyhow::{Context, Result};
use common::numbers::percent;
use common::record::Record;
use toolbox::recording::Recording;

use crate::Figure;
use crate::axis::LogAxis;
use crate::counting::{FLOAT, LINE, SECTOR};
use crate::drawing::Drawing;
use crate::ladder::RUNS;

const BOTTOM: f64 = 300.0;

pub fn draw() -> Result<Figure> {
    let x = LogAxis {
        values: (1.0, 64.0),
        places: (74.0, 452.0),
    };
    let y = LogAxis {
        values: (0.025, 1.0),
        places: (BOTTOM, 34.0),
    };
    let mut d = Drawing::new(446.0);
    d.text(
        "small soft",
        (14.0, 18.0),
        "share of what the device can copy",
    );
    for share in [0.03, 0.1, 0.3, 1.0] {
        d.line("grid", &[(74.0, y.at(share)), (452.0, y.at(share))]);
        d.text(
            "small soft end",
            (66.0, y.at(share) + 4.5),
            &format!("{:.0} %", share * 100.0),
        );
    }
    let mut told = Vec::new();
    for ((run, class), (piece, row)) in RUNS.iter().zip([(SECTOR, 0.0), (LINE, 48.0)]) {
        let run = Recording::read(run, "lesson04")?;
        let points: Vec<(f64, f64)> = run.records.iter().filter_map(measured).collect();
        let last = points.last().context("no copies in the recording")?.0;
        let model: Vec<_> = points
            .iter()
            .map(|(s, _)| (x.at(*s), y.at(moved(*s, piece))))
            .collect();
        d.line(&format!("{class} model"), &model);
        let line: Vec<_> = points
            .iter()
            .map(|(s, share)| (x.at(*s), y.at(*share)))
            .collect();
        d.line(class, &line);
        for point in &line {
            d.dot(class, *point, 4.0);
        }
        for (stride, _) in &points {
            if row == 0.0 {
                d.text(
                    "small soft middle",
                    (x.at(*stride), BOTTOM + 18.0),
                    &stride.to_string(),
                );
            }
        }
        let top = 362.0 + row;
        d.line(class, &[(14.0, top - 5.0), (40.0, top - 5.0)]);
        d.dot(class, (27.0, top - 5.0), 4.0);
        d.text("small", (48.0, top), &format!("{}, measured", run.device()));
        d.line(
            &format!("{class} model"),
            &[(14.0, top + 15.0), (40.0, top + 15.0)],
        );
        d.text(
            "small",
            (48.0, top + 20.0),
            &format!("counted: moved in pieces of {piece} bytes"),
        );
        let share = |at: usize| points.get(at).map_or(0.0, |(_, share)| *share);
        told.push(format!(
            "{}: {} of the limit at stride 1, {} at 8, {} at {last}",
            run.device(),
            percent(share(0)),
            percent(share(3)),
            percent(share(points.len() - 1))
        ));
    }
    d.text(
        "small soft middle",
        (263.0, BOTTOM + 36.0),
        "elements between what two neighbours read (stride)",
    );
    Ok(Figure {
        title: "What a stride costs".into(),
        description: format!(
            "The rate of a copy over the distance between neighbours' reads, both axes logarithmic. \
             {}. Dashed beside them what counting gives: it falls until each item has a sector, or \
             a line, to itself, and is flat from there on.",
            told.join("; ")
        ),
        drawing: d,
    })
}

/// Stride and share of the limit, where a record is one of these copies.
fn measured(record: &Record) -> Option<(f64, f64)> {
    let stride = record.kernel.strip_prefix("copy_stride ")?.parse().ok()?;
    Some((stride, record.share_of_limit?))
}

/// The share of the moved bytes that is of use, where memory moves pieces of this size:
/// of each element read, as many bytes as its share of a piece, and the write.
fn moved(stride: f64, piece: usize) -> f64 {
    let (float, piece) = (FLOAT as f64, piece as f64);
    2.0 * float / ((stride * float).min(piece) + float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_useful_share_is_that_of_the_lesson() {
        let share = |stride| (100.0 * moved(stride, SECTOR)).round();
        assert_eq!(
            [1.0, 2.0, 4.0, 8.0, 64.0].map(share),
            [100.0, 67.0, 40.0, 22.0, 22.0]
        );
    }
}
