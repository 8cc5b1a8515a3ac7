//! Mutants that no check can find, since they compute the same: listed by hand
//! in data/mutation/equivalent.jsonl, each with the reason.

use anyhow::{Context, Result};
use common::source::workspace;
use serde_json::Value;

use super::mutant::Mutant;
use super::units::Unit;

/// One line of the list.
struct Entry {
    lesson: u64,
    kernel: String,
    operator: String,
    was: String,
    becomes: String,
    because: String,
}

/// The list.
pub struct Equivalents(Vec<Entry>);

impl Equivalents {
    /// Reads the list.
    pub fn read() -> Result<Equivalents> {
        let path = workspace().join("data/mutation/equivalent.jsonl");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let entries = text.lines().enumerate().map(|(number, line)| {
            entry(line).with_context(|| format!("{}, line {}", path.display(), number + 1))
        });
        Ok(Equivalents(entries.collect::<Result<_>>()?))
    }

    /// Why this mutant of a kernel or a helper is equivalent, if it is listed.
    pub fn reason(&self, unit: &Unit, mutant: &Mutant) -> Option<&str> {
        let is_it = |entry: &&Entry| {
            entry.lesson == u64::from(unit.lesson.number)
                && entry.kernel == unit.name
                && entry.operator == mutant.operator
                && entry.was == mutant.was
                && entry.becomes == mutant.becomes
        };
        let entry = self.0.iter().find(is_it)?;
        Some(&entry.because)
    }
}

fn entry(line: &str) -> Result<Entry> {
    let value: Value = serde_json::from_str(line)?;
    let text = |name: &str| {
        let text = value[name].as_str().filter(|text| !text.is_empty());
        text.map(String::from)
            .with_context(|| format!("\"{name}\" is missing"))
    };
    Ok(Entry {
        lesson: value["lesson"].as_u64().context("\"lesson\" is missing")?,
        kernel: text("kernel")?,
        operator: text("operator")?,
        was: text("was")?,
        becomes: text("becomes")?,
        because: text("because")?,
    })
}
