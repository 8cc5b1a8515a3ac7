//! How many mutants of a kernel or a helper were found, and by what.

use std::collections::BTreeMap;

use common::numbers::percent;
use serde_json::{Value, json};

use super::detect::DETECTORS;
use super::mutant::Mutant;
use super::units::Unit;

/// What became of a mutant.
#[derive(PartialEq)]
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
    /// How many were found, by detector.
    fn caught(&self) -> BTreeMap<&'static str, usize> {
        let mut caught = BTreeMap::new();
        for (_, fate) in &self.mutants {
            if let Fate::Caught(by) = fate {
                *caught.entry(*by).or_default() += 1;
            }
        }
        caught
    }

    fn equivalent(&self) -> usize {
        self.of(Fate::Equivalent).len()
    }

    /// Those that nothing found although something should.
    pub fn survivors(&self) -> Vec<&Mutant> {
        self.of(Fate::Survived)
    }

    fn of(&self, wanted: Fate) -> Vec<&Mutant> {
        let mutants = self.mutants.iter().filter(|(_, fate)| *fate == wanted);
        mutants.map(|(mutant, _)| mutant).collect()
    }

    /// The line of data/mutation/score.jsonl.
    pub fn summary(&self) -> Value {
        let mut summary = self.unit.record(self.mutants.len());
        summary["caught"] = json!(self.caught());
        summary["equivalent"] = json!(self.equivalent());
        summary["survived"] = json!(self.survivors().len());
        summary
    }

    /// The same with every mutant.
    pub fn whole(&self) -> Value {
        let mut value = self.summary();
        let record = |(mutant, fate): &(Mutant, Fate)| {
            let (fate, by) = match fate {
                Fate::Caught(by) => ("caught", Some(by)),
                Fate::Equivalent => ("equivalent", None),
                Fate::Survived => ("survived", None),
            };
            json!({
                "operator": mutant.operator,
                "was": mutant.was,
                "becomes": mutant.becomes,
                "fate": fate,
                "by": by,
            })
        };
        value["each"] = self.mutants.iter().map(record).collect();
        value
    }

    /// For people: a line, and two for each survivor.
    pub fn text(&self) -> String {
        let survivors = self.survivors();
        let candidates = self.mutants.len() - self.equivalent();
        let caught = self.caught();
        let share = (candidates - survivors.len()) as f64 / candidates.max(1) as f64;
        let by = DETECTORS
            .iter()
            .filter_map(|name| Some(format!("{name} {}", caught.get(name)?)));
        let mut text = format!(
            "{}  {:<30}{:>5}{:>12}{:>10}{:>8}   {}",
            self.unit.lesson.number,
            self.unit.title(),
            self.mutants.len(),
            self.equivalent(),
            survivors.len(),
            percent(share),
            by.collect::<Vec<_>>().join(", ")
        );
        for mutant in survivors {
            text += &format!(
                "\n      survived: {}\n      - {}\n      + {}",
                mutant.operator, mutant.was, mutant.becomes
            );
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
