//! Grading: what a class has come to. Each kernel is copied out of the student's folder and
//! checked by the command that checks a learner's, as a process of its own; what was judged
//! before is kept. `hand_in` is what lies in a student's folder.

mod hand_in;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use colored::{ColoredString, Colorize};
use diagnostics::terminal::prose::{WIDTH, beside, cut};
use diagnostics::terminal::wrap::stdout_columns;
use diagnostics::terminal::{Out, plain_name, progress, table};
use inspect::judge::{Detection, Detector, Evidence, Observation, SEEDS, TIMEOUT};
use lesson::results;
use minijinja::value::Serde;
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
use crate::{exercises, html, puzzles};
use hand_in::{Files, Student, handed_in, students, tell_apart};

/// Memory that a check and what it starts may hold: a kernel's macros can ask its compiler for
/// any amount.
const MEMORY: u64 = 4 << 30;
/// Launches that a kernel is waited for in all, each for as long as a launch may take.
const LAUNCHES: u64 = 4;
/// Processes that share a GPU at most: each takes some of its memory.
const ON_A_GPU: usize = 8;
/// Columns of a student's name, where so many tell all students apart.
const NAME: usize = 20;

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
    /// Judge what an earlier run has judged, too
    #[arg(long)]
    fresh: bool,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(short, long, value_name = "SELECTOR")]
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
pub fn grade(options: &GradeArgs) -> Result<ExitCode> {
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
    let mut students: Vec<Student> = options.folders.iter().flat_map(below).collect();
    tell_apart(&mut students);
    let device = &chosen(options.device.as_deref(), false)?[0];
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    let judge = Judge {
        options,
        device,
        course: env!("CARGO_PKG_VERSION").to_string() + &commit,
        kept: AtomicUsize::new(0),
    };
    let grades = judge.all(&students, &puzzles);
    let table = Table::of(&grades, puzzles.len(), !options.only.is_empty());
    let rows = grades.iter().map(|grade| judge.row(grade));
    if options.html {
        writeln!(Out, "{}", table.page(&judge)?)?;
    } else if options.json {
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
        table.print()?;
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
    options: &'a GradeArgs,
    device: &'a Device,
    course: String,
    /// How many were judged before.
    kept: AtomicUsize,
}

impl Judge<'_> {
    /// Every puzzle of every student, in order; several at a time.
    fn all<'a>(&self, students: &'a [Student], puzzles: &[&'a Puzzle]) -> Vec<Grade<'a>> {
        let many = (students.len() * puzzles.len()) as u64;
        let bar = progress::bar(
            Some(many),
            "  {pos} of {len}, {elapsed}, about {eta} left  {msg}",
        );
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
            // The place, or in words what is wrong.
            let of = |told: fn(&Evidence) -> Option<String>| one.details.iter().find_map(told);
            let line = of(|one| match one {
                Evidence::Line(_) => Some(format!(" {one}")),
                _ => None,
            });
            let words = || {
                of(|one| match one {
                    Evidence::Words(words) => Some(format!(": {words}")),
                    _ => None,
                })
            };
            let more = line.or_else(words).unwrap_or_default();
            [one.detector.to_string(), one.says.clone() + &more]
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
        let GradeArgs { timeout, seed, .. } = self.options;
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
    fn is_done(&self) -> bool {
        self.verdict == Some(Verdict::Done)
    }

    fn is_begun(&self) -> bool {
        self.verdict != Some(Verdict::Untouched)
    }

    /// The puzzle's number; nothing where the whole folder is refused.
    fn id(&self) -> &str {
        let is_refused = self.student.root.is_err();
        if is_refused { "" } else { &self.puzzle.id }
    }

    /// Who decides, and what it says.
    fn says(&self) -> String {
        let words = self.reason.iter().filter(|words| !words.is_empty());
        Vec::from_iter(words.map(String::as_str)).join(": ")
    }

    /// s: the solution was looked at; h: a hint was.
    fn looked_at(&self) -> &'static str {
        match self.noted() {
            Some(noted) if noted.solution => "s",
            Some(noted) if noted.hints > 0 => "h",
            _ => " ",
        }
    }

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

/// A row for each student, with a column for each puzzle.
struct Table<'a> {
    /// Those of a student, in the puzzles' order.
    students: Vec<&'a [Grade<'a>]>,
    /// Which puzzles are shown: all, or those that anybody has begun.
    columns: Vec<usize>,
}

