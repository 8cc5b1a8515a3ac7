//! Lesson 4's copies: what a stride costs, measured and by counting.

use anyhow::Result;
use process::data::recording::Recording;

use super::{Axis, Chart, Drawing, RUNS};

/// Bytes of a float.
const FLOAT: usize = 4;
/// Bytes that an NVIDIA GPU fetches at least, and those of a CPU's cache line.
const PIECES: [usize; 2] = [32, 64];

const CHART: Chart = Chart {
    x: Axis::log((1.0, 64.0), (74.0, 452.0)),
    y: Axis::log((0.025, 1.0), (300.0, 34.0)),
};

pub fn draw() -> Result<Drawing> {
    let mut d = Drawing::default();
    for (run, piece) in RUNS.iter().zip(PIECES) {
        let recording = Recording::read(run.name, "lesson04")?;
        let measured = recording.records.iter().filter_map(|record| {
            let stride = record.kernel.strip_prefix("copy_stride ")?.parse().ok()?;
            Some((stride, record.share_of_limit?))
        });
        let points: Vec<(f64, f64)> = measured.collect();
        let counted = points.iter().map(|(stride, _)| {
            let apart = *stride as usize * FLOAT;
            (*stride, share_of_use(apart, piece))
        });
        let model = format!("{} model", run.class);
        d.line(&model, &CHART.places(&counted.collect::<Vec<_>>()));
        d.curve(run.class, &CHART.places(&points));
    }
    Ok(d)
}

/// The share of use in what a copy of floats moves, where memory moves pieces of so many bytes:
/// an item reads one, with whatever else of a piece lies before the next item's, `apart` bytes
/// from its own; it writes one.
fn share_of_use(apart: usize, piece: usize) -> f64 {
    let read = apart.min(piece).max(FLOAT);
    2.0 * FLOAT as f64 / (read + FLOAT) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_nobody_else_wants_moves_whole() {
        let percents = [4, 8, 16, 32, 64].map(|apart| (100.0 * share_of_use(apart, 32)).round());
        assert_eq!(percents, [100.0, 67.0, 40.0, 22.0, 22.0]);
        assert_eq!((100.0 * share_of_use(64, 64)).round(), 12.0);
    }
}
