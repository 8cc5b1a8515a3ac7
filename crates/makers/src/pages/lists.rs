//! Tables of what is kept beside the recordings: a lesson's exercises, and the score of what
//! wrong results look like.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use common::numbers::{percent, seconds};
use process::data::recording::name_on;
use process::lessons::numbered;
use serde_json::Value;

use super::markdown::{Row, or_dash, table};
use crate::kept;

/// A lesson's exercises: what each trains, and the command that checks it.
pub fn exercises(number: u32) -> Result<String> {
    let folder = format!("exercises/{}", numbered(number)?.folder);
    let mut table = "| kernel | what it trains | the check |\n|---|---|---|".to_string();
    for exercise in kept::entries(folder)? {
        let page = kept::read(exercise.join("README.md"))?;
        let name = exercise.file_name().unwrap_or_default().to_string_lossy();
        let place = name.split('-').next().unwrap_or_default();
        let check = format!("`cargo run -p course -- exercise {number}.{place}`");
        let of =
            of_exercise(&page).with_context(|| format!("{} cannot be used", exercise.display()));
        let (title, trains) = of?;
        table += &format!("\n| {title} | {trains} | {check} |");
    }
    Ok(table)
}

/// The title, with which its page begins, and what it trains, as the data between fences say.
fn of_exercise(page: &str) -> Result<(&str, String)> {
    let (title, rest) = page.split_once("```toml\n").context("it has no data")?;
    let (data, _) = rest.split_once("\n```").context("the data do not end")?;
    let data: Value = toml::from_str(data)?;
    let trains = data["trains"].as_str().context("it trains nothing")?;
    Ok((title.trim().trim_start_matches("# "), trains.into()))
}

/// The stages of a problem: a table for each recording that has some.
pub fn stages(problem: &str) -> Result<String> {
    let mut tables = Vec::new();
    for file in kept::entries("data/problems")? {
        let lines = kept::read_lines(&file.display().to_string())?;
        tables.extend(stages_of(&lines, problem));
    }
    if tables.is_empty() {
        bail!("no recording has {problem}");
    }
    Ok(tables.join("\n\n"))
}

fn stages_of(lines: &[Value], problem: &str) -> Option<String> {
    let stage = |line: &Value| line["stage"].as_str().unwrap_or_default().to_string();
    let ours = lines.iter().filter(|line| stage(line).starts_with(problem));
    let ours: Vec<&Value> = ours.collect();
    let first = ours.first()?;
    let device = first["device"].as_str().and_then(|it| it.strip_suffix(')'));
    let device = device.and_then(|it| it.rsplit_once(" ("));
    let (device, platform) = device.unwrap_or_default();
    let device = name_on(platform, device);
    let sizes = first["timed"]["size"].as_object().into_iter().flatten();
    let sizes = sizes.map(|(name, size)| format!("{name} = {size}"));
    let (sizes, date) = (sizes.collect::<Vec<_>>().join(", "), &lines[0]["date"]);
    let (share, of) = match first["timed"]["share_of_copy"].is_null() {
        false => ("share_of_copy", "of a copy"),
        true => ("share_of_compute", "of multiply-adds"),
    };
    let row = |line: &&Value| -> Row {
        let stage = stage(line);
        let number = stage.trim_end_matches(".toml").rsplit('-').next();
        let figure = |name: &str| line["timed"][name].as_f64();
        let time = or_dash(figure("seconds_median"), seconds);
        let cells = [time, or_dash(figure(share), percent)];
        (number.unwrap_or_default().into(), cells.into())
    };
    let rows: Vec<Row> = ours.iter().map(row).collect();
    let names = [format!("{device}: time"), of.into()];
    let table = table("stage", &names, &rows);
    let date = date.as_str().unwrap_or("?");
    Some(format!(
        "{table}\n\n*{device}, {sizes}, recorded {date}, by `cargo makers problems`.*"
    ))
}

/// The score that `cargo makers symptoms` keeps: a row for each kind of fault that is not
/// always named rightly, and the sum of all.
pub fn symptoms() -> Result<String> {
    const COUNTS: [&str; 3] = ["named", "silent", "wrongly"];
    let lines: Vec<Value> = kept::read_lines("data/symptoms/score.jsonl")?;
    let (about, kernels) = lines.split_first().context("the score is empty")?;
    let mut kinds: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    let mut sum = [0; 4];
    for kernel in kernels {
        let kind = kinds
            .entry(kernel["kind"].as_str().unwrap_or("?"))
            .or_default();
        for totals in [kind, &mut sum] {
            totals[0] += 1;
            for (total, name) in totals[1..].iter_mut().zip(COUNTS) {
                *total += kernel[name].as_u64().unwrap_or(0);
            }
        }
    }
    let columns = [
        "kernels",
        "wrong results",
        "named rightly",
        "silent",
        "named wrongly",
    ];
    kinds.retain(|_, [_, _, silent, wrongly]| *silent + *wrongly > 0);
    let all = kinds.into_iter().chain([("all faults", sum)]);
    let rows = all.map(|(kind, [kernels, named, silent, wrongly])| {
        let figures = [kernels, named + silent + wrongly, named, silent, wrongly];
        (kind.into(), figures.map(|figure| figure.to_string()).into())
    });
    let rows: Vec<Row> = rows.collect();
    let table = table("the fault", &columns.map(String::from), &rows);
    let share = sum[1] as f64 / sum[1..].iter().sum::<u64>().max(1) as f64;
    let word = |name: &str| about[name].as_str().unwrap_or("?");
    let sizes = about["sizes"].as_array().into_iter().flatten();
    let sizes: Vec<&str> = sizes.filter_map(Value::as_str).collect();
    let (share, sizes) = (percent(share), sizes.join(", "));
    let (device, date) = (word("device"), word("date"));
    Ok(format!(
        "{table}\n\n*{share} of the wrong results are named rightly. {device}, sizes {sizes}; recorded \
         {date} by `cargo makers symptoms --write`.*"
    ))
}
