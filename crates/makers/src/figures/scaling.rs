//! Lesson 14: how SUMMA scales, measured and by the model of the lesson.

use anyhow::{Context, Result, ensure};
use process::data::recording::file;

use super::{Axis, Chart, Drawing, Point};
use crate::printed::numbers;

/// The recording, and what it printed above its tables.
const RUN: &str = "epyc-ranks";

const CHART: Chart = Chart {
    x: Axis::log((1.0, 1024.0), (70.0, 440.0)),
    y: Axis::linear((0.0, 1.05), (232.0, 36.0)),
};

pub fn draw() -> Result<Drawing> {
    let printed = file(RUN, "lesson14", "txt")?;
    let part = |from: &str, to: &str| {
        let (_, rest) = printed.split_once(from).context("no such table")?;
        Ok::<_, anyhow::Error>(rest.split_once(to).map_or(rest, |(part, _)| part))
    };
    let measured = [part("Strong", "Weak")?, part("Weak", "The model")?].map(efficiency);
    let model = part("The model", "\0")?;
    let mut d = Drawing::default();
    for (kind, class) in ["mark model", "arrow"].into_iter().enumerate() {
        let rows: Vec<(Point, &str)> = model
            .lines()
            .filter_map(|line| predicted(line, kind))
            .collect();
        ensure!(rows.len() > 2, "no model in the recording");
        let points: Vec<Point> = rows.iter().map(|(at, _)| *at).collect();
        d.line(class, &points);
        for (at, binds) in rows {
            d.dot(binds, at, 5.0);
        }
        for measured in &measured[kind] {
            d.dot("item", CHART.at(*measured), 3.0);
        }
    }
    Ok(d)
}

/// Of a table's rows: ranks, and their rate over that of as many single ones.
fn efficiency(table: &str) -> Vec<(f64, f64)> {
    let rows = table.lines().filter_map(|line| match numbers(line)[..] {
        [ranks, _, rate, ..] => Some((ranks, rate)),
        _ => None,
    });
    let rows: Vec<(f64, f64)> = rows.collect();
    let alone = rows.first().map_or(1.0, |(_, rate)| *rate);
    let shares = rows
        .iter()
        .map(|(ranks, rate)| (*ranks, rate / ranks / alone));
    shares.collect()
}

/// Of a row of the model's table: the efficiency of a kind of scaling over the ranks, as a place,
/// and the colour of what binds.
fn predicted(line: &str, kind: usize) -> Option<(Point, &'static str)> {
    let [ranks, _, strong, _, weak] = numbers(line)[..] else {
        return None;
    };
    let mut binds = line.split_whitespace().filter_map(|word| match word {
        "kernels" => Some("c"),
        "bandwidth" => Some("b"),
        "latency" => Some("a"),
        _ => None,
    });
    let share = [strong, weak][kind] / 100.0;
    Some((CHART.at((ranks, share)), binds.nth(kind)?))
}
