//! The process in which a learner's kernel runs: a lesson of one kernel, whose steps
//! come from the exercise's data. The course starts itself again with an environment
//! variable for this, so that a crash or a hang is one more answer.

use std::process::ExitCode;

use common::Result;
use common::shape::Shape;
use runner::{Lesson, lesson};

use super::exercise::{Exercise, all, find};
use super::race::race;
use super::ready::{Ready, bad_data};
use super::spec::Spec;

/// Set to an exercise and what is wanted of it, for example "6.2 device".
pub const VARIABLE: &str = "OPENCL_COURSE_RUN_EXERCISE";

/// What is wanted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Right results on a device, at every size.
    Results,
    /// Faults that a simulator sees, and its counts.
    Faults,
    /// Every access, by a launch without buffers: each is then reported.
    Accesses,
    /// Seconds, beside those of the lesson's own kernel.
    Speed,
}

impl Purpose {
    const ALL: [Purpose; 4] = [
        Purpose::Results,
        Purpose::Faults,
        Purpose::Accesses,
        Purpose::Speed,
    ];

    /// The word in the variable.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Results => "results",
            Purpose::Faults => "faults",
            Purpose::Accesses => "accesses",
            Purpose::Speed => "speed",
        }
    }

    /// The launches, each with its size.
    fn launches(self, exercise: &Exercise) -> Vec<(Spec, Shape)> {
        let mut launches = Vec::new();
        for spec in exercise.spec.launches() {
            match self {
                Purpose::Results => {
                    launches.extend(spec.sizes.iter().map(|size| (spec.clone(), *size)));
                }
                Purpose::Faults => launches.push((spec.clone(), spec.simulated)),
                Purpose::Accesses | Purpose::Speed => {}
            }
        }
        // Counts are those of the last launch.
        let last = exercise.spec.launches().pop();
        match (self, last) {
            (Purpose::Faults, Some(spec)) if spec.simulated != spec.counted => {
                launches.push((spec.clone(), spec.counted));
            }
            (Purpose::Accesses, Some(spec)) => launches.push((spec.clone(), spec.counted)),
            _ => {}
        }
        launches
    }
}

/// Runs an exercise, if this process was started for that.
pub fn run_if_asked() -> Option<ExitCode> {
    let asked = std::env::var(VARIABLE).ok()?;
    let (id, word) = asked.split_once(' ')?;
    let purpose = Purpose::ALL.into_iter().find(|one| one.word() == word)?;
    let exercise = match all().and_then(|all| find(all, id)) {
        Ok(exercise) => exercise,
        Err(error) => {
            eprintln!("error: {error:#}");
            return Some(ExitCode::from(2));
        }
    };
    Some(lesson(exercise.lesson, "an exercise", None, |lesson| {
        if purpose == Purpose::Speed {
            return race(lesson, &exercise);
        }
        for (spec, size) in purpose.launches(&exercise) {
            // A kernel that is wrong at one size may wreck the process at the next.
            if !run(lesson, &spec, purpose, size)? {
                break;
            }
        }
        Ok(())
    }))
}

/// Runs one size; false where the result is wrong, or there is none.
fn run(lesson: &mut Lesson, spec: &Spec, purpose: Purpose, size: Shape) -> Result<bool> {
    let mut record = lesson.record(&spec.kernel, &spec.variant(), size)?;
    record.group = spec.range(size).map_err(bad_data)?.local;
    let program = lesson.program(&spec.defines())?;
    let session = lesson.session()?;
    let mut ready = match Ready::new(&session, &program, spec, size)? {
        Ok(ready) => ready,
        Err(reason) => {
            record.skipped = Some(reason);
            lesson.console.row(record)?;
            return Ok(false);
        }
    };
    lesson.console.doing(format!("running {}", spec.kernel))?;
    if purpose == Purpose::Accesses {
        ready.run_without_buffers(&session)?;
        return Ok(true);
    }
    ready.poison(&session)?;
    ready.run(&session)?;
    match ready.check(&session)? {
        Ok(()) => record.verified = true,
        Err(wrong) => record.failed = Some(wrong),
    }
    let right = record.verified;
    lesson.console.row(record)?;
    Ok(right)
}
