//! The recorded runs that the figures show, and the best kernel of each lesson in one.

use common::record::Record;
use process::data::recording::Recording;
use process::lessons::LESSONS;

/// The two recordings that the course's tables show, and the colour of each.
pub const RUNS: [(&str, &str); 2] = [("h200-4096", "gpu"), ("pocl-1024", "cpu")];

/// The fastest product of each lesson that has one, with the lesson's number.
pub fn best(run: &str) -> Vec<(u32, Record)> {
    let best = LESSONS.iter().filter_map(|lesson| {
        let recording = Recording::read(run, &lesson.package()).ok()?;
        Some((lesson.number, recording.best()?.clone()))
    });
    best.collect()
}
