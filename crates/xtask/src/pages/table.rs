//! The table of a lesson's kernels, one run beside the other, and where its figures come from.

use crate::libraries::comparison::each_once;
use crate::recording::{Recording, counts};
use anyhow::Result;
use common::outcome::Skip;
use common::record::Record;
use verify::numbers::{factor, percent, significant};

/// The kernels of a lesson: rate, step, and share of the limit in each run. Of words that end in
/// `*` each means the rows whose names begin with it; without any all rows are there.
pub fn kernels(lesson: &str, words: &[&str]) -> Result<String> {
    let (names, begins): (Vec<&str>, Vec<&str>) = words.iter().partition(|one| !one.ends_with('*'));
    let shown = |one: &Record| {
        let is = |begin: &&str| one.kernel.starts_with(begin.trim_end_matches('*'));
        counts(one) && (begins.is_empty() || begins.iter().any(is))
    };
    let mut runs = Recording::read_all(&names, lesson)?;
    runs.iter_mut().for_each(|run| run.records.retain(shown));
    let names = runs.iter().flat_map(|run| {
        let rate = format!("{}, {}", label(run, &runs), unit(run));
        [rate, "step".into(), "of limit".into()]
    });
    let records = runs.iter().flat_map(Recording::rows);
    let kernels = each_once(records.map(|one| &*one.kernel));
    let row = |kernel: &str| {
        let cells = runs.iter().flat_map(|run| cells(run, kernel));
        // The step that it was made from, where that is not the row above.
        let from = runs.iter().find_map(|run| of(run, kernel)?.made_from.as_deref());
        let from = from.filter(|from| !from.is_empty());
        let from = from.map_or(String::new(), |from| format!(", from `{from}`"));
        (format!("`{kernel}`{from}"), cells.collect())
    };
    let rows: Vec<Row> = kernels.into_iter().map(row).collect();
    Ok(table("kernel", &names.collect::<Vec<_>>(), &rows))
}

/// The device; with the run's name where the others have one of that name, too.
fn label(run: &Recording, all: &[Recording]) -> String {
    let same = all.iter().filter(|one| one.device() == run.device());
    match same.count() {
        0 | 1 => run.device(),
        _ => format!("{} ({})", run.device(), run.name),
    }
}

/// What a run's kernels are measured in; products before copies.
fn unit(run: &Recording) -> &'static str {
    let product = run.records.iter().find(|record| record.gflops.is_some());
    product.map_or("GB/s", Record::unit)
}

/// Rate, step and share of the limit.
fn cells(run: &Recording, kernel: &str) -> [String; 3] {
    let alone = |rate: String| [rate, "-".into(), "-".into()];
    let Some(record) = of(run, kernel) else {
        return alone("-".into());
    };
    let Some(rate) = record.rate() else {
        let reason = record.skipped().map(Skip::to_string).unwrap_or_default();
        return alone(format!("skipped: {reason}"));
    };
    let mut rate = significant(rate);
    if record.unit() != unit(run) {
        rate = format!("{rate} {}", record.unit());
    }
    [rate, or_dash(record.step_factor, factor), share(record)]
}

fn of<'r>(run: &'r Recording, kernel: &str) -> Option<&'r Record> {
    run.records.iter().find(|record| record.kernel == kernel)
}

/// Of the device's limit.
pub fn share(record: &Record) -> String {
    or_dash(record.share_of_limit, percent)
}

/// Where the figures of a page come from, in one line.
pub fn origin(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = Recording::read_all(names, lesson)?;
    let made = runs.iter().filter_map(|run| Some((run, run.on_device()?)));
    let devices = made.map(|(run, Record { device, driver, .. })| {
        let label = label(run, &runs);
        let device = match label == *device {
            true => format!("{label}, driver {driver}"),
            false => format!("{label} ({device}, driver {driver})"),
        };
        let size = run.size().map_or(String::new(), |size| format!("{size}, "));
        format!("{device}; {size}recorded {}", run.date)
    });
    let devices: Vec<String> = devices.collect();
    Ok(format!("*{}.*", devices.join(". ")))
}

/// A row of a table: its name, and its other cells.
pub type Row = (String, Vec<String>);

/// A table whose columns are words in the first one, and figures, which end below each other, in
/// all others.
pub fn table(first: &str, names: &[String], rows: &[Row]) -> String {
    let line = |first: &str, cells: &[String]| format!("| {first} | {} |", cells.join(" | "));
    let mut table = line(first, names) + "\n|---|" + &"---:|".repeat(names.len());
    for (name, cells) in rows {
        table += &format!("\n{}", line(name, cells));
    }
    table
}

/// A figure as it is shown, or a dash where there is none.
pub fn or_dash(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or("-".into(), show)
}
