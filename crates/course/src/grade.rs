//! Grading: what a class has come to. `hand_in` is what lies in a student's folder, `judge` checks
//! it, `table` shows a row for each student.

mod hand_in;
mod judge;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::Out;
use inspect::judge::{SEEDS, TIMEOUT};
use serde::Serialize;
use serde_json::Value;
use verify::numbers::count;
use watchdog::devices::chosen;
use watchdog::machine;

use crate::game::puzzle::{Kind, Puzzle};
use crate::game::verdict::{Brief, Verdict};
use crate::game::which::find;
use crate::puzzles;
use hand_in::{Student, students, tell_apart};
use judge::Judge;
use table::Table;

/// The flags of `course grade`.
#[derive(clap::Args)]
pub struct GradeArgs {
    /// A folder of students' folders, or one student's
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Judge these: 2.1 of the exercises, d7 of the broken kernels, p3 of the problems
    #[arg(long, value_name = "ITEM,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Judge the exercises of this folder, and not the course's own
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Print a table for a spreadsheet
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print a page for a browser, which a class can be shown
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    html: bool,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// End a launch that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Draw sizes and numbers from this seed [default: a new one for each check]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=SEEDS))]
    seed: Option<u64>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// What one student has come to in one puzzle.
#[derive(Serialize)]
struct Grade<'a> {
    student: &'a str,
    item: &'a str,
    title: &'a str,
    /// Without a verdict where it is refused.
    #[serde(flatten)]
    brief: Brief,
    /// What the student's folder says that was looked at.
    hints: Option<usize>,
    solution: Option<bool>,
    course: &'a str,
    device: String,
    /// Whether the student's whole folder is refused.
    #[serde(skip)]
    is_of_folder: bool,
}

/// The columns of `--csv`.
const FIELDS: [&str; 11] = [
    "student", "item", "title", "verdict", "detector", "says", "counts", "hints", "solution",
    "course", "device",
];

impl Grade<'_> {
    /// A sign and a word or two.
    fn in_short(&self) -> (ColoredString, &'static str) {
        let verdict = self.brief.verdict;
        verdict.map_or(("!".red(), "refused"), Verdict::in_short)
    }

    /// As a program reads it.
    fn json(&self) -> serde_json::Result<Value> {
        let mut json = serde_json::to_value(self)?;
        json["verdict"] = self.in_short().1.into();
        Ok(json)
    }
}

/// Judges what lies in the folders.
pub fn grade(options: &GradeArgs) -> Result<ExitCode> {
    let begun = Instant::now();
    let mut all = puzzles::all(options.from.as_deref())?;
    // They are built with a package of the learner's, and take any device.
    all.retain(|one| one.kind != Kind::Program);
    let mut puzzles: Vec<&Puzzle> = all.iter().collect();
    if !options.only.is_empty() {
        let named = options.only.iter().map(|word| find(&puzzles, word));
        puzzles = named.collect::<Result<_>>()?;
    }
    let below = |folder: &PathBuf| students(folder, &all);
    let mut students: Vec<Student> = options.folders.iter().flat_map(below).collect();
    tell_apart(&mut students);
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    let judge = Judge {
        options,
        device: chosen(options.device.as_deref(), false)?.remove(0),
        course: env!("CARGO_PKG_VERSION").to_string() + &commit,
    };
    let grades = judge.all(&students, &puzzles);
    let table = Table::of(&grades, puzzles.len(), !options.only.is_empty());
    if options.json {
        for grade in &grades {
            writeln!(Out, "{}", grade.json()?)?;
        }
    } else if options.csv {
        writeln!(Out, "{}", FIELDS.join(","))?;
        for grade in &grades {
            let row = grade.json()?;
            writeln!(Out, "{}", FIELDS.map(|field| cell(&row[field])).join(","))?;
        }
    } else if options.html {
        let device = judge.device.label();
        writeln!(Out, "{}", table.page(&judge.course, &device)?)?;
    } else {
        table.print()?;
        let judged = grades
            .iter()
            .filter(|one| one.is_begun() && one.brief.verdict.is_some());
        writeln!(
            Out,
            "\n  ✓ done  ~ right, not proven  ✗ not yet  ? did not run  ! refused  · not begun\n  \
             h hints, s the solution was looked at\n  \
             {}, {}, {} s; speed is not judged\n  course {}\n  {}",
            count(students.len(), "student"),
            count(judged.count(), "kernel"),
            begun.elapsed().as_secs(),
            judge.course,
            judge.device.label()
        )?;
    }
    let status = |grade: &Grade| match grade.brief.verdict {
        Some(Verdict::NotYet) => 1,
        None => 2,
        Some(Verdict::NotRun) => 5,
        _ => 0,
    };
    Ok(ExitCode::from(grades.iter().map(status).max().unwrap_or(0)))
}

/// A value of a CSV file (RFC 4180). A spreadsheet would compute what begins like a formula.
fn cell(value: &Value) -> String {
    let mut text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
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
