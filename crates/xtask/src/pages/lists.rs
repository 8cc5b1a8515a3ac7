//! Tables of what is kept beside the recordings: a lesson's exercises, a problem's stages.

use crate::recording::name_on;
use anyhow::{Context, Result};
use serde_json::Value;
use verify::numbers::{percent, seconds};
use watchdog::lessons::numbered;

use super::table::{Row, or_dash, table};
use crate::kept;
use verify::numbers::quantile;

/// A lesson's exercises: what each trains, and the command that checks it.
pub fn exercises(number: u32) -> Result<String> {
    let folder = format!("exercises/{}", numbered(number)?.folder);
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
        let lines = kept::read_lines(&file.display().to_string())?;
        tables.extend(stages_of(&lines, problem));
    }
    if tables.is_empty() {
        kept::read(format!("exercises/problems/{problem}/task.toml"))?;
        return Ok("*No device was recorded yet.*".into());
    }
    Ok(tables.join("\n\n"))
}

fn stages_of(lines: &[Value], problem: &str) -> Option<String> {
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
    let (sizes, date) = (sizes.join(", "), text(&lines[0]["date"]));
    Some(format!("{table}\n\n*{device}, {sizes}, recorded {date}, by `cargo xtask problems`.*"))
}

/// Of the medians of its turns the median, or that of the one turn that there was.
fn time(line: &Value) -> Option<f64> {
    let turns = line["turns"].as_array().into_iter().flatten();
    let mut turns: Vec<f64> = turns.filter_map(Value::as_f64).collect();
    let first = line["timed"]["seconds_median"].as_f64()?;
    if turns.is_empty() {
        turns.push(first);
    }
    Some(quantile(&turns, 0.5))
}
