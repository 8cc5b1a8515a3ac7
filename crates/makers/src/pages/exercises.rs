//! The table of a lesson's exercises: what each trains, and the command that checks it.

use std::fs;

use anyhow::{Context, Result};
use common::source::workspace;
use process::lessons::numbered;
use serde_json::Value;

use super::markdown::Table;

pub fn table(number: u32) -> Result<String> {
    let lesson = numbered(number)?;
    let folder = workspace().join("exercises").join(lesson.folder);
    let exercises = fs::read_dir(&folder)
        .with_context(|| format!("lesson {number} has no exercises"))?
        .map(|entry| Ok(entry?.path()));
    let mut exercises = exercises.collect::<Result<Vec<_>>>()?;
    exercises.sort();
    let mut table = Table::new("kernel")
        .words("what it trains")
        .words("the check");
    for exercise in exercises {
        let page = fs::read_to_string(exercise.join("README.md"))?;
        let name = exercise.file_name().unwrap_or_default().to_string_lossy();
        let place = name.split('-').next().unwrap_or_default();
        let row = row(&page, &format!("{number}.{place}"));
        table.row(row.with_context(|| format!("{} cannot be used", exercise.display()))?);
    }
    Ok(table.to_string())
}

/// A page begins with its title, and data between fences.
fn row(page: &str, id: &str) -> Result<Vec<String>> {
    let (title, rest) = page.split_once("```toml\n").context("it has no data")?;
    let (data, _) = rest.split_once("\n```").context("the data do not end")?;
    let data: Value = toml::from_str(data)?;
    let trains = data["trains"].as_str().context("it trains nothing")?;
    let title = title.trim().trim_start_matches("# ");
    let check = format!("`cargo run -p course -- exercise {id}`");
    Ok(vec![title.into(), trains.into(), check])
}
