//! Grading: what a class has come to. Each kernel is copied out of the student's folder and
//! checked by the command that checks a learner's, as a process of its own; what was judged
//! before is kept. `hand_in` is what lies in a student's folder.

mod hand_in;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::{WIDTH, cut};
use diagnostics::terminal::wrap::stdout_columns;
use diagnostics::terminal::{Out, plain_name, progress, table};
use judge::{Detection, Detector, Evidence, Observation, SEEDS, TIMEOUT};
use lesson::results;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use verify::cores::{cores, each_on};
use verify::numbers::count;
use watchdog::devices::{Device, chosen};
use watchdog::scratch::Scratch;
use watchdog::{ask, in_a_group, machine, this_program};

use crate::game::folder::VARIABLE;
use crate::game::progress::Entry;
use crate::game::puzzle::Puzzle;
use crate::game::verdict::Verdict;
use crate::game::which::find;
use crate::{exercises, puzzles};
use hand_in::{Files, Student, handed_in, students};

/// Memory that a check and what it starts may hold: a kernel's macros can ask its compiler for
/// any amount.
const MEMORY: u64 = 4 << 30;
/// Launches that a kernel is waited for in all, each for as long as a launch may take.
const LAUNCHES: u64 = 4;
/// Processes that share a GPU at most: each takes some of its memory.
const ON_A_GPU: usize = 8;
/// Columns of a student's name.
const NAME: usize = 20;

/// The flags of `course grade`.
#[derive(clap::Args)]
pub struct Options {
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
    /// Judge what an earlier run has judged, too
    #[arg(long)]
    fresh: bool,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// End a launch that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Draw sizes and numbers from this seed; what was judged with another is judged anew
    /// [default: a new seed for each check]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=SEEDS))]
    seed: Option<u64>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Judges what lies in the folders.
pub fn grade(options: &Options) -> Result<ExitCode> {
    let begun = Instant::now();
    let all = match &options.from {
        Some(folder) => exercises::set(folder)?,
        None => puzzles::all()?,
    };
    let mut puzzles: Vec<&Puzzle> = all.iter().collect();
    if !options.only.is_empty() {
        let named = options.only.iter().map(|word| find(&puzzles, word));
        puzzles = named.collect::<Result<_>>()?;
    }
    let below = |folder: &PathBuf| students(folder, &all);
    let students: Vec<Student> = options.folders.iter().flat_map(below).collect();
    let device = &chosen(options.device.as_deref(), false)?[0];
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    let judge = Judge {
        options,
        device,
        course: env!("CARGO_PKG_VERSION").to_string() + &commit,
        kept: AtomicUsize::new(0),
    };
    let grades = judge.all(&students, &puzzles);
    let rows = grades.iter().map(|grade| judge.row(grade));
    if options.json {
        for row in rows {
            let row = row.map(|(name, value)| (name.to_string(), value));
            writeln!(Out, "{}", Value::Object(row.into_iter().collect()))?;
        }
    } else if options.csv {
        for (at, row) in rows.enumerate() {
            if at == 0 {
                writeln!(Out, "{}", row.each_ref().map(|(name, _)| *name).join(","))?;
            }
            writeln!(Out, "{}", row.map(|(_, value)| cell(value)).join(","))?;
        }
    } else {
        print_table(&grades, puzzles.len(), !options.only.is_empty())?;
        let judged = grades.iter().filter(|one| {
            one.verdict
                .is_some_and(|verdict| verdict != Verdict::Untouched)
        });
        writeln!(
            Out,
            "\n  ✓ done  ~ right, not proven  ✗ not yet  ? did not run  ! refused  · not begun\n  \
             h hints, s the solution was looked at\n  \
             {}, {}, {} of them judged before, {} s; speed is not judged\n  course {}\n  {}",
            count(students.len(), "student"),
            count(judged.count(), "kernel"),
            judge.kept.load(Ordering::Relaxed),
            begun.elapsed().as_secs(),
            judge.course,
            device.label()
        )?;
    }
    let status = |grade: &Grade| match grade.verdict {
        Some(Verdict::NotYet) => 1,
        None => 2,
        Some(Verdict::NotRun) => 5,
        _ => 0,
    };
    Ok(ExitCode::from(grades.iter().map(status).max().unwrap_or(0)))
}

/// What a check prints; and what is kept of it, beside all that decided it.
#[derive(Deserialize, Serialize)]
struct Checked {
    #[serde(default)]
    of: String,
    observations: Vec<Observation>,
}

/// What one student has come to in one puzzle.
struct Grade<'a> {
    student: &'a Student,
    puzzle: &'a Puzzle,
    /// None where it is refused.
    verdict: Option<Verdict>,
    /// The detector that decides, and what it says.
    reason: [String; 2],
    /// What was counted.
    counts: String,
}

struct Judge<'a> {
    options: &'a Options,
    device: &'a Device,
    course: String,
    /// How many were judged before.
    kept: AtomicUsize,
}

