//! Where a lesson stands: its best kernel beside those of other lessons, on the recorded devices.

use anyhow::{Context, Result};
use common::record::Record;
use process::data::recording::{Recording, device_name};

use super::table::share;

/// The first lesson with a product: what the others are measured against.
const NAIVE: u32 = 3;

/// Where one lesson stands on each device: the naive kernel, the lesson before, this
/// one, the next one, as shares of the device's limit.
pub fn line(lesson: &str, runs: &[&str]) -> Result<String> {
    let number = lesson.strip_prefix("lesson").unwrap_or(lesson);
    let number: u32 = number.parse().context("a lesson is named lesson05")?;
    let lines = runs.iter().map(|run| {
        let (of_naive, this) = (best(run, NAIVE)?, best(run, number)?);
        let mut places = vec![format!("naive {}", share(&of_naive))];
        if number > NAIVE + 1 {
            places.push(format!("last lesson {}", share(&best(run, number - 1)?)));
        }
        if number > NAIVE {
            places.push(format!("**this one {}**", share(&this)));
        }
        // The last lesson has none, and one for GPUs alone is recorded on no CPU.
        if let Ok(next) = best(run, number + 1) {
            places.push(format!("next {}", share(&next)));
        }
        Ok(format!("{}: {}", device_name(&this), places.join(", ")))
    });
    let lines: Vec<String> = lines.collect::<Result<_>>()?;
    Ok(format!(
        "*The best kernel in per cent of the device's limit. {}.*",
        lines.join(". ")
    ))
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
    fn a_lesson_stands_between_its_neighbours() {
        let line = line("lesson05", &["h200-4096"]).unwrap();
        for word in [
            "NVIDIA H200: naive ",
            "last lesson ",
            "**this one ",
            "next ",
        ] {
            assert!(line.contains(word), "{line}");
        }
        assert!(super::line("lesson77", &["h200-4096"]).is_err());
    }
}
