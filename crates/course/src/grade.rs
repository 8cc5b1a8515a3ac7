//! Grading: what a class has come to. Each kernel is copied out of a student's folder (`hand_in`)
//! and checked by the command that checks a learner's, as a process of its own.

mod hand_in;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::wrap::beside;
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
    /// In a word or two.
    verdict: &'static str,
    /// Who decides, and what it says.
    detector: String,
    says: String,
    /// What was counted.
    counts: String,
    /// What the student's folder says that was looked at.
    hints: Option<usize>,
    solution: Option<bool>,
    course: String,
    device: String,
    /// The verdict's sign, and s where the solution was looked at, h where a hint was.
    mark: String,
    /// None where it is refused.
    #[serde(skip)]
    came: Option<Verdict>,
}

/// The columns of `--csv`.
const FIELDS: [&str; 11] = [
    "student", "item", "title", "verdict", "detector", "says", "counts", "hints", "solution",
    "course", "device",
];

/// Judges what lies in the folders: every puzzle of every student, in order; several at a time.
pub fn grade(options: &GradeArgs) -> Result<ExitCode> {
    let begun = Instant::now();
    let mut all = puzzles::all(options.from.as_deref())?;
    // They are built with a package of the learner's, and take any device.
    all.retain(|one| one.kind != Kind::Program);
    let mut puzzles: Vec<&Puzzle> = all.iter().collect();
    if !options.only.is_empty() {
        let named = options.only.iter().map(|word| puzzles::find(&puzzles, word));
        puzzles = named.collect::<Result<_>>()?;
    }
    let in_full = options.folders.len() > 1;
    let own = options.folders.iter().map(|folder| students(folder, &all, in_full));
    let students = own.collect::<Result<Vec<_>>>()?.concat();
    let device = chosen(options.how.device.as_deref(), false)?.remove(0);
    let is_for_people = !(options.how.json || options.csv || options.html);
    if !is_for_people {
        colored::control::set_override(false);
    }
    let many = (students.len() * puzzles.len()) as u64;
    let bar = progress::bar(Some(many), "  {pos} of {len}, {elapsed}, about {eta} left  {msg}");
    let most = [ON_A_GPU, usize::MAX][usize::from(device.is_cpu())].min(cores());
    let each = students.iter().flat_map(|own| puzzles.iter().map(move |puzzle| (own, *puzzle)));
    let grades = each_on(most, each, |_, (student, puzzle)| {
        bar.set_message(format!("{:.40} {}", student.name, puzzle.id));
        let grade = judge(options, &device, student, puzzle);
        bar.inc(1);
        grade
    });
    bar.finish_and_clear();
    show(options, &grades)?;
    if is_for_people {
        let (students, seconds) = (count(students.len(), "student"), begun.elapsed().as_secs());
        let (course, device) = (&*COURSE, device.label());
        writeln!(
            Out,
            "\n  ✓ done  ~ right, not proven  ✗ not yet  ? did not run  ! refused\n  \
             h hints, s the solution was looked at\n  {students}, {seconds} s; speed is not \
             judged\n  course {course}\n  {device}"
        )?;
    }
    let status = |grade: &Grade| match grade.came {
        Some(Verdict::NotYet) => 1,
        None => 2,
        Some(Verdict::NotRun) => 5,
        _ => 0,
    };
    Ok(ExitCode::from(grades.iter().map(status).max().unwrap_or(0)))
}

/// The course's version.
static COURSE: LazyLock<String> = LazyLock::new(|| {
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    env!("CARGO_PKG_VERSION").to_string() + &commit
});

