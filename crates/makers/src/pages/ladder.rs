//! The ladder: the best kernel of each lesson on the recorded devices.

use anyhow::{Context, Result, bail};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use process::data::peers;
use process::data::recording::{Recording, device_name};
use process::lessons::LESSONS;

use super::markdown::{Table, or_dash};
use super::table::captions;

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

/// All lessons with a product: the best kernel of each, on each device.
pub fn table(runs: &[&str]) -> Result<String> {
    let recordings: Vec<Recording> = runs
        .iter()
        .map(|run| Recording::read(run, &package(NAIVE)))
        .collect::<Result<_>>()?;
    let mut table = Table::new("lesson");
    for run in runs {
        let device = device_name(&best(run, NAIVE)?);
        table = table.words(format!("{device}: best kernel"));
        table = ["GFLOP/s", "of limit", "step"]
            .into_iter()
            .fold(table, Table::figures);
    }
    for lesson in LESSONS.iter().filter(|lesson| lesson.number >= NAIVE) {
        let number = lesson.number;
        let mut row = vec![format!(
            "[{number}](../lessons/{}/README.md)",
            lesson.folder
        )];
        for run in runs {
            // A lesson need not be recorded on every device.
            let Ok(this) = best(run, number) else {
                row.extend(["-"; 4].map(String::from));
                continue;
            };
            let step = match number {
                NAIVE => "-".into(),
                _ => factor(rate(&this) / rate(&best(run, number - 1)?)),
            };
            let kernel = format!("`{}`", this.kernel);
            row.extend([kernel, significant(rate(&this)), share(&this), step]);
        }
        table.row(row);
    }
    if let Some(row) = libraries(runs)? {
        table.row(row);
    }
    Ok(format!("{table}{}", captions(&recordings)))
}

/// A last row: the libraries that the devices' owners would call instead. None where none
/// was measured.
fn libraries(runs: &[&str]) -> Result<Option<Vec<String>>> {
    let mut row = vec!["a library".into()];
    let mut known = false;
    for run in runs {
        let naive = best(run, NAIVE)?;
        let limit = naive.limits.map(|limits| limits.gflops);
        let library = peers::library(run, naive.n);
        known |= library.is_some();
        let (name, rate) = library.map_or(("-".into(), None), |(name, rate)| (name, Some(rate)));
        let share = rate.zip(limit).map(|(rate, limit)| rate / limit);
        let (rate, share) = (or_dash(rate, significant), or_dash(share, percent));
        row.extend([name, rate, share, "-".into()]);
    }
    Ok(known.then_some(row))
}

fn package(number: u32) -> String {
    format!("lesson{number:02}")
}

/// The fastest product of a lesson on the device.
fn best(run: &str, number: u32) -> Result<Record> {
    let recording = Recording::read(run, &package(number))?;
    let Some(best) = recording.best() else {
        bail!("data/{run}/{} has no product", package(number));
    };
    Ok(best.clone())
}

fn rate(record: &Record) -> f64 {
    record.gflops.unwrap_or(0.0)
}

fn share(record: &Record) -> String {
    or_dash(record.share_of_limit, percent)
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
        assert_eq!(rows.count(), LESSONS.len() - 2, "{table}");
    }
}
