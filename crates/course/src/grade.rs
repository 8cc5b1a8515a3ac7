//! Grading: what a class has come to. Each kernel is copied out of a student's folder (`hand_in`)
//! and checked by the command that checks a learner's, as a process of its own.

mod hand_in;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::beside;
use diagnostics::terminal::{Out, plain_name, progress};
use inspect::judge::How;
use minijinja::context;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use verify::cores::{cores, each_on};
use verify::numbers::count;
use watchdog::devices::{Device, chosen};
use watchdog::scratch::Scratch;
use watchdog::{ask, in_a_group, machine, this_program};

use crate::game::folder::VARIABLE;
use crate::game::puzzle::{Kind, Puzzle};
use crate::game::verdict::{Brief, Verdict};
use crate::game::which::find;
use crate::{html, puzzles};
use hand_in::{Student, students};

/// Memory that a check and what it starts may hold: a kernel's macros can ask its compiler for
/// any amount.
const MEMORY: u64 = 4 << 30;
/// Launches that a kernel is waited for in all, each for as long as a launch may take.
const LAUNCHES: u64 = 4;
/// Processes that share a GPU at most: each takes some of its memory.
const ON_A_GPU: usize = 8;

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
    #[command(flatten)]
    how: How,
}

/// What one student has come to in one puzzle.
#[derive(Serialize)]
struct Grade {
    student: String,
    item: String,
    title: String,
    /// Without a verdict where it is refused.
    #[serde(flatten)]
    brief: Brief,
    /// What the student's folder says that was looked at.
    hints: Option<usize>,
    solution: Option<bool>,
    course: String,
    device: String,
}

/// The columns of `--csv`.
const FIELDS: [&str; 11] = [
    "student", "item", "title", "verdict", "detector", "says", "counts", "hints", "solution",
    "course", "device",
];

impl Grade {
    fn is(&self, verdict: Verdict) -> bool {
        self.brief.verdict == Some(verdict)
    }

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

    /// What came of it, and s where the solution was looked at, h where a hint was.
    fn mark(&self) -> String {
        let looked_at = match (self.solution, self.hints) {
            (Some(true), _) => "s",
            (_, Some(1..)) => "h",
            _ => "",
        };
        format!("{}{looked_at}", self.in_short().0)
    }

