//! Each kernel is copied out of the student's folder and checked by the command that checks a
//! learner's, as a process of its own; what was judged before is kept.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use diagnostics::terminal::{plain_name, progress};
use inspect::judge::{Detection, Detector, Evidence, Observation};
use lesson::results;
use serde::{Deserialize, Serialize};
use verify::cores::{cores, each_on};
use watchdog::devices::Device;
use watchdog::scratch::Scratch;
use watchdog::{ask, in_a_group, this_program};

use super::hand_in::{Files, Student, handed_in};
use super::{Grade, GradeArgs};
use crate::game::folder::VARIABLE;
use crate::game::puzzle::Puzzle;
use crate::game::verdict::Verdict;

/// Memory that a check and what it starts may hold: a kernel's macros can ask its compiler for
/// any amount.
const MEMORY: u64 = 4 << 30;
/// Launches that a kernel is waited for in all, each for as long as a launch may take.
const LAUNCHES: u64 = 4;
/// Processes that share a GPU at most: each takes some of its memory.
const ON_A_GPU: usize = 8;

pub struct Judge<'a> {
    pub options: &'a GradeArgs,
    pub device: Device,
    pub course: String,
    /// How many were judged before.
    pub kept: AtomicUsize,
}

/// What a check prints; and what is kept of it, beside all that decided it.
#[derive(Deserialize, Serialize)]
struct Checked {
    #[serde(default)]
    of: String,
    observations: Vec<Observation>,
}

impl Judge<'_> {
    /// Every puzzle of every student, in order; several at a time.
    pub fn all<'g>(&'g self, students: &'g [Student], puzzles: &[&'g Puzzle]) -> Vec<Grade<'g>> {
        let many = (students.len() * puzzles.len()) as u64;
        let template = "  {pos} of {len}, {elapsed}, about {eta} left  {msg}";
        let bar = progress::bar(Some(many), template);
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

    fn graded<'g>(&'g self, student: &'g Student, puzzle: &'g Puzzle) -> Grade<'g> {
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
        let first = |outcome| seen.iter().find(|one| one.outcome == outcome);
        let decides = first(Detection::Fault).or_else(|| first(Detection::NotRun));
        let [detector, says] = decides.map_or([String::new(), refused], |one| {
            // The place, or in words what is wrong.
            let is_line = |one: &&Evidence| matches!(one, Evidence::Line(_));
            let more = one.details.iter().find(is_line).or(one.details.first());
            let more = more.map_or(String::new(), |more| format!(": {more}"));
            [one.detector.to_string(), one.says.clone() + &more]
        });
        let counts = seen.iter();
        let counts = counts.filter(|one| matches!(one.detector, Detector::Count(_)));
        let counts = counts.map(|one| format!("{} {}", one.detector, one.says));
        let noted = student.progress.as_ref().map(|noted| noted.of(&puzzle.id));
        Grade {
            student: &student.name,
            item: &puzzle.id,
            title: &puzzle.words.title,
            verdict,
            detector: plain_name(&detector),
            says: plain_name(&says),
            counts: plain_name(&Vec::from_iter(counts).join(" / ")),
            hints: noted.as_ref().map(|noted| noted.hints),
            solution: noted.map(|noted| noted.solution),
            course: &self.course,
            device: self.device.label(),
            is_of_folder: student.root.is_err(),
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

    /// All that decides on a judgement: the student's files and the course's, its version and its
    /// program, the device, the seed.
    fn identity(&self, puzzle: &Puzzle, files: &Files) -> String {
        let program = std::env::current_exe().and_then(fs::metadata);
        let age = program.and_then(|program| program.modified()).ok();
        let text = |(at, text): (_, &Vec<u8>)| format!("{at:?} {}", text.escape_ascii());
        let files: Vec<_> = files.iter().map(text).collect();
        let GradeArgs { timeout, seed, .. } = self.options;
        let (device, course, place) = (&self.device, &self.course, &puzzle.place);
        let ours = (&puzzle.fresh.text, &puzzle.words.data, &puzzle.with);
        format!("{place} {course} {age:?} {device:?} {timeout} {seed:?} {ours:?} {files:?}")
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
        command
            .args(["--json", "--no-timing"])
            .args(["--device", &self.device.index.to_string()])
            .args(["--timeout", &timeout.to_string()])
            // What it includes lies beside it; and so would the memory of one that crashes.
            .current_dir(folder.join(&puzzle.place).parent().unwrap_or(Path::new("")))
            .env(VARIABLE, &folder)
            .env("TMPDIR", &scratch.0);
        let patience = Duration::from_secs(timeout.saturating_mul(LAUNCHES));
        let checked = ask::<Checked>(in_a_group(&mut command), patience, MEMORY);
        let place = format!("{}/", folder.display());
        let shown = |words: &str| words.replace(&place, "");
        let mut seen = checked.map_err(|why| anyhow!(shown(&why)))?.observations;
        seen.iter_mut().for_each(|one| one.says = shown(&one.says));
        Ok(seen)
    }
}
