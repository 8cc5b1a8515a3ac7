//! Tables of what is kept beside the recordings: a lesson's exercises, a problem's stages.

use anyhow::{Context, Result};
use serde_json::Value;
use verify::numbers::{percent, seconds};
use watchdog::data::recording::name_on;
use watchdog::lessons::numbered;

use super::markdown::{Row, or_dash, table};
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
        let cannot = || format!("{} cannot be used", exercise.display());
        let (title, trains) = of_exercise(&page).with_context(cannot)?;
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
    let stage = |line: &Value| line["stage"].as_str().unwrap_or_default().to_string();
    let ours = lines.iter().filter(|line| stage(line).starts_with(problem));
    let ours: Vec<&Value> = ours.collect();
    let is_theirs = |line: &Value| !line["timed"]["operation"].is_null();
    let first = ours.iter().find(|line| !is_theirs(line))?;
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
    // Of a median for each turn the median, and the first where there was one.
    let time = |line: &Value| {
        let turns = line["turns"].as_array().into_iter().flatten();
        let turns: Vec<f64> = turns.filter_map(Value::as_f64).collect();
        match turns.is_empty() {
            true => line["timed"]["seconds_median"].as_f64(),
            false => Some(quantile(&turns, 0.5)),
        }
    };
    let theirs = ours.iter().find(|line| is_theirs(line));
    let theirs = theirs.and_then(|line| time(line));
    let row = |line: &&Value| -> Row {
        let stage = stage(line);
        let number = stage.trim_end_matches(".toml").rsplit('-').next();
        let name = match line["timed"]["operation"].as_str() {
            Some(operation) => format!("PyTorch: `{operation}`"),
            None => number.unwrap_or_default().into(),
        };
        let (time, share) = (time(line), line["timed"][share].as_f64());
        let mut cells = vec![or_dash(time, seconds), or_dash(share, percent)];
        if let Some(theirs) = theirs {
            cells.push(or_dash(time, |time| format!("{:.2}", theirs / time)));
        }
        (name, cells)
    };
    let rows: Vec<Row> = ours.iter().map(row).collect();
    let mut names = vec![format!("{device}: time"), of.into()];
    names.extend(theirs.map(|_| "times as fast as PyTorch".into()));
    let table = table("stage", &names, &rows);
    let date = date.as_str().unwrap_or("?");
    let by = "by `cargo xtask problems`";
    Some(format!(
        "{table}\n\n*{device}, {sizes}, recorded {date}, {by}.*"
    ))
}