    /// Why it is not done: who decides, and what it says.
    fn why(&self) -> Option<String> {
        let Brief { detector, says, .. } = &self.brief;
        let is_open = !self.is(Verdict::Done) && !self.is(Verdict::Untouched);
        is_open.then(|| match detector.is_empty() {
            true => says.clone(),
            false => format!("{detector}: {says}"),
        })
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
    let in_full = options.folders.len() > 1;
    let own = options.folders.iter().map(|folder| students(folder, &all, in_full));
    let students = own.collect::<Result<Vec<_>>>()?.concat();
    let device = chosen(options.how.device.as_deref(), false)?.remove(0);
    let grades = judge(options, &device, &students, &puzzles);
    if options.how.json {
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
        writeln!(Out, "{}", page(&grades, puzzles.len())?)?;
    } else {
        print(&grades)?;
        let (students, device) = (count(students.len(), "student"), device.label());
        writeln!(
            Out,
            "\n  ✓ done  ~ right, not proven  ✗ not yet  ? did not run  ! refused\n  \
             h hints, s the solution was looked at\n  \
             {students}, {} s; speed is not judged\n  course {}\n  {device}",
            begun.elapsed().as_secs(),
            course()
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

/// The course's version.
fn course() -> String {
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    env!("CARGO_PKG_VERSION").to_string() + &commit
}

/// Every puzzle of every student, in order; several at a time.
fn judge(
    options: &GradeArgs,
    device: &Device,
    students: &[Student],
    puzzles: &[&Puzzle],
) -> Vec<Grade> {
    let each = |student| puzzles.iter().map(move |puzzle| (student, *puzzle));
    let many = (students.len() * puzzles.len()) as u64;
    let template = "  {pos} of {len}, {elapsed}, about {eta} left  {msg}";
    let bar = progress::bar(Some(many), template);
    let most = [ON_A_GPU, usize::MAX][usize::from(device.is_cpu())].min(cores());
    let course = course();
    let all = students.iter().flat_map(each);
    let grades = each_on(most, all, |_, (student, puzzle): (&Student, &Puzzle)| {
        bar.set_message(format!("{:.40} {}", student.name, puzzle.id));
        let noted = student.progress().map(|noted| noted.of(&puzzle.id));
        let grade = Grade {
            student: student.name.clone(),
            item: puzzle.id.clone(),
            title: puzzle.words.title.clone(),
            brief: graded(options, device, student, puzzle).unwrap_or_else(|why| Brief {
                says: plain_name(&format!("{why:#}")),
                ..Brief::default()
            }),
            hints: noted.as_ref().map(|noted| noted.hints),
            solution: noted.map(|noted| noted.solution),
            course: course.clone(),
            device: device.label(),
        };
        bar.inc(1);
        grade
    });
    bar.finish_and_clear();
    grades
}

/// What the course's own check says of a copy of what was handed in.
///
/// # Errors
/// Why it is refused.
fn graded(
    options: &GradeArgs,
    device: &Device,
    student: &Student,
    puzzle: &Puzzle,
) -> Result<Brief> {
    /// What a check prints.
    #[derive(Deserialize)]
    struct Checked {
        brief: Brief,
    }
    let scratch = Scratch::new()?;
    // Below it: the owner of a folder for temporary files holds it by a lock.
    let folder = &scratch.0.join("student");
    if !student.hand_in(puzzle, folder)? {
        let verdict = Some(Verdict::Untouched);
        return Ok(Brief { verdict, ..Brief::default() });
    }
    let how =
        How { device: Some(device.index.to_string()), no_timing: true, ..options.how.clone() };
    let mut command = this_program()?;
    command.args(["exercise", &puzzle.id, "--json", "--seed", &how.seed.to_string()]);
    if let Some(set) = &options.from {
        command.arg("--from").arg(set.canonicalize()?);
    }
    command
        .args(how.flags())
        // What it includes lies beside it; and so would the memory of one that crashes.
        .current_dir(folder.join(puzzle.file()).with_file_name(""))
        .env(VARIABLE, folder)
        .env("TMPDIR", &scratch.0);
    let patience = Duration::from_secs(how.timeout.saturating_mul(LAUNCHES));
    let checked = ask::<Checked>(in_a_group(&mut command), patience, MEMORY);
    let mut brief = checked.map_or_else(
        |says| Brief { verdict: Some(Verdict::NotRun), says, ..Brief::default() },
        |checked| checked.brief,
    );
    brief.says = plain_name(&brief.says.replace(&format!("{}/", folder.display()), ""));
    Ok(brief)
}

/// What is not done: whose, which, and why; what follows one another for the same reason at once.
fn open(grades: &[Grade]) -> Vec<(&str, String, String)> {
    let of = |one: &Grade| (one.student.clone(), one.why());
    let mut all = Vec::new();
    for same in grades.chunk_by(|one, next| of(one) == of(next)) {
        let items = same.iter().map(|one| one.item.clone() + &one.mark());
        let items = Vec::from_iter(items).join(" ");
        all.extend(same[0].why().map(|why| (&*same[0].student, items, why)));
    }
    all
}

/// What is not done, and each student's marks of what is begun.
fn print(grades: &[Grade]) -> Result<()> {
    let names = grades.iter().map(|one| one.student.chars().count());
    let name = names.max().unwrap_or(0);
    for (student, items, why) in open(grades) {
        let words = beside(&format!("{items}  {why}"), name + 4);
        writeln!(Out, "  {student:<name$}  {words}")?;
    }
    writeln!(Out)?;
    for own in grades.chunk_by(|one, next| one.student == next.student) {
        let done = own.iter().filter(|one| one.is(Verdict::Done)).count();
        let begun = own.iter().filter(|one| !one.is(Verdict::Untouched));
        let marks: Vec<String> = begun.map(|one| one.item.clone() + &one.mark()).collect();
        let marks = beside(&marks.join(" "), name + 14);
        writeln!(Out, "  {:<name$}  {done:>3} done  {marks}", own[0].student)?;
    }
    Ok(())
}

/// The same for a browser, with a column for each of so `many` puzzles that anybody has begun.
fn page(grades: &[Grade], many: usize) -> Result<String> {
    colored::control::set_override(false);
    let is_begun = |at: &usize| {
        let mut column = grades.iter().skip(*at).step_by(many);
        column.any(|one| !one.is(Verdict::Untouched))
    };
    let mut shown = Vec::new();
    for grade in grades {
        let mut json = grade.json()?;
        json["mark"] = grade.mark().into();
        json["done"] = grade.is(Verdict::Done).into();
        shown.push(json);
    }
    let students: Vec<_> = shown.chunks(many).collect();
    let columns: Vec<usize> = (0..many).filter(is_begun).collect();
    let values = context! { students => Serde(students), columns, open => Serde(open(grades)) };
    html::filled("grade.html", include_str!("grade/page.html"), values)
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
