//! Tables: a lesson's kernels, one run beside the other, with where its figures come from; where a
//! lesson stands; a lesson's exercises; a problem's stages.

use anyhow::{Context, Result};
use common::record::Record;
use serde_json::Value;
use verify::numbers::{factor, percent, quantile, seconds, significant};

use crate::kept::{self, Recording, counts, name_on};

/// The kernels of a lesson: rate, step, and share of the limit in each run. Of words that end in
/// `*` each means the rows whose names begin with it; without any all rows are there.
pub fn kernels(lesson: &str, words: &[&str]) -> Result<String> {
    let (names, begins): (Vec<&str>, Vec<&str>) = words.iter().partition(|one| !one.ends_with('*'));
    let shown = |one: &Record| {
        let is = |begin: &&str| one.kernel.starts_with(begin.trim_end_matches('*'));
        counts(one) && (begins.is_empty() || begins.iter().any(is))
    };
    let runs = names.iter().map(|run| Recording::read(run, lesson));
    let mut runs = runs.collect::<Result<Vec<_>>>()?;
    runs.iter_mut().for_each(|run| run.records.retain(shown));
    let names = runs.iter().flat_map(|run| {
        let rate = format!("{}, {}", label(run, &runs), unit(run));
        [rate, "step".into(), "of limit".into()]
    });
    let records = runs.iter().flat_map(Recording::rows);
    let kernels: indexmap::IndexSet<&str> = records.map(|one| &*one.kernel).collect();
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
    let device = run.device();
    let is_alone = all.iter().filter(|one| one.device() == device).count() == 1;
    if is_alone { device } else { format!("{device} ({})", run.name) }
}

/// What a run's kernels are measured in; products before copies.
fn unit(run: &Recording) -> &'static str {
    let product = run.records.iter().find(|record| record.gflops.is_some());
    product.map_or("GB/s", Record::unit)
}

