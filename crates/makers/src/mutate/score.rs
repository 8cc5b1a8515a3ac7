//! How many mutants of a kernel or a helper were found, and by what.

use anyhow::{Result, ensure};
use common::numbers::percent;
use serde::Deserialize;
use serde_json::{Value, json};

use super::detect::DETECTORS;
use super::mutant::Mutant;
use super::units::Unit;
use crate::kept;

/// What became of a mutant.
#[derive(Clone, Copy, PartialEq)]
pub enum Fate {
    /// Found, by this detector.
    Caught(&'static str),
    /// Not found, and listed as equivalent.
    Equivalent,
    /// Not found.
    Survived,
}

/// The mutants of one function.
pub struct MutationScore {
    pub unit: Unit,
    /// All its mutants, and what became of each.
    pub mutants: Vec<(Mutant, Fate)>,
}

impl MutationScore {
    /// How many have this fate.
    pub fn count(&self, wanted: Fate) -> usize {
        self.mutants
            .iter()
            .filter(|(_, fate)| *fate == wanted)
            .count()
    }

    /// Which detectors found any, and how many, in the order in which they look.
    fn caught(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let counts = DETECTORS
            .split(' ')
            .map(|by| (by, self.count(Fate::Caught(by))));
        counts.filter(|(_, count)| *count > 0)
    }

    /// The line of data/mutation/score.jsonl.
    pub fn summary(&self) -> Value {
        let mut summary = self.unit.record(self.mutants.len());
        summary["caught"] = self
            .caught()
            .map(|(by, count)| (by.to_string(), json!(count)))
            .collect();
        summary["equivalent"] = json!(self.count(Fate::Equivalent));
        summary["survived"] = json!(self.count(Fate::Survived));
        summary
    }

    /// The same with every mutant.
    pub fn whole(&self) -> Value {
        let mut value = self.summary();
        let record = |(mutant, fate): &(Mutant, Fate)| {
            let mut told = json!(mutant);
            (told["fate"], told["by"]) = match fate {
                Fate::Caught(by) => (json!("caught"), json!(by)),
                Fate::Equivalent => (json!("equivalent"), Value::Null),
                Fate::Survived => (json!("survived"), Value::Null),
            };
            told
        };
        value["each"] = self.mutants.iter().map(record).collect();
        value
    }

    /// For people: a line, and two for each survivor.
    pub fn text(&self) -> String {
        let (lesson, title, all) = (
            self.unit.lesson.number,
            self.unit.title(),
            self.mutants.len(),
        );
        let equivalent = self.count(Fate::Equivalent);
        let survived = self.count(Fate::Survived);
        let candidates = all - equivalent;
        let share = percent((candidates - survived) as f64 / candidates.max(1) as f64);
        let by: Vec<String> = self
            .caught()
            .map(|(by, count)| format!("{by} {count}"))
            .collect();
        let by = by.join(", ");
        let mut text =
            format!("{lesson}  {title:<30}{all:>5}{equivalent:>12}{survived:>10}{share:>8}   {by}");
        for (mutant, _) in self
            .mutants
            .iter()
            .filter(|(_, fate)| *fate == Fate::Survived)
        {
            let Mutant {
                operator,
                was,
                becomes,
                ..
            } = mutant;
            text += &format!("\n      survived: {operator}\n      - {was}\n      + {becomes}");
        }
        text
    }
}

/// The heading of the lines of [`MutationScore::text`].
pub fn heading() -> String {
    format!(
        "{:<33}{:>5}{:>12}{:>10}{:>8}   caught by",
        "kernel", "mutants", "equivalent", "survived", "score"
    )
}

/// A mutant that no check can find, since it computes the same: listed by hand in
/// data/mutation/equivalent.jsonl, with the reason.
#[derive(Deserialize)]
pub struct Equivalent {
    lesson: u32,
    kernel: String,
    operator: String,
    was: String,
    becomes: String,
    because: String,
}

impl Equivalent {
    /// All that are listed.
    pub fn all() -> Result<Vec<Equivalent>> {
        let all: Vec<Equivalent> = kept::read_lines("data/mutation/equivalent.jsonl")?;
        for Equivalent { was, because, .. } in &all {
            ensure!(
                !because.is_empty(),
                "equivalent.jsonl: {was} needs a reason"
            );
        }
        Ok(all)
    }

    /// Whether it is this mutant of a kernel or a helper.
    pub fn is(&self, unit: &Unit, mutant: &Mutant) -> bool {
        let names = [&self.kernel, &self.operator, &self.was, &self.becomes];
        let of_mutant = [&*unit.name, mutant.operator, &mutant.was, &mutant.becomes];
        self.lesson == unit.lesson.number && names == of_mutant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_is_refused_or_is_one() {
        assert!(Equivalent::all().unwrap().len() > 9);
        let text = kept::read("data/mutation/equivalent.jsonl").unwrap();
        let line = text.lines().next().unwrap().as_bytes();
        damage::must_be_survived(line, |bytes| {
            let _ = serde_json::from_slice::<Equivalent>(bytes);
        });
    }
}
