//! The ladder: the best kernel of each lesson on the recorded devices.

use anyhow::{Context, Result};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use process::data::peers;
use process::data::recording::{Recording, device_name};
use process::lessons::LESSONS;

use super::markdown::{Table, or_dash};
use super::table::{origin, share};

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

/// All lessons with a product: the best kernel of each, on each device; in a last row the
/// libraries that the devices' owners would call instead.
pub fn table(runs: &[&str]) -> Result<String> {
    let mut table = Table::new("lesson");
    let mut library = Vec::new();
    for run in runs {
        let naive = best(run, NAIVE)?;
        let device = device_name(&naive);
        table = table.words(format!("{device}: best kernel"));
        table = table.figures(["GFLOP/s", "of limit", "step"]);
        library.extend(match peers::library(run, naive.n) {
            None => ["-"; 4].map(String::from),
            Some((name, rate)) => {
                let share = naive.limits.map(|limits| rate / limits.gflops);
                [name, significant(rate), or_dash(share, percent), "-".into()]
            }
        });
    }
    // Beyond these there is no product of floats.
    for lesson in LESSONS
        .iter()
        .filter(|lesson| (NAIVE..=11).contains(&lesson.number))
    {
        let number = lesson.number;
        let mut cells = Vec::new();
        for run in runs {
            // A lesson need not be recorded on every device.
            cells.extend(match best(run, number) {
                Err(_) => ["-"; 4].map(String::from),
                Ok(this) => {
                    let step = match number {
                        NAIVE => "-".into(),
                        _ => factor(rate(&this) / rate(&best(run, number - 1)?)),
                    };
                    [
                        format!("`{}`", this.kernel),
                        significant(rate(&this)),
                        share(&this),
                        step,
                    ]
                }
            });
        }
        // Nor need it have a product.
        if cells.iter().any(|cell| cell != "-") {
            let page = format!("[{number}](../lessons/{}/README.md)", lesson.folder);
            table.row(page, cells);
        }
    }
    if library.iter().any(|cell| cell != "-") {
        table.row("a library", library);
    }
    Ok(format!("{table}\n\n{}", origin(&package(NAIVE), runs)?))
}

fn package(number: u32) -> String {
    format!("lesson{number:02}")
}

/// The fastest product of a lesson on the device.
fn best(run: &str, number: u32) -> Result<Record> {
    let recording = Recording::read(run, &package(number))?;
    let none = || format!("data/{run}/{} has no product", package(number));
    Ok(recording.best().with_context(none)?.clone())
}

fn rate(record: &Record) -> f64 {
    record.gflops.unwrap_or(0.0)
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

    #[test]
    fn the_table_has_a_row_for_each_lesson_with_a_product() {
        let table = table(&["h200-4096"]).unwrap();
        let rows = table.lines().filter(|line| line.starts_with("| ["));
        assert_eq!(rows.count(), 9, "{table}");
    }
}
