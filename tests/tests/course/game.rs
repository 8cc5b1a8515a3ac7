//! The game, as a learner meets it: kernels copied out, checked, hinted at, solved or
//! mended. None is right as it comes, each answer is, and what differs is the gap or the
//! mended lines.

mod answers;
mod content;
mod diagnose;
mod folder;
#[cfg(unix)]
mod front;
mod grade;
mod marks;
#[cfg(unix)]
mod saves;
mod sets;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::{Oclgrind, Outcome, Program, entries, pocl, program, read, scratch_folder, workspace};

const GAP_BEGINS: &str = "// ---- your lines begin";
const GAP_ENDS: &str = "// ---- your lines end";

/// A learner's folder, outside of the clone, that goes away with its owner.
pub struct Learner(pub PathBuf);

impl Learner {
    /// One who has no folder yet.
    fn new(name: &str) -> Learner {
        let name = format!("opencl-course-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // What an earlier process of the same number left.
        let _ = fs::remove_dir_all(&folder);
        Learner(folder)
    }

    /// One who has started.
    pub fn started(name: &str) -> Learner {
        let learner = Learner::new(name);
        learner.types("start").run().ends_with(0);
        learner
    }

    pub fn types(&self, words: &str) -> Program {
        let program = program("course").args(words);
        program.on_the_chosen_driver().env("OPENCL_COURSE_EXERCISES", &self.0)
    }

    fn file(&self, exercise: &Path) -> PathBuf {
        let lesson = exercise.parent().and_then(Path::file_name);
        let lesson = self.0.join(lesson.expect("a lesson's folder"));
        lesson.join(name(exercise)).with_extension("cl")
    }

    fn writes(&self, exercise: &Path, text: &str) {
        fs::write(self.file(exercise), text).expect("the folder can be written");
    }

    fn progress(&self) -> String {
        fs::read_to_string(self.0.join("progress.txt")).unwrap_or_default()
    }

    /// Asserts lines of 80 columns. The learner's folder has a long path, and a line of code
    /// with its comment may be long; these are left out.
    #[track_caller]
    fn sees_on_80_columns(&self, shown: &Outcome) {
        let own = self.0.display().to_string();
        let is_prose = |line: &&str| !line.contains(&own) && !line.contains("//");
        for line in shown.stdout.lines().filter(is_prose) {
            let columns = line.trim_end().chars().count();
            assert!(columns <= 80, "too long: {line}\n{shown}");
        }
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folders of all exercises, in order.
fn exercises() -> Vec<PathBuf> {
    let mut lessons = entries(&workspace().join("exercises"));
    lessons.retain(|lesson| is_of_a_lesson(lesson));
    lessons.iter().flat_map(|lesson| entries(lesson)).collect()
}

/// "2 of 108 solved": of all that there are.
fn solved(count: usize) -> String {
    let of = |kind: &str| entries(&workspace().join("exercises").join(kind)).into_iter();
    let of = |kind| of(kind).filter(|one| one.is_dir() && is_of_a_lesson(one)).count();
    let broken = tests::kernel_files("exercises/broken").len();
    let all = exercises().len() + of("problems") + of("host") + broken;
    format!("{count} of {all} solved")
}

/// A folder such as exercises/06-local-memory; problems and others lie beside them.
fn is_of_a_lesson(folder: &Path) -> bool {
    name(folder).starts_with(|c: char| c.is_ascii_digit())
}

fn name(exercise: &Path) -> String {
    let name = exercise.file_name().expect("a folder below exercises/");
    name.to_string_lossy().into_owned()
}

/// "6.2", by the names of the folders.
fn id(exercise: &Path) -> String {
    let lesson = name(exercise.parent().expect("a lesson's folder"));
    let number = |name: &str| -> u32 {
        let digits = name.split('-').next().unwrap_or("");
        digits.parse().unwrap_or_else(|_| panic!("{name}: no number"))
    };
    format!("{}.{}", number(&lesson), number(&name(exercise)))
}

/// The exercise with this number.
fn numbered(wanted: &str) -> PathBuf {
    let found = exercises().into_iter().find(|one| id(one) == wanted);
    found.unwrap_or_else(|| panic!("there is no exercise {wanted}"))
}

fn solution(exercise: &Path) -> String {
    read(exercise.join("solution.cl"))
}

/// What stands before, in and behind the gap.
fn parts(text: &str) -> [String; 3] {
    let (before, rest) = text.split_once(GAP_BEGINS).expect("the gap begins");
    let (gap, after) = rest.split_once(GAP_ENDS).expect("the gap ends");
    [before, gap, after].map(String::from)
}
