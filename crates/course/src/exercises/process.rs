//! The process in which a learner's kernel runs: a lesson of one kernel, whose steps
//! come from the exercise's data. The course starts itself again with an environment
//! variable for this, so that a crash or a hang is one more answer.

use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use clap::ValueEnum;
use common::shape::Shape;
use common::{Error, Result};
use lesson::{Lesson, lesson};
use text::aside;

use super::exercise::{Exercise, all};
use super::race::race;
use super::spec::{SEED, Spec};
use crate::game::playable::Attempt;

/// Set to an exercise and what is wanted of it, for example "6.2 Results".
const VARIABLE: &str = "OPENCL_COURSE_RUN_EXERCISE";

/// What is wanted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    /// Right results on a device, at every size.
    Results,
    /// Faults that a simulator sees, and its counts.
    Faults,
    /// Seconds, beside those of the lesson's own kernel.
    Speed,
    /// One launch, for who looks at it from outside.
    Launch,
}

impl Purpose {
    /// The launches, each with its size and the seed of its inputs; `seed` is what is new in
    /// this check.
    fn launches(self, exercise: &Exercise, seed: u64) -> Vec<(Spec, Shape, u64)> {
        let launches = exercise.spec.launches();
        let at = |spec: &Spec, size| (spec.clone(), size, SEED);
        // Counts are those of the last launch.
        let counted = launches.last().map(|spec| at(spec, spec.counted));
        let simulated = launches.iter().map(|spec| at(spec, spec.simulated));
        match self {
            Purpose::Results => {
                let sizes = |spec| exercise.spec.sizes.iter().map(move |size| at(spec, *size));
                let new = |spec: &Spec| (spec.clone(), spec.drawn(seed), seed);
                let new: Vec<_> = launches.iter().map(new).collect();
                launches.iter().flat_map(sizes).chain(new).collect()
            }
            Purpose::Faults => {
                let other = counted.filter(|(spec, size, _)| *size != spec.simulated);
                simulated.chain(other).collect()
            }
            Purpose::Launch => counted.into_iter().collect(),
            Purpose::Speed => Vec::new(),
        }
    }
}

/// The course itself, as the process in which an exercise runs, by a lesson's flags.
pub fn process(exercise: &Exercise, purpose: Purpose) -> anyhow::Result<Command> {
    let this = process::this_program();
    let mut command = this.context("cannot find this program's own path")?;
    command.env(VARIABLE, format!("{} {purpose:?}", exercise.puzzle.id));
    Ok(command)
}

/// The same with the learner's file.
pub fn command(
    exercise: &Exercise,
    attempt: &Attempt,
    purpose: Purpose,
) -> anyhow::Result<Command> {
    let mut command = process(exercise, purpose)?;
    let color = colored::control::SHOULD_COLORIZE.should_colorize();
    command
        .args(["--json", "--only", &exercise.spec.task.function])
        .args(["--timeout", &attempt.how.timeout.to_string()])
        .args(["--seed", &attempt.how.seed.to_string()])
        .args(["--color", if color { "always" } else { "never" }])
        .arg("--source")
        .arg(attempt.file)
        .stdin(Stdio::null());
    if purpose != Purpose::Speed {
        command.args(["--runs", "0"]);
    }
    Ok(command)
}

/// Runs an exercise, if this process was started for that.
pub fn run_if_asked() -> Option<ExitCode> {
    let asked = std::env::var(VARIABLE).ok()?;
    let (id, word) = asked.split_once(' ')?;
    let purpose = Purpose::from_str(word, true).ok()?;
    let all = match all() {
        Ok(all) => all,
        Err(error) => {
            aside!("error: {error:#}");
            return Some(ExitCode::from(2));
        }
    };
    let exercise = all.iter().find(|one| one.puzzle.id == id)?;
    let number = exercise.puzzle.lesson.number;
    Some(lesson(number, "an exercise", None, |lesson| {
        if purpose == Purpose::Speed {
            let race = race(lesson, exercise)?;
            return lesson.console.report.json(&race);
        }
        let seed = lesson.flags().seed;
        for (spec, size, seed) in purpose.launches(exercise, seed) {
            // A kernel that is wrong at one size may wreck the process at the next.
            if !run(lesson, &spec, size, seed)? {
                break;
            }
        }
        Ok(())
    }))
}

/// Runs one size; false where the result is wrong, or there is none.
fn run(lesson: &mut Lesson, spec: &Spec, size: Shape, seed: u64) -> Result<bool> {
    let task = spec.with_seed(size, seed).map_err(bad_data)?;
    lesson.console.doing(format!("running {}", task.kernel))?;
    let record = lesson.checked(&task)?;
    let right = record.verified;
    lesson.console.row(record)?;
    Ok(right)
}

/// The exercise's own data are wrong.
pub fn bad_data(error: anyhow::Error) -> Error {
    Error::Usage(format!("the exercise's data: {error:#}"))
}
