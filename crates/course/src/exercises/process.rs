//! The process in which a learner's kernel runs: a lesson of one kernel, whose steps
//! come from the exercise's data. The course starts itself again with an environment
//! variable for this, so that a crash or a hang is one more answer.

use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use clap::ValueEnum;
use common::Result;
use common::shape::Shape;
use lesson::{Lesson, lesson};
use text::aside;

use super::bound_kernel::{BoundKernel, bad_data};
use super::exercise::{Exercise, all};
use super::race::race;
use super::spec::Spec;
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
    /// Every access, by a launch without buffers: each is then reported.
    Accesses,
    /// Seconds, beside those of the lesson's own kernel.
    Speed,
    /// One launch, for who looks at it from outside.
    Launch,
}

impl Purpose {
    /// The launches, each with its size.
    fn launches(self, exercise: &Exercise) -> Vec<(Spec, Shape)> {
        let launches = exercise.spec.launches();
        let at = |spec: &Spec, size| (spec.clone(), size);
        // Counts are those of the last launch.
        let counted = launches.last().map(|spec| at(spec, spec.counted));
        let simulated = launches.iter().map(|spec| at(spec, spec.simulated));
        match self {
            Purpose::Results => {
                let sizes = |spec| exercise.spec.sizes.iter().map(move |size| at(spec, *size));
                launches.iter().flat_map(sizes).collect()
            }
            Purpose::Faults => {
                let other = counted.filter(|(spec, size)| *size != spec.simulated);
                simulated.chain(other).collect()
            }
            Purpose::Accesses | Purpose::Launch => counted.into_iter().collect(),
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
        .args(["--json", "--only", &exercise.spec.kernel])
        .args(["--timeout", &attempt.how.timeout.to_string()])
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
        for (spec, size) in purpose.launches(exercise) {
            // A kernel that is wrong at one size may wreck the process at the next.
            if !run(lesson, &spec, purpose, size)? {
                break;
            }
        }
        Ok(())
    }))
}

/// What is said where only the second run is wrong.
const OVER_A_NUMBER: &str = "right where the output held NaN before, wrong where it held a \
                             number: it is read before it is written";

/// Runs one size; false where the result is wrong, or there is none.
fn run(lesson: &mut Lesson, spec: &Spec, purpose: Purpose, size: Shape) -> Result<bool> {
    let mut record = lesson.record(&spec.kernel, &spec.variant(), size)?;
    record.group = spec.range(size).map_err(bad_data)?.local().to_vec();
    let program = lesson.program(&spec.defines())?;
    let session = lesson.session()?;
    let mut bound = match BoundKernel::new(&session, &program, spec, size)? {
        Ok(bound) => bound,
        Err(reason) => {
            record.skipped = Some(reason);
            lesson.console.row(record)?;
            return Ok(false);
        }
    };
    lesson.console.doing(format!("running {}", spec.kernel))?;
    if purpose == Purpose::Accesses {
        bound.run_without_buffers(&session)?;
        return Ok(true);
    }
    bound.poison(&session)?;
    bound.run(&session)?;
    let mut checked = bound.check(&session)?;
    if checked.is_ok() && purpose == Purpose::Results && !session.device.is_simulator() {
        bound.poison_with_a_number(&session)?;
        bound.run(&session)?;
        checked = bound
            .check(&session)?
            .map_err(|wrong| format!("{OVER_A_NUMBER}\n{wrong}"));
    }
    match checked {
        Ok(()) => record.verified = true,
        Err(wrong) => record.failed = Some(wrong),
    }
    let right = record.verified;
    lesson.console.row(record)?;
    Ok(right)
}
