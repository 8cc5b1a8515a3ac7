//! What is scored: each kernel, and each helper function that kernels call.

use anyhow::Result;
use common::source::Source;
use language::functions::Function;
use process::lessons::{LESSONS, Lesson};
use serde_json::{Value, json};

use super::mutant::{Mutant, functions, mutants, reaches};
use super::operators::edits;

/// A function that is mutated.
pub struct Unit {
    /// The lesson whose file defines it.
    pub lesson: &'static Lesson,
    pub name: String,
    /// For a helper: the kernels that call it, directly or through other helpers, in
    /// the order of the file. A kernel has none.
    pub through: Vec<String>,
}

impl Unit {
    /// The kernels whose checks look at it.
    pub fn checked_by(&self) -> Vec<&str> {
        match self.through[..] {
            [] => vec![&self.name],
            _ => self.through.iter().map(String::as_str).collect(),
        }
    }

    /// The file with each of its mistakes.
    pub fn mutants(&self) -> Result<Vec<Mutant>> {
        let source = Source::of_course(&self.lesson.file_of(self.checked_by()[0])?)?;
        Ok(mutants(&source.text, &self.name))
    }

    /// How a line of JSON names it, with the number of its mutants.
    pub fn record(&self, mutants: usize) -> Value {
        let (lesson, kernel) = (self.lesson.number, &self.name);
        let mut record = json!({ "lesson": lesson, "kernel": kernel, "mutants": mutants });
        if !self.through.is_empty() {
            record["through"] = json!(self.through);
        }
        record
    }

    /// How data/mutation/equivalent.jsonl names one of its mutants.
    pub fn entry(&self, mutant: &Mutant) -> Value {
        let mut entry = json!(mutant);
        entry["lesson"] = json!(self.lesson.number);
        entry["kernel"] = json!(self.name);
        entry
    }
}

/// The functions of these names in these lessons, in teaching order: each lesson's kernels,
/// then its helpers. Without a name or a number: all.
pub fn chosen(numbers: &[u32], names: &[String]) -> Result<Vec<Unit>> {
    let mut chosen = Vec::new();
    for lesson in LESSONS.iter().filter(|lesson| lesson.number > 1) {
        if numbers.is_empty() || numbers.contains(&lesson.number) {
            for file in lesson.kernel_files() {
                chosen.extend(units(lesson, &Source::of_course(&file)?));
            }
        }
    }
    chosen.retain(|unit| names.is_empty() || names.contains(&unit.name));
    Ok(chosen)
}

/// The kernels of a file, then those of its helpers in which a mistake can be made.
fn units(lesson: &'static Lesson, source: &Source) -> Vec<Unit> {
    let kernels = source.kernels();
    let functions = functions(&source.text);
    let is_helper = |one: &&Function| {
        !kernels.iter().any(|kernel| kernel == one.name) && !edits(&one.body).is_empty()
    };
    let unit = |name: &str, through| Unit {
        lesson,
        name: name.into(),
        through,
    };
    let users = |helper: &str| -> Vec<String> {
        let uses = |kernel: &&String| reaches(&functions, kernel, helper);
        kernels.iter().filter(uses).cloned().collect()
    };
    let helpers = functions.iter().filter(is_helper);
    let helpers = helpers.map(|one| unit(one.name, users(one.name)));
    // One that no kernel calls is called by a vendor's definitions alone.
    let helpers = helpers.filter(|unit| !unit.through.is_empty());
    let kernels = kernels.iter().map(|name| unit(name, Vec::new()));
    kernels.chain(helpers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_come_before_the_helpers_that_they_call() {
        let text = "int deep(int n) { return n + 1; }\n\
            int unused(int n) { return n + 1; }\n\
            void empty(int n) {}\n\
            kernel void one(int n) { deep(n); }\n\
            int shallow(int n) { return deep(n) - 1; }\n\
            kernel void none(int n) { empty(n); }\n\
            kernel void two(int n) { shallow(n); }\n";
        let source = Source {
            path: "a.cl".into(),
            text: text.into(),
        };
        let units = units(&LESSONS[1], &source);
        let told: Vec<String> = units
            .iter()
            .map(|unit| format!("{}: {}", unit.name, unit.through.join(" ")))
            .collect();
        let kernels = ["one: ", "none: ", "two: "];
        let helpers = ["deep: one two", "shallow: two"];
        assert_eq!(told, [&kernels[..], &helpers].concat());
        assert_eq!(units[0].checked_by(), ["one"]);
        assert_eq!(units[3].checked_by(), ["one", "two"]);
    }

    #[test]
    fn only_the_line_of_a_helper_says_through_what() {
        let unit = |through| Unit {
            lesson: &LESSONS[1],
            name: "a".into(),
            through,
        };
        assert_eq!(unit(vec![]).record(3).get("through"), None);
        assert_eq!(unit(vec!["b".into()]).record(3)["through"], json!(["b"]));
    }
}
