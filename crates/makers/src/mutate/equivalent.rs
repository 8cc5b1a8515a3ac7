//! Mutants that no check can find, since they compute the same: listed by hand
//! in data/mutation/equivalent.jsonl, each with the reason.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use common::source::workspace;
use serde::Deserialize;

use super::mutant::Mutant;
use super::units::Unit;

#[derive(Deserialize)]
struct Entry {
    lesson: u32,
    kernel: String,
    operator: String,
    was: String,
    becomes: String,
    because: String,
}

pub struct Equivalents(Vec<Entry>);

impl Equivalents {
    pub fn read() -> Result<Equivalents> {
        let path = workspace().join("data/mutation/equivalent.jsonl");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Equivalents::of(&text, &path)
    }

    fn of(text: &str, path: &Path) -> Result<Equivalents> {
        let entries = text.lines().zip(1..).map(|(line, number)| {
            let place = || format!("{}, line {number}", path.display());
            let entry: Entry = serde_json::from_str(line).with_context(place)?;
            ensure!(!entry.because.is_empty(), "{}: it needs a reason", place());
            Ok(entry)
        });
        Ok(Equivalents(entries.collect::<Result<_>>()?))
    }

    /// Whether this mutant of a kernel or a helper is listed.
    pub fn contain(&self, unit: &Unit, mutant: &Mutant) -> bool {
        self.0.iter().any(|entry| {
            entry.lesson == unit.lesson.number
                && entry.kernel == unit.name
                && entry.operator == mutant.operator
                && entry.was == mutant.was
                && entry.becomes == mutant.becomes
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_list_is_refused_or_has_a_reason_for_each() {
        let path = workspace().join("data/mutation/equivalent.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let few: String = text.split_inclusive('\n').take(5).collect();
        assert!(Equivalents::of(&few, &path).is_ok());
        damage::must_be_survived(few.as_bytes(), move |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(list) = Equivalents::of(&text, &path) {
                assert!(list.0.iter().all(|entry| !entry.because.is_empty()));
            }
        });
    }
}
