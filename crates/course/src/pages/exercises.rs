//! The table of a lesson's exercises: what each trains, and the command that checks it.

use anyhow::{Result, ensure};

use crate::exercises::exercise;
use crate::exercises::screen;

/// The exercises of a lesson, as Markdown.
pub fn table(lesson: u32) -> Result<String> {
    let mut rows = String::from("| kernel | what it trains | the check |\n|---|---|---|\n");
    let mut all = exercise::all()?;
    all.retain(|one| one.lesson == lesson);
    ensure!(!all.is_empty(), "lesson {lesson} has no exercises");
    for one in all {
        let command = screen::command(&one);
        rows.push_str(&format!(
            "| {} | {} | `{command}` |\n",
            one.title, one.spec.trains
        ));
    }
    Ok(rows)
}