impl<'a> Table<'a> {
    /// A student's grades are so `many`.
    fn of(grades: &'a [Grade], many: usize, all_columns: bool) -> Table<'a> {
        let students: Vec<&[Grade]> = grades.chunks(many).collect();
        let is_begun =
            |own: &&[Grade], at: usize| own[at].is_begun() && own[at].student.root.is_ok();
        let shown = |at: &usize| all_columns || students.iter().any(|own| is_begun(own, *at));
        Table {
            columns: (0..many).filter(shown).collect(),
            students,
        }
    }

    /// What is not done; what holds for a whole folder once.
    fn open(&self) -> impl Iterator<Item = &Grade<'a>> {
        self.students.iter().flat_map(|own| {
            let told = own.iter().filter(|one| one.is_begun() && !one.is_done());
            told.take(if own[0].student.root.is_err() {
                1
            } else {
                own.len()
            })
        })
    }

    /// A line for what is not done, and the table, in as many blocks as the screen's width takes.
    fn print(&self) -> Result<()> {
        let names = self.students.iter().map(|own| &own[0].student.name);
        let longest = names.clone().map(|name| name.chars().count()).max();
        let longest = longest.unwrap_or(0);
        let are_told_apart = |most: &usize| {
            let shown: BTreeSet<String> = names.clone().map(|name| cut(name, *most)).collect();
            shown.len() == self.students.len()
        };
        let name = (longest.min(NAME)..longest).find(are_told_apart);
        let name = name.unwrap_or(longest);
        for grade in self.open() {
            let (student, (sign, _)) = (cut(&grade.student.name, name), grade.in_short());
            let words = beside(&grade.says(), name + 12);
            writeln!(Out, "  {student:<name$}  {sign} {:<5} {words}", grade.id())?;
        }
        // A cell is as wide as its heading, with a space on either side.
        let id = |at: &usize| &*self.students[0][*at].puzzle.id;
        let cell = self.columns.iter().map(|at| id(at).chars().count());
        let cell = cell.max().unwrap_or(1).max(2) + 2;
        let width = stdout_columns().unwrap_or(WIDTH);
        let room = (width.saturating_sub(name + 2 + 6) / cell).max(1);
        let none = self.columns.is_empty().then_some(&[][..]);
        for block in self.columns.chunks(room).chain(none) {
            let heading = ["", "done"].into_iter().chain(block.iter().map(id));
            let row = |own: &&[Grade]| {
                let first = [cut(&own[0].student.name, name), done(own).to_string()];
                let mark =
                    |at: &usize| format!("{}{}", own[*at].in_short().0, own[*at].looked_at());
                first.into_iter().chain(block.iter().map(mark)).collect()
            };
            let rows: Vec<Vec<String>> = self.students.iter().map(row).collect();
            writeln!(Out, "\n{}", table(&heading.collect::<Vec<_>>(), &rows))?;
        }
        Ok(())
    }

    /// The same for a browser.
    fn page(&self, judge: &Judge) -> Result<String> {
        let told = |grade: &Grade| {
            let (sign, word) = grade.in_short();
            let class = match grade.verdict {
                Some(Verdict::Done) => "done",
                Some(Verdict::NotYet) | None => "open",
                _ => "",
            };
            json!({
                "student": grade.student.name, "id": grade.id(), "title": grade.puzzle.words.title,
                "sign": *sign, "word": word, "class": class, "looked_at": grade.looked_at(), "says": grade.says(),
            })
        };
        let row = |own: &&[Grade]| {
            let cells = self.columns.iter().map(|at| told(&own[*at]));
            json!({
                "name": own[0].student.name, "done": done(own), "cells": Vec::from_iter(cells),
            })
        };
        let puzzles = self.columns.iter().map(|at| told(&self.students[0][*at]));
        html::filled(
            "grade.html",
            include_str!("grade/page.html"),
            Serde(json!({
                "course": judge.course,
                "device": judge.device.label(),
                "puzzles": Vec::from_iter(puzzles),
                "students": Vec::from_iter(self.students.iter().map(row)),
                "open": Vec::from_iter(self.open().map(told)),
            }))
            .into(),
        )
    }
}

/// How many of these are done.
fn done(own: &[Grade]) -> usize {
    own.iter().filter(|one| one.is_done()).count()
}