/// What a student has come to in a puzzle.
fn judge(options: &GradeArgs, device: &Device, student: &Student, puzzle: &Puzzle) -> Grade {
    let noted = student.progress().map(|noted| noted.of(&puzzle.id));
    let looked_at = match &noted {
        Some(noted) if noted.solution => "s",
        Some(noted) if noted.hints > 0 => "h",
        _ => "",
    };
    let checked = checked(options, device, student, puzzle);
    let brief =
        checked.unwrap_or_else(|why| Brief { says: format!("{why:#}"), ..Brief::default() });
    let (sign, verdict) = brief.verdict.map_or(("!".red(), "refused"), Verdict::in_short);
    Grade {
        student: student.name.clone(),
        item: puzzle.id.clone(),
        title: puzzle.words.title.clone(),
        verdict,
        detector: brief.detector,
        says: plain_name(&brief.says),
        counts: brief.counts,
        hints: noted.as_ref().map(|noted| noted.hints),
        solution: noted.map(|noted| noted.solution),
        course: COURSE.clone(),
        device: device.label(),
        mark: format!("{sign}{looked_at}"),
        came: brief.verdict,
    }
}

/// What the course's own check says of a copy of what was handed in.
///
/// # Errors
/// Why it is refused.
fn checked(
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
    let came = |verdict, says| Brief { verdict: Some(verdict), says, ..Brief::default() };
    let scratch = Scratch::new()?;
    // Below it: the owner of a folder for temporary files holds it by a lock.
    let folder = &scratch.0.join("student");
    if !student.hand_in(puzzle, folder)? {
        return Ok(came(Verdict::Untouched, String::new()));
    }
    let device = Some(device.index.to_string());
    let how = How { device, no_timing: true, ..options.how.clone() };
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
    let brief = checked.map_or_else(|says| came(Verdict::NotRun, says), |checked| checked.brief);
    Ok(Brief { says: brief.says.replace(&format!("{}/", folder.display()), ""), ..brief })
}

/// Prints them as the options ask for: what is not done, and each student's marks of what is begun.
fn show(options: &GradeArgs, grades: &[Grade]) -> Result<()> {
    if options.html {
        let values = context! { grades => Serde(grades), open => Serde(open(grades)) };
        let page = html::filled("grade.html", include_str!("grade/page.html"), values)?;
        return Ok(writeln!(Out, "{page}")?);
    }
    if options.csv {
        writeln!(Out, "{}", FIELDS.join(","))?;
    }
    if options.how.json || options.csv {
        for grade in grades {
            let row = serde_json::to_value(grade)?;
            match options.csv {
                true => writeln!(Out, "{}", FIELDS.map(|field| cell(&row[field])).join(","))?,
                false => writeln!(Out, "{row}")?,
            }
        }
        return Ok(());
    }
    let names = grades.iter().map(|one| one.student.chars().count());
    let name = names.max().unwrap_or(0);
    for (student, items, why) in open(grades) {
        let words = beside(&format!("{items}  {why}"), name + 4);
        writeln!(Out, "  {student:<name$}  {words}")?;
    }
    writeln!(Out)?;
    for own in grades.chunk_by(|one, next| one.student == next.student) {
        let done = own.iter().filter(|one| one.came == Some(Verdict::Done)).count();
        let begun = own.iter().filter(|one| one.came != Some(Verdict::Untouched));
        let marks = beside(&marks(begun), name + 14);
        writeln!(Out, "  {:<name$}  {done:>3} done  {marks}", own[0].student)?;
    }
    Ok(())
}

/// What is not done: whose, which, and why; a student's for the same reason at once.
fn open(grades: &[Grade]) -> Vec<(&str, String, String)> {
    let is_done = |one: &Grade| matches!(one.came, Some(Verdict::Done | Verdict::Untouched));
    let open: Vec<&Grade> = grades.iter().filter(|one| !is_done(one)).collect();
    let of = |one: &Grade| [&one.student, &one.detector, &one.says].map(String::clone);
    let same = open.chunk_by(|one, next| of(one) == of(next));
    same.map(|same| {
        let why = format!("{}: {}", same[0].detector, same[0].says);
        let why = why.trim_start_matches(": ").to_string();
        (&*same[0].student, marks(same.iter().copied()), why)
    })
    .collect()
}

/// "2.1✓ 3.1✗h".
fn marks<'a>(grades: impl Iterator<Item = &'a Grade>) -> String {
    grades.map(|one| one.item.clone() + &one.mark).collect::<Vec<_>>().join(" ")
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
