//! Lesson 14: how SUMMA scales, measured and by the model of the lesson.

use anyhow::{Context, Result, ensure};
use process::data::recording::file;

use super::{Axis, Chart, Drawing};
use crate::printed::numbers;

/// The recording, and what it printed above its tables.
const RUN: &str = "epyc-ranks";

/// A row of the model: ranks, and of both kinds of scaling the efficiency and what binds.
struct Predicted<'t> {
    ranks: f64,
    efficiency: [f64; 2],
    binds: [&'t str; 2],
}

pub fn draw() -> Result<Drawing> {
    let printed = file(RUN, "lesson14", "txt")?;
    let part = |from: &str, to: &str| {
        let (_, rest) = printed.split_once(from).context("no such table")?;
        Ok::<_, anyhow::Error>(rest.split_once(to).map_or(rest, |(part, _)| part))
    };
    let measured = [part("Strong", "Weak")?, part("Weak", "The model")?].map(efficiency);
    let model: Vec<Predicted> = part("The model", "\0")?
        .lines()
        .filter_map(predicted)
        .collect();
    ensure!(model.len() > 2, "no model in the recording");

    let mut d = Drawing::default();
    let chart = Chart {
        x: Axis::log((1.0, 1024.0), (70.0, 440.0)),
        y: Axis::linear((0.0, 1.05), (232.0, 36.0)),
    };
    for (kind, class) in ["mark model", "arrow"].into_iter().enumerate() {
        let points = model.iter().map(|row| (row.ranks, row.efficiency[kind]));
        d.line(class, &chart.places(&points.collect::<Vec<_>>()));
        for row in &model {
            let at = chart.at((row.ranks, row.efficiency[kind]));
            d.dot(colour(row.binds[kind]), at, 5.0);
        }
        for measured in &measured[kind] {
            d.dot("item", chart.at(*measured), 3.0);
        }
    }
    Ok(d)
}

fn colour(binds: &str) -> &'static str {
    match binds {
        "kernels" => "c",
        "bandwidth" => "b",
        "latency" => "a",
        _ => "item",
    }
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

/// A row of the model's table.
fn predicted(line: &str) -> Option<Predicted<'_>> {
    let is_word = |word: &&str| ["kernels", "bandwidth", "latency"].contains(word);
    let binds: Vec<&str> = line.split_whitespace().filter(is_word).collect();
    let [ranks, _, strong, _, weak] = numbers(line)[..] else {
        return None;
    };
    Some(Predicted {
        ranks,
        efficiency: [strong, weak].map(|share| share / 100.0),
        binds: [*binds.first()?, *binds.get(1)?],
    })
}