impl Judge<'_> {
    /// Every puzzle of every student, in order; several at a time.
    fn all<'a>(&self, students: &'a [Student], puzzles: &[&'a Puzzle]) -> Vec<Grade<'a>> {
        let many = (students.len() * puzzles.len()) as u64;
        let bar = progress::bar(Some(many), "  {pos} of {len}, {elapsed}  {msg}");
        let most = [ON_A_GPU, usize::MAX][usize::from(self.device.is_cpu())];
        let each = |student| puzzles.iter().map(move |puzzle| (student, *puzzle));
        let all = students.iter().flat_map(each);
        let grades = each_on(most.min(cores()), all, |_, (student, puzzle)| {
            bar.set_message(format!("{:.40} {}", student.name, puzzle.id));
            let grade = self.graded(student, puzzle);
            bar.inc(1);
            grade
        });
        bar.finish_and_clear();
        grades
    }

    fn graded<'a>(&self, student: &'a Student, puzzle: &'a Puzzle) -> Grade<'a> {
        let root = student.root.as_ref().map_err(String::clone);
        let (verdict, seen, refused) = match root.and_then(|root| handed_in(root, puzzle)) {
            Err(why) => (None, Vec::new(), why),
            Ok(None) => (Some(Verdict::Untouched), Vec::new(), String::new()),
            Ok(Some(files)) => {
                let seen = self.judged(puzzle, &files);
                let verdict = Verdict::of(&seen, true, puzzle.needs_simulator());
                (Some(verdict), seen, String::new())
            }
        };
        let with = |outcome| seen.iter().find(|one| one.outcome == outcome);
        let decides = with(Detection::Fault).or_else(|| with(Detection::NotRun));
        let reason = decides.map_or([String::new(), refused], |one| {
            let line = |one: &&Evidence| matches!(one, Evidence::Line(_));
            let line = one.details.iter().find(line);
            let line = line.map_or(String::new(), |line| format!(" {line}"));
            [one.detector.to_string(), one.says.clone() + &line]
        });
        let counts = seen.iter();
        let counts = counts.filter(|one| matches!(one.detector, Detector::Count(_)));
        let counts: Vec<_> = counts
            .map(|one| format!("{} {}", one.detector, one.says))
            .collect();
        Grade {
            student,
            puzzle,
            verdict,
            reason: reason.map(|text| plain_name(&text)),
            counts: plain_name(&counts.join(" / ")),
        }
    }

    /// What the check sees of these files, or saw of the same.
    fn judged(&self, puzzle: &Puzzle, files: &Files) -> Vec<Observation> {
        let of = self.identity(puzzle, files);
        let folder = results::folder("grades");
        let file = folder.join(format!("{:016x}.json", results::fnv1a(&of)));
        let kept = fs::read(&file).ok().filter(|_| !self.options.fresh);
        let kept = kept.and_then(|kept| serde_json::from_slice::<Checked>(&kept).ok());
        if let Some(kept) = kept.filter(|kept| kept.of == of) {
            self.kept.fetch_add(1, Ordering::Relaxed);
            return kept.observations;
        }
        let observations = self.check(puzzle, files).unwrap_or_else(|why| {
            let why = format!("{why:#}");
            vec![Observation::new(Detector::Nobody, Detection::NotRun, why)]
        });
        let first = observations.first();
        let is_decided = first.is_some_and(|one| one.outcome != Detection::NotRun);
        let checked = Checked { of, observations };
        if let (true, Ok(text)) = (is_decided, serde_json::to_vec(&checked)) {
            // What is not kept, or half, is judged once more.
            let _ = fs::create_dir_all(&folder).and_then(|()| fs::write(file, text));
        }
        checked.observations
    }

    /// All that decides on a judgement: the files, the course's own, its version and
    /// its program, the device, the seed.
    fn identity(&self, puzzle: &Puzzle, files: &Files) -> String {
        let fresh = &puzzle.fresh.path;
        let ours = fs::read_dir(fresh.parent().unwrap_or(fresh)).into_iter();
        let ours = ours.flatten().flatten().map(|entry| entry.path());
        let all = std::env::current_exe().into_iter().chain(ours);
        let age = |file: PathBuf| fs::metadata(file).and_then(|file| file.modified()).ok();
        let ages: Vec<_> = all.map(age).collect();
        let text = |(at, text): (_, &Vec<u8>)| format!("{at:?} {}", text.escape_ascii());
        let files: Vec<_> = files.iter().map(text).collect();
        let Options { timeout, seed, .. } = self.options;
        let (device, course, place) = (self.device, &self.course, &puzzle.place);
        format!("{place} {course} {ages:?} {device:?} {timeout} {seed:?} {files:?}")
    }

    /// The course's own check of these files, in a folder that nobody needs later.
    fn check(&self, puzzle: &Puzzle, files: &Files) -> Result<Vec<Observation>> {
        let scratch = Scratch::new()?;
        let folder = scratch.0.join("student");
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, text)?;
        }
        let timeout = self.options.timeout;
        let mut command = this_program()?;
        command.arg("exercise").arg(&puzzle.id);
        if let Some(set) = &self.options.from {
            command.arg("--from").arg(set.canonicalize()?);
        }
        if let Some(seed) = self.options.seed {
            command.args(["--seed", &seed.to_string()]);
        }
        let device = self.device.index.to_string();
        command
            .args(["--json", "--no-timing", "--device", &device])
            .args(["--timeout", &timeout.to_string()])
            // What it includes lies beside it; and so would the memory of one that crashes.
            .current_dir(folder.join(&puzzle.place).parent().unwrap_or(Path::new("")))
            .env(VARIABLE, &folder)
            .env("TMPDIR", &scratch.0);
        let patience = Duration::from_secs(timeout.saturating_mul(LAUNCHES));
        let checked = ask::<Checked>(in_a_group(&mut command), patience, MEMORY);
        let place = format!("{}/", folder.display());
        let shown = |words: String| words.replace(&place, "");
        let mut seen = checked.map_err(|why| anyhow!(shown(why)))?.observations;
        for one in &mut seen {
            one.says = shown(std::mem::take(&mut one.says));
        }
        Ok(seen)
    }

    /// What `--json` and `--csv` have of a grade.
    fn row(&self, grade: &Grade) -> [(&'static str, Value); 11] {
        let [detector, says] = &grade.reason;
        let noted = grade.noted();
        [
            ("student", json!(grade.student.name)),
            ("item", json!(grade.puzzle.id)),
            ("title", json!(grade.puzzle.words.title)),
            ("verdict", json!(grade.in_short().1)),
            ("detector", json!(detector)),
            ("says", json!(says)),
            ("counts", json!(grade.counts)),
            ("hints", json!(noted.as_ref().map(|noted| noted.hints))),
            ("solution", json!(noted.map(|noted| noted.solution))),
            ("course", json!(self.course)),
            ("device", json!(self.device.label())),
        ]
    }
}

