//! Lesson 4's copies: what a stride costs, measured and by counting.

use anyhow::{Context, Result};
use common::numbers::percent;
use common::record::Record;
use process::data::recording::Recording;

use crate::figures::chart::{Axis, Chart, key};
use crate::figures::counting::{FLOAT, LINE, SECTOR, share_of_use};
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::runs::RUNS;

const BOTTOM: f64 = 300.0;
const CHART: Chart = Chart {
    x: Axis::log((1.0, 64.0), (74.0, 452.0)),
    y: Axis::log((0.025, 1.0), (BOTTOM, 34.0)),
};

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(446.0);
    d.text(
        "small soft",
        (14.0, 18.0),
        "share of what the device can copy",
    );
    let shares = [0.03, 0.1, 0.3, 1.0].map(|share| (share, format!("{:.0} %", share * 100.0)));
    CHART.across(&mut d, shares);
    let strides = (0..7).map(|power| f64::from(1 << power));
    let words = "elements between what two neighbours read (stride)";
    CHART.below(
        &mut d,
        strides.map(|stride| (stride, stride.to_string())),
        words,
    );
    let mut described = Vec::new();
    for ((run, piece), y) in RUNS.iter().zip([SECTOR, LINE]).zip([357.0, 405.0]) {
        let recording = Recording::read(run.name, "lesson04")?;
        let points: Vec<(f64, f64)> = recording.records.iter().filter_map(measured).collect();
        let counted = points.iter().map(|(stride, _)| {
            let apart = *stride as usize * FLOAT;
            (*stride, share_of_use(FLOAT, apart, piece))
        });
        let model = format!("{} model", run.class);
        d.line(&model, &CHART.places(&counted.collect::<Vec<_>>()));
        d.curve(run.class, &CHART.places(&points));
        let device = recording.device();
        key(&mut d, run.class, (14.0, y), &format!("{device}, measured"));
        let words = format!("counted: moved in pieces of {piece} bytes");
        key(&mut d, &model, (14.0, y + 20.0), &words);
        let (last, share_at_last) = *points.last().context("no copies in the recording")?;
        let share = |at: usize| percent(points.get(at).map_or(0.0, |(_, share)| *share));
        described.push(format!(
            "{device}: {} of the limit at stride 1, {} at 8, {} at {last}",
            share(0),
            share(3),
            percent(share_at_last)
        ));
    }
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

/// Stride and share of the limit, where a record is one of these copies.
fn measured(record: &Record) -> Option<(f64, f64)> {
    let stride = record.kernel.strip_prefix("copy_stride ")?.parse().ok()?;
    Some((stride, record.share_of_limit?))
}
