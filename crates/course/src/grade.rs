//! Grading: what a class has come to. Each kernel is copied out of the student's folder and
//! checked by the command that checks a learner's, as a process of its own; what was judged
//! before is kept.
//!
//! # Layout
//!
//! `hand_in` is what lies in a student's folder, `table` what came of it.

mod hand_in;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use diagnostics::terminal::{plain, progress};
use judge::{Detection, Observation, SEEDS, TIMEOUT};
use lesson::results;
use minijinja::context;
use process::devices::{Device, chosen};
use process::scratch::Scratch;
use process::{ask, in_a_group, machine, this_program};
use serde::{Deserialize, Serialize};
use verify::cores::{cores, each_on};
use verify::numbers::count;

use crate::game::folder::VARIABLE;
use crate::game::puzzle::Puzzle;
use crate::game::which::find;
use crate::words::say;
use crate::{exercises, puzzles};
use hand_in::{Files, Student, handed_in, students};
use table::Grade;

/// Memory that a check and what it starts may hold: a kernel's macros can ask its compiler for
/// any amount.
const MEMORY: u64 = 4 << 30;
/// Launches that a kernel is waited for in all, each for as long as a launch may take.
const LAUNCHES: u64 = 4;
/// Processes that share a GPU at most: each takes some of its memory.
const ON_A_GPU: usize = 8;

/// The flags of `course grade`.
#[derive(clap::Args)]
pub struct Options {
    /// A folder of students' folders, or one student's
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Judge these: 2.1 of the exercises, 7 of the broken kernels, p3 of the problems
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
    let named = options.only.iter().map(|word| find(&all, word));
    let mut puzzles = named.collect::<Result<Vec<&Puzzle>>>()?;
    let are_named = !puzzles.is_empty();
    if !are_named {
        puzzles = all.iter().collect();
    }
    let below = |folder: &PathBuf| students(folder, &all);
    let students: Vec<Student> = options.folders.iter().flat_map(below).collect();
    let device = &chosen(options.device.as_deref(), false)?[0];
    let commit = machine::commit().map_or(String::new(), |commit| format!(" {commit}"));
    let course = env!("CARGO_PKG_VERSION").to_string() + &commit;
    let judge = Judge {
        options,
        device,
        course: &course,
        kept: AtomicUsize::new(0),
    };
    let grades = judge.all(&students, &puzzles);
    let label = device.label();
    if options.csv {
        table::csv(&grades, &course, &label)?;
    } else if options.json {
        table::json(&grades, &course, &label)?;
    } else {
        table::table_of(&grades, puzzles.len(), are_named)?;
        let judged = grades.iter().filter(|one| matches!(one.seen, Ok(Some(_))));
        let judged = count(judged.count(), "kernel");
        let (students, kept) = (count(students.len(), "student"), judge.kept.into_inner());
        let seconds = begun.elapsed().as_secs();
        let device = label;
        say(
            "graded",
            context! { students, judged, kept, seconds, course, device },
        )?;
    }
    let worst = grades.iter().map(Grade::status).max();
    Ok(ExitCode::from(worst.unwrap_or(0)))
}

/// No process that crashes leaves its memory on the disk.
fn keep_no_cores() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Core);
        limit.current = Some(0);
        // Where the system refuses, it writes them.
        let _ = setrlimit(Resource::Core, limit);
    }
}

/// What a check prints; and what is kept of it, beside all that decided it.
#[derive(Deserialize, Serialize)]
struct Checked {
    #[serde(default)]
    of: String,
    observations: Vec<Observation>,
}

struct Judge<'a> {
    options: &'a Options,
    device: &'a Device,
    course: &'a str,
    /// How many were judged before.
    kept: AtomicUsize,
}

impl Judge<'_> {
    /// Every puzzle of every student, in order; several at a time.
    fn all<'a>(&self, students: &'a [Student], puzzles: &[&'a Puzzle]) -> Vec<Grade<'a>> {
        keep_no_cores();
        let many = students.len() * puzzles.len();
        let bar = progress::bar(Some(many as u64), "  {pos} of {len}, {elapsed}  {msg}");
        let most = if self.device.is_cpu() {
            usize::MAX
        } else {
            ON_A_GPU
        };
        let each = |student| puzzles.iter().map(move |puzzle| (student, *puzzle));
        let all = students.iter().flat_map(each);
        let grades = each_on(most.min(cores()), all, |_, (student, puzzle)| {
            bar.set_message(format!("{:.40} {}", student.name, puzzle.id));
            let files = student.root.as_ref().map_err(String::clone);
            let files = files.and_then(|root| handed_in(root, puzzle));
            let seen = files.map(|files| files.map(|files| self.judged(puzzle, &files)));
            bar.inc(1);
            Grade {
                student,
                puzzle,
                seen,
            }
        });
        bar.finish_and_clear();
        grades
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
            vec![Observation::new("", Detection::NotRun, format!("{why:#}"))]
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
    /// its programs, the device, the seed.
    fn identity(&self, puzzle: &Puzzle, files: &Files) -> String {
        let fresh = &puzzle.fresh.path;
        let ours = fs::read_dir(fresh.parent().unwrap_or(fresh)).into_iter();
        let ours = ours.flatten().flatten().map(|entry| entry.path());
        let lesson = puzzle.lesson.and_then(|lesson| lesson.binary().ok());
        let programs = std::env::current_exe().into_iter().chain(lesson);
        let age = |file: PathBuf| fs::metadata(file).and_then(|file| file.modified()).ok();
        let ages: Vec<_> = programs.chain(ours).map(age).collect();
        let files: Vec<_> = files
            .iter()
            .map(|(at, text)| (at, text.escape_ascii().to_string()))
            .collect();
        let (device, course, Options { timeout, seed, .. }) =
            (self.device, self.course, self.options);
        let place = &puzzle.place;
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
        command.arg(puzzle.kind.command).arg(&puzzle.id);
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
            // What it includes lies beside it.
            .current_dir(folder.join(&puzzle.place).parent().unwrap_or(Path::new("")))
            .env(VARIABLE, &folder)
            .env("TMPDIR", &scratch.0);
        let patience = Duration::from_secs(timeout.saturating_mul(LAUNCHES));
        let checked = ask::<Checked>(in_a_group(&mut command), patience, MEMORY);
        let place = format!("{}/", folder.display());
        let shown = |words: &str| plain(words).replace(&place, "");
        // Of a check that refuses, its own words are enough.
        let own = |why: String| shown(why.split_once("error: ").map_or(&why, |(_, own)| own));
        let mut seen = checked.map_err(|why| anyhow!(own(why)))?.observations;
        for one in &mut seen {
            one.says = shown(&one.says);
        }
        Ok(seen)
    }
}