/// Rate, step and share of the limit.
fn cells(run: &Recording, kernel: &str) -> [String; 3] {
    let record = of(run, kernel);
    let Some((record, rate)) = record.and_then(|one| Some((one, one.rate()?))) else {
        let skip = record.and_then(Record::skipped);
        let why = skip.map_or("-".into(), |reason| format!("skipped: {reason}"));
        return [why, "-".into(), "-".into()];
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
fn share(record: &Record) -> String {
    or_dash(record.share_of_limit, percent)
}

/// Where the figures of a page come from, in one line.
pub fn origin(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = names.iter().map(|run| Recording::read(run, lesson));
    let runs = runs.collect::<Result<Vec<_>>>()?;
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
type Row = (String, Vec<String>);

/// A table whose columns are words in the first one, and figures, which end below each other, in
/// all others.
fn table(first: &str, names: &[String], rows: &[Row]) -> String {
    let line = |first: &str, cells: &[String]| format!("| {first} | {} |", cells.join(" | "));
    let mut table = line(first, names) + "\n|---|" + &"---:|".repeat(names.len());
    for (name, cells) in rows {
        table += &format!("\n{}", line(name, cells));
    }
    table
}

/// A figure as it is shown, or a dash where there is none.
fn or_dash(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or("-".into(), show)
}

/// The best kernel of each lesson up to this one, as bars: what comes later is not told.
pub fn bars(lesson: &str, runs: &[&str]) -> Result<String> {
    let number = lesson.strip_prefix("lesson").unwrap_or(lesson);
    let number: u32 = number.parse().context("a lesson is named lesson05")?;
    let mut lines = vec!["The best of each lesson, of the limit".to_string()];
    for run in runs {
        let Record { platform, device, .. } = best(run, number)?;
        lines.push(name_on(&platform, &device));
        // Lesson 3 has the first product. What is for GPUs alone is recorded on no CPU.
        let lessons = (3..=number).filter_map(|one| Some((one, best(run, one).ok()?)));
        lines.extend(lessons.map(|(one, best)| {
            // One that reaches the device's limit has 40 letters.
            let letters = (best.share_of_limit.unwrap_or(0.0) * 40.0).ceil();
            format!("  {one:>2} {} {}", "▇".repeat(letters as usize), share(&best))
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

/// A lesson's exercises: what each trains, and the command that checks it.
pub fn exercises(number: u32) -> Result<String> {
    let folder = format!("exercises/{}", watchdog::lessons::numbered(number)?.folder);
    let mut table = "| kernel | what it trains | the check |\n|---|---|---|".to_string();
    for exercise in kept::entries(folder)? {
        let page = kept::read(exercise.join("README.md"))?;
        let name = exercise.file_name().unwrap_or_default().to_string_lossy();
        let place = name.split('-').next().unwrap_or_default();
        let check = format!("`cargo course exercise {number}.{place}`");
        let of_page = || -> Option<(&str, Value)> {
            let (title, rest) = page.split_once("```toml\n")?;
            let (data, _) = rest.split_once("\n```")?;
            Some((title.trim().trim_start_matches("# "), toml::from_str(data).ok()?))
        };
        let cannot = || format!("{}: no data that say what it trains", exercise.display());
        let (title, data) = of_page().with_context(cannot)?;
        let trains = data["trains"].as_str().with_context(cannot)?;
        table += &format!("\n| {title} | {trains} | {check} |");
    }
    Ok(table)
}

/// The stages of a problem: a table for each recording that has some.
pub fn stages(problem: &str) -> Result<String> {
    let mut tables = Vec::new();
    for file in kept::entries("docs/data/problems")? {
        let (about, lines) =
            kept::lines_of(&kept::read(&file)?).with_context(|| format!("{}", file.display()))?;
        tables.extend(stages_of(&about, &lines, problem));
    }
    if tables.is_empty() {
        kept::read(format!("exercises/problems/{problem}/task.toml"))?;
        return Ok("*No device was recorded yet.*".into());
    }
    Ok(tables.join("\n\n"))
}

fn stages_of(about: &Value, lines: &[Value], problem: &str) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let ours = lines.iter().filter(|line| text(&line["stage"]).starts_with(problem));
    let ours: Vec<&Value> = ours.collect();
    let is_theirs = |line: &&&Value| !line["timed"]["operation"].is_null();
    let theirs = ours.iter().find(is_theirs).and_then(|line| time(line));
    let first = ours.iter().find(|line| !is_theirs(line))?;
    let device = text(&first["device"]);
    let (device, platform) = device.strip_suffix(')')?.rsplit_once(" (")?;
    let device = name_on(platform, device);
    let sizes = first["timed"]["size"].as_object().into_iter().flatten();
    let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name} = {size}")).collect();
    let (share, of) = match first["timed"]["share_of_copy"].is_null() {
        false => ("share_of_copy", "of a copy"),
        true => ("share_of_compute", "of multiply-adds"),
    };
    let row = |line: &&Value| -> Row {
        let stage = text(&line["stage"]);
        let number = stage.trim_end_matches(".toml").rsplit('-').next();
        let name = match line["timed"]["operation"].as_str() {
            Some(operation) => format!("PyTorch: `{operation}`"),
            None => number.unwrap_or_default().into(),
        };
        let (time, share) = (time(line), line["timed"][share].as_f64());
        let mut cells = vec![or_dash(time, seconds), or_dash(share, percent)];
        let times = |theirs| or_dash(time, |time| format!("{:.2}", theirs / time));
        cells.extend(theirs.map(times));
        (name, cells)
    };
    let rows: Vec<Row> = ours.iter().map(row).collect();
    let mut names = vec![format!("{device}: time"), of.into()];
    names.extend(theirs.map(|_| "times as fast as PyTorch".into()));
    let table = table("stage", &names, &rows);
    let (sizes, date) = (sizes.join(", "), text(&about["date"]));
    Some(format!("{table}\n\n*{device}, {sizes}, recorded {date}, by `cargo xtask problems`.*"))
}

/// Of the medians of its turns the median, or that of the one turn that there was.
fn time(line: &Value) -> Option<f64> {
    let turns = line["turns"].as_array().into_iter().flatten();
    let turns: Vec<f64> = turns.filter_map(Value::as_f64).collect();
    let first = line["timed"]["seconds_median"].as_f64()?;
    Some(if turns.is_empty() { first } else { quantile(&turns, 0.5) })
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