impl Grade<'_> {
    fn in_short(&self) -> (ColoredString, &'static str) {
        let refused = ("!".red(), "refused");
        self.verdict.map_or(refused, Verdict::in_short)
    }

    /// What the student's folder says of it.
    fn noted(&self) -> Option<Entry> {
        let noted = self.student.progress.as_ref();
        noted.map(|noted| noted.of(&self.puzzle.id))
    }
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
fn print_table(grades: &[Grade], many: usize, all_columns: bool) -> Result<()> {
    let width = stdout_columns().unwrap_or(WIDTH);
    let names = grades.iter().map(|one| one.student.name.chars().count());
    let name = names.max().unwrap_or(0).min(NAME);
    let students: Vec<&[Grade]> = grades.chunks(many).collect();
    let is_done = |grade: &&Grade| grade.verdict == Some(Verdict::Done);
    let is_begun = |grade: &&Grade| grade.verdict != Some(Verdict::Untouched);
    for own in &students {
        // What holds for the whole folder is said once.
        let is_refused = own[0].student.root.is_err();
        let told = own.iter().filter(|one| is_begun(one) && !is_done(one));
        for grade in told.take(if is_refused { 1 } else { many }) {
            let student = cut(&grade.student.name, NAME);
            let id = if is_refused { "" } else { &grade.puzzle.id };
            let words = grade.reason.join(": ");
            let words = words.trim_start_matches(": ");
            let words = cut(words, width.saturating_sub(name + 12));
            let sign = grade.in_short().0;
            writeln!(Out, "  {student:<name$}  {sign} {id:<5} {words}")?;
        }
    }
    let shown = |at: &usize| {
        let mut column = students.iter().map(|own| &own[*at]);
        all_columns || column.any(|one| is_begun(&one) && one.student.root.is_ok())
    };
    let columns: Vec<usize> = (0..many).filter(shown).collect();
    let id = |at: &usize| &*grades[*at].puzzle.id;
    // A cell is as wide as its heading, with a space on either side.
    let cell = columns.iter().map(|at| id(at).chars().count());
    let cell = cell.max().unwrap_or(1).max(2) + 2;
    let room = (width.saturating_sub(name + 2 + 6) / cell).max(1);
    let none = columns.is_empty().then_some(&[][..]);
    for block in columns.chunks(room).chain(none) {
        let heading = ["", "done"].into_iter().chain(block.iter().map(id));
        let row = |own: &&[Grade]| {
            let done = own.iter().filter(is_done).count();
            let first = [cut(&own[0].student.name, NAME), done.to_string()];
            let marks = block.iter().map(|at| {
                let looked_at = match own[*at].noted() {
                    Some(noted) if noted.solution => "s",
                    Some(noted) if noted.hints > 0 => "h",
                    _ => " ",
                };
                format!("{}{looked_at}", own[*at].in_short().0)
            });
            first.into_iter().chain(marks).collect()
        };
        let rows: Vec<Vec<String>> = students.iter().map(row).collect();
        writeln!(Out, "\n{}", table(&heading.collect::<Vec<_>>(), &rows))?;
    }
    Ok(())
}
