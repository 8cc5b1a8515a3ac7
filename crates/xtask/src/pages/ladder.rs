//! Where a lesson stands: its best kernel below those of the lessons before, on the recorded devices.

use crate::recording::{Recording, device_name};
use anyhow::{Context, Result};
use common::record::Record;

use super::table::share;

/// The first lesson with a product.
const NAIVE: u32 = 3;

/// The letters of a bar that reaches the device's limit.
const FULL: f64 = 40.0;

/// The best kernel of each lesson up to this one, as bars: what comes later is not told.
pub fn bars(lesson: &str, runs: &[&str]) -> Result<String> {
    let number = lesson.strip_prefix("lesson").unwrap_or(lesson);
    let number: u32 = number.parse().context("a lesson is named lesson05")?;
    let mut lines = vec!["The best of each lesson, of the limit".to_string()];
    for run in runs {
        lines.push(device_name(&best(run, number)?));
        // What is for GPUs alone is recorded on no CPU.
        let lessons = (NAIVE..=number).filter_map(|one| Some((one, best(run, one).ok()?)));
        lines.extend(lessons.map(|(one, best)| {
            let bar = (best.share_of_limit.unwrap_or(0.0) * FULL).ceil();
            format!("  {one:>2} {} {}", "▇".repeat(bar as usize), share(&best))
        }));
    }
    Ok(format!("```text\n{}\n```", lines.join("\n")))
}

/// The fastest product of a lesson on the device.
fn best(run: &str, number: u32) -> Result<Record> {
    let lesson = format!("lesson{number:02}");
    let recording = Recording::read(run, &lesson)?;
    let none = || format!("docs/data/{run}/{lesson} has no product");
    Ok(recording.best().with_context(none)?.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bars_end_with_the_lesson() {
        let bars = bars("lesson05", &["h200-4096"]).unwrap();
        assert!(bars.contains("NVIDIA H200") && bars.contains("\n   3 ▇"), "{bars}");
        assert!(bars.contains("\n   5 ▇") && !bars.contains("\n   6"), "{bars}");
        assert!(super::bars("lesson77", &["h200-4096"]).is_err());
    }
}
