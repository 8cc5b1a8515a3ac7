//! What came of all students, as a table, as CSV, or as JSON.

use std::io::Write;

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::{WIDTH, cut};
use diagnostics::terminal::wrap::stdout_columns;
use diagnostics::terminal::{Out, plain_name, table};
use judge::{Detection, Observation};
use serde_json::{Map, Value, json};
use task::counts::Count;

use super::hand_in::Student;
use crate::game::puzzle::Puzzle;
use crate::game::verdict::Verdict;

/// Columns of a student's name.
const NAME: usize = 20;

/// What one student has come to in one puzzle.
pub struct Grade<'a> {
    pub student: &'a Student,
    pub puzzle: &'a Puzzle,
    /// Nothing, where it was not begun; why not, where it is not judged.
    pub seen: Result<Option<Vec<Observation>>, String>,
}

impl Grade<'_> {
    /// None where it is refused.
    fn verdict(&self) -> Option<Verdict> {
        let needs_simulator = self.puzzle.needs_simulator();
        match &self.seen {
            Ok(Some(seen)) => Some(Verdict::of(seen, true, needs_simulator)),
            Ok(None) => Some(Verdict::Untouched),
            Err(_) => None,
        }
    }

    pub fn status(&self) -> u8 {
        match self.verdict() {
            Some(Verdict::NotYet) => 1,
            None => 2,
            Some(Verdict::NotRun) => 5,
            _ => 0,
        }
    }

    fn in_short(&self) -> (ColoredString, &'static str) {
        let done = self.puzzle.kind.done;
        let refused = ("!".red(), "refused");
        self.verdict().map_or(refused, |one| one.in_short(done))
    }

    /// The sign, and what was looked at.
    fn mark(&self) -> String {
        let noted = self.student.progress.as_ref();
        let looked_at = match noted.map(|noted| noted.of(&self.puzzle.id)) {
            Some(noted) if noted.solution => "s",
            Some(noted) if noted.hints > 0 => "h",
            _ => " ",
        };
        format!("{}{looked_at}", self.in_short().0)
    }

    /// The detector that decides, and what it says.
    fn reason(&self) -> [String; 2] {
        let seen = match &self.seen {
            Ok(seen) => seen.as_deref().unwrap_or_default(),
            Err(why) => return [String::new(), why.clone()],
        };
        let with = |outcome| seen.iter().find(|one| one.outcome == outcome);
        let first = with(Detection::Fault).or_else(|| with(Detection::NotRun));
        let Some(first) = first else {
            return Default::default();
        };
        // "The result is right, and yet:" goes on below, and a place stands there.
        let goes_on = first.says.ends_with(':');
        let mut below = first.details.iter();
        let below = below.find(|one| goes_on || one.starts_with("line "));
        let below = below.map_or(String::new(), |one| format!(" {one}"));
        [&*first.detector, &(first.says.clone() + &below)].map(plain_name)
    }

    /// All of it, by the names of the fields.
    fn fields(&self, course: &str, device: &str) -> [(&'static str, Value); 11] {
        let [detector, says] = self.reason();
        let seen = self.seen.as_ref().ok().and_then(Option::as_deref);
        let counts = seen.unwrap_or_default().iter();
        let counts = counts.filter(|one| is_count(&one.detector));
        let counts = counts.map(|one| format!("{} {}", one.detector, one.says));
        let counts: Vec<String> = counts.collect();
        let noted = self.student.progress.as_ref();
        let noted = noted.map(|noted| noted.of(&self.puzzle.id));
        [
            ("student", json!(self.student.name)),
            ("item", json!(self.puzzle.id)),
            ("title", json!(self.puzzle.words.title)),
            ("verdict", json!(self.in_short().1)),
            ("detector", json!(detector)),
            ("says", json!(says)),
            ("counts", json!(counts.join(" / "))),
            ("hints", json!(noted.as_ref().map(|noted| noted.hints))),
            ("solution", json!(noted.map(|noted| noted.solution))),
            ("course", json!(course)),
            ("device", json!(device)),
        ]
    }
}

