//! A Markdown table of recorded runs: a row for each kernel, columns for each run.

use anyhow::Result;
use common::numbers::{factor, percent, significant};
use common::record::Record;
use process::data::recording::{Recording, counts};

use super::markdown::{Table, or_dash};

/// The kernels of a lesson under one or several recorded runs.
pub fn side_by_side(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = Recording::read_all(names, lesson)?;
    let mut kernels: Vec<&Record> = Vec::new();
    for record in runs.iter().flat_map(|run| &run.records) {
        let known = kernels.iter().any(|known| known.kernel == record.kernel);
        if !known && counts(record) {
            kernels.push(record);
        }
    }
    let mut table = Table::new("kernel");
    for run in &runs {
        let rate = format!("{}, {}", label(run, &runs), unit(run));
        table = table.figures(rate).figures("step").figures("of limit");
    }
    for kernel in kernels {
        let mut row = vec![format!("`{}`", kernel.kernel)];
        row.extend(runs.iter().flat_map(|run| cells(run, &kernel.kernel)));
        table.row(row);
    }
    Ok(format!("{table}{}", captions(&runs)))
}

/// The device; with the run's name where the others have one of that name, too.
pub fn label(run: &Recording, all: &[Recording]) -> String {
    let same = all.iter().filter(|one| one.device() == run.device());
    match same.count() {
        0 | 1 => run.device(),
        _ => format!("{} ({})", run.device(), run.name),
    }
}

/// What a run's kernels are measured in; products before copies.
pub fn unit(run: &Recording) -> &'static str {
    let product = run.records.iter().find(|record| record.gflops.is_some());
    product.map_or("GB/s", Record::unit)
}

/// Rate, step and share of the limit.
fn cells(run: &Recording, kernel: &str) -> [String; 3] {
    let alone = |rate: String| [rate, "-".into(), "-".into()];
    let Some(record) = run.records.iter().find(|r| r.kernel == kernel && counts(r)) else {
        return alone("-".into());
    };
    let Some(rate) = record.rate() else {
        let reason = record.skipped.as_deref().unwrap_or_default();
        return alone(format!("skipped: {reason}"));
    };
    let mut rate = significant(rate);
    if record.unit() != unit(run) {
        rate = format!("{rate} {}", record.unit());
    }
    [rate, step(record), or_dash(record.share_of_limit, percent)]
}

/// The factor to the step that this one was made from; with its name, where that is
/// not the row above.
fn step(record: &Record) -> String {
    let of = |name: &String| match name.as_str() {
        "" => String::new(),
        name => format!(" of `{name}`"),
    };
    let made_from = record.made_from.as_ref().map_or(String::new(), of);
    let times = |times| format!("{}{made_from}", factor(times));
    or_dash(record.step_factor, times)
}

/// Where the figures come from: a line for each run.
pub fn captions(runs: &[Recording]) -> String {
    let made = runs.iter().filter_map(|run| Some((run, run.on_device()?)));
    let captions = made.map(|(run, record)| {
        let size = run.size().map_or(String::new(), |size| format!("{size}, "));
        format!(
            "\n\n*{}: {}, {}, driver {}; {size}median of at least 3 runs, recorded {} by `{}`.*",
            label(run, runs),
            record.device,
            record.platform,
            record.driver,
            run.date,
            run.command
        )
    });
    captions.collect()
}

/// The same for a whole page, in one line.
pub fn origin(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = Recording::read_all(names, lesson)?;
    let made = runs.iter().filter_map(|run| Some((run, run.on_device()?)));
    let devices = made.map(|(run, record)| {
        let size = run.size().map_or(String::new(), |size| format!("{size}, "));
        let (label, driver) = (label(run, &runs), &record.driver);
        match label == record.device {
            true => format!("{label}, driver {driver}; {size}recorded {}", run.date),
            false => format!(
                "{label} ({}, driver {driver}); {size}recorded {}",
                record.device, run.date
            ),
        }
    });
    let devices: Vec<String> = devices.collect();
    Ok(format!(
        "*Where the figures come from: {}. Each is the median of at least 3 runs.*",
        devices.join(". ")
    ))
}
