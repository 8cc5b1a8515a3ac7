//! Each kernel is copied out of the student's folder and checked by the command that checks a
//! learner's, as a process of its own.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use diagnostics::terminal::{plain_name, progress};
use serde::Deserialize;
use verify::cores::{cores, each_on};
use watchdog::devices::Device;
use watchdog::scratch::Scratch;
use watchdog::{ask, in_a_group, this_program};

use super::hand_in::{Files, Student};
use super::{Grade, GradeArgs};
use crate::game::folder::VARIABLE;
use crate::game::puzzle::Puzzle;
use crate::game::verdict::{Brief, Verdict};

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
}

/// What a check prints.
#[derive(Deserialize)]
struct Checked {
    brief: Brief,
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
        let mut brief = match student.handed_in(puzzle) {
            Err(says) => Brief {
                says,
                ..Brief::default()
            },
            Ok(None) => Brief {
                verdict: Some(Verdict::Untouched),
                ..Brief::default()
            },
            Ok(Some(files)) => self.check(puzzle, &files).unwrap_or_else(|why| Brief {
                verdict: Some(Verdict::NotRun),
                says: format!("{why:#}"),
                ..Brief::default()
            }),
        };
        brief.says = plain_name(&brief.says);
        let noted = student.progress.as_ref().map(|noted| noted.of(&puzzle.id));
        Grade {
            student: &student.name,
            item: &puzzle.id,
            title: &puzzle.words.title,
            brief,
            hints: noted.as_ref().map(|noted| noted.hints),
            solution: noted.map(|noted| noted.solution),
            course: &self.course,
            device: self.device.label(),
            is_of_folder: student.refused.is_some(),
        }
    }

    /// The course's own check of these files, in a folder that nobody needs later.
    fn check(&self, puzzle: &Puzzle, files: &Files) -> Result<Brief> {
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
        let mut brief = checked.map_err(|why| anyhow!(shown(&why)))?.brief;
        brief.says = shown(&brief.says);
        Ok(brief)
    }
}