/// Whether a detector counts: then it is called as a task's `at-most` calls the count.
fn is_count(detector: &str) -> bool {
    serde_json::from_value::<Count>(detector.replace(' ', "-").into()).is_ok()
}

/// An object a line.
pub fn json(grades: &[Grade], course: &str, device: &str) -> Result<()> {
    for grade in grades {
        let fields = grade.fields(course, device).into_iter();
        let line: Map<_, _> = fields.map(|(name, value)| (name.into(), value)).collect();
        writeln!(Out, "{}", Value::Object(line))?;
    }
    Ok(())
}

/// A heading, and a row for each.
pub fn csv(grades: &[Grade], course: &str, device: &str) -> Result<()> {
    for (at, grade) in grades.iter().enumerate() {
        let fields = grade.fields(course, device);
        if at == 0 {
            writeln!(
                Out,
                "{}",
                fields.each_ref().map(|(name, _)| *name).join(",")
            )?;
        }
        writeln!(Out, "{}", fields.map(|(_, value)| cell(value)).join(","))?;
    }
    Ok(())
}

/// A value of a CSV file (RFC 4180). A spreadsheet would compute what begins like a formula.
fn cell(value: Value) -> String {
    let mut text = match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    };
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    if text.contains([',', '"', '\n']) {
        text = format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

/// A line for what is not done, and a row for each student, with a column for each puzzle, or
/// those that anybody has begun. A student's `grades` are so `many`, in the same order.
pub fn table_of(grades: &[Grade], many: usize, all_columns: bool) -> Result<()> {
    let width = stdout_columns().unwrap_or(WIDTH);
    let students: Vec<&[Grade]> = grades.chunks(many).collect();
    let names = students
        .iter()
        .map(|own| own[0].student.name.chars().count());
    let name = names.max().unwrap_or(0).min(NAME);
    let is_begun = |one: &Grade| one.verdict() != Some(Verdict::Untouched);
    let is_done = |one: &Grade| one.verdict() == Some(Verdict::Done);
    for own in &students {
        // What holds for the whole folder is said once.
        let is_refused = own[0].student.root.is_err();
        let told = own.iter().filter(|one| is_begun(one) && !is_done(one));
        for grade in told.take(if is_refused { 1 } else { many }) {
            let student = cut(&grade.student.name, NAME);
            let sign = grade.in_short().0;
            let id = if is_refused { "" } else { &grade.puzzle.id };
            let words = grade.reason().join(": ");
            let words = cut(
                words.trim_start_matches(": "),
                width.saturating_sub(name + 12),
            );
            writeln!(Out, "  {student:<name$}  {sign} {id:<5} {words}")?;
        }
    }
    let begun = |at: &usize| {
        let mut column = students.iter().map(|own| &own[*at]);
        all_columns || column.any(|one| is_begun(one) && one.student.root.is_ok())
    };
    let columns: Vec<usize> = (0..many).filter(begun).collect();
    let ids = columns
        .iter()
        .map(|at| grades[*at].puzzle.id.chars().count());
    // A cell is as wide as its heading, with a space on either side.
    let cell = ids.max().unwrap_or(1).max(2) + 2;
    let room = (width.saturating_sub(name + 2 + 6) / cell).max(1);
    let none = columns.is_empty().then_some(&[][..]);
    for block in columns.chunks(room).chain(none) {
        let ids = block.iter().map(|at| &*grades[*at].puzzle.id);
        let heading: Vec<&str> = ["", "done"].into_iter().chain(ids).collect();
        let row = |own: &&[Grade]| {
            let done = own.iter().filter(|one| is_done(one)).count();
            let first = [cut(&own[0].student.name, NAME), done.to_string()];
            let marks = block.iter().map(|at| own[*at].mark());
            first.into_iter().chain(marks).collect()
        };
        let rows: Vec<Vec<String>> = students.iter().map(row).collect();
        writeln!(Out, "\n{}", table(&heading, &rows))?;
    }
    Ok(())
}
