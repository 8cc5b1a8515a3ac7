//! A Markdown table of recorded runs: a row for each kernel, columns for each run.

use std::fs;

use anyhow::{Context, Result};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use common::shape::Shape;
use serde_json::Value;

use super::data;

/// A lesson as it was recorded once.
pub struct Run {
    name: String,
    command: String,
    date: String,
    /// What it measured, in order.
    pub records: Vec<Record>,
}

impl Run {
    /// The sides of its first product that was timed.
    pub fn size(&self) -> Option<Shape> {
        let on_device = |r: &&Record| r.platform != "host" && r.m > 0 && counts(r);
        let product = self.records.iter().find(on_device);
        product.map(|r| Shape {
            m: r.m,
            n: r.n,
            k: r.k,
        })
    }
}

/// The kernels of a lesson under one or several recorded runs.
pub fn side_by_side(lesson: &str, names: &[&str]) -> Result<String> {
    let runs: Vec<Run> = names
        .iter()
        .map(|name| read(name, lesson))
        .collect::<Result<_>>()?;
    let mut kernels: Vec<&Record> = Vec::new();
    for record in runs.iter().flat_map(|run| &run.records) {
        let known = kernels.iter().any(|known| known.kernel == record.kernel);
        if !known && counts(record) {
            kernels.push(record);
        }
    }
    let mut out = String::from("| kernel |");
    for run in &runs {
        out += &format!(" {}, {} | step | of limit |", label(run, &runs), unit(run));
    }
    out += "\n|---|";
    out += &"---:|---:|---:|".repeat(runs.len());
    for kernel in kernels {
        out += &format!("\n| `{}` |", kernel.kernel);
        for run in &runs {
            out += &cells(run, &kernel.kernel);
        }
    }
    for run in &runs {
        out += &format!("\n\n{}", caption(run, &runs));
    }
    Ok(out)
}

/// Reads `data/RUN/LESSON.jsonl`.
pub fn read(run: &str, lesson: &str) -> Result<Run> {
    let path = data(run, lesson, "jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let mut lines = text.lines();
    let about: Value = serde_json::from_str(lines.next().context("an empty recording")?)?;
    let word = |name: &str| about[name].as_str().unwrap_or("?").to_string();
    Ok(Run {
        name: run.into(),
        command: word("command"),
        date: word("date"),
        records: lines
            .map(|line| serde_json::from_str(line).context("a record that cannot be read"))
            .collect::<Result<_>>()?,
    })
}

/// The first record that was made on a device, not on the host.
fn on_device(run: &Run) -> Option<&Record> {
    run.records.iter().find(|record| record.platform != "host")
}

/// The device; with the run's name where the others have one of that name, too.
fn label(run: &Run, all: &[Run]) -> String {
    let short = |run| on_device(run).map_or("?".into(), short);
    let same = all.iter().filter(|other| short(other) == short(run));
    match same.count() {
        0 | 1 => short(run),
        _ => format!("{} ({})", short(run), run.name),
    }
}

/// What a run's kernels are measured in.
fn unit(run: &Run) -> &'static str {
    if run.records.iter().any(|record| record.gflops.is_some()) {
        "GFLOP/s"
    } else {
        "GB/s"
    }
}

/// A device's name as people say it.
fn short(record: &Record) -> String {
    match record.platform.as_str() {
        "Portable Computing Language" => "PoCL on a CPU".into(),
        platform if platform.starts_with("Intel") => "Intel's runtime on a CPU".into(),
        _ => record.device.clone(),
    }
}

/// Whether a record belongs into a table: what was only shown, not timed, does
/// not, and has a size of its own.
fn counts(record: &Record) -> bool {
    record.rate().is_some() || record.skipped.is_some()
}

fn cells(run: &Run, kernel: &str) -> String {
    let Some(record) = run.records.iter().find(|r| r.kernel == kernel && counts(r)) else {
        return " - | - | - |".into();
    };
    if let Some(reason) = &record.skipped {
        return format!(" skipped: {reason} | - | - |");
    }
    let Some(rate) = record.rate() else {
        return " - | - | - |".into();
    };
    let unit = match (record.gflops, unit(run)) {
        (None, "GFLOP/s") => " GB/s",
        _ => "",
    };
    format!(
        " {}{unit} | {} | {} |",
        significant(rate),
        record.step_factor.map_or("-".into(), factor),
        record.share_of_limit.map_or("-".into(), percent)
    )
}

/// Where the figures come from.
pub fn caption(run: &Run, all: &[Run]) -> String {
    let Some(record) = on_device(run) else {
        return String::new();
    };
    let size = run.size().map_or(String::new(), |size| format!("{size}, "));
    format!(
        "*{}: {}, {}, driver {}; {size}median of at least 3 runs, recorded {} by `{}`.*",
        label(run, all),
        record.device,
        record.platform,
        record.driver,
        run.date,
        run.command
    )
}
