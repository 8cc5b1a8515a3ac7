//! The process in which a learner's kernel runs: a lesson of one kernel, whose steps
//! come from the exercise's data. The course starts itself again with an environment
//! variable for this, so that a crash or a hang is one more answer.

use std::process::ExitCode;

use common::element::Elements;
use common::matrix::Shape;
use common::session::Arg;
use common::verify::{self, CANARY_BYTES};
use common::{Error, Lesson, Result, lesson};

use super::exercise::{Exercise, Spec, all, find};
use super::problem::Problem;

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
}

impl Purpose {
    const ALL: [Purpose; 3] = [Purpose::Results, Purpose::Faults, Purpose::Accesses];

    /// The word in the variable.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Results => "results",
            Purpose::Faults => "faults",
            Purpose::Accesses => "accesses",
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
                Purpose::Accesses => {}
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
    let range = spec.range(size).map_err(bad_data)?;
    let problem = Problem::new(spec, size, &range.local).map_err(bad_data)?;
    let mut record = lesson.record(&spec.kernel, &spec.variant(), size)?;
    record.group = range.local.clone();
    let program = lesson.program(&spec.defines())?;
    let kernel = program.kernel(&spec.kernel, &problem.signature())?;
    let session = lesson.session()?;
    if let Some(reason) = range.refusal(&session.device, usize::MAX) {
        record.skipped = Some(reason);
        lesson.row(record)?;
        return Ok(false);
    }
    lesson.doing(format!("running {}", spec.kernel))?;
    let mut args = problem.scalars.clone();
    if purpose == Purpose::Accesses {
        args.extend((0..=problem.inputs.len()).map(|_| Arg::NoBuffer));
        session.set_args(&kernel, &spec.kernel, &args)?;
        session.run(&kernel, &spec.kernel, &range)?;
        return Ok(true);
    }
    let inputs: Result<Vec<_>> = problem
        .inputs
        .iter()
        .map(|input| session.upload(input.as_bytes()))
        .collect();
    let inputs = inputs?;
    let (ty, count) = problem.output;
    let bytes = count * ty.size();
    let output = session.upload(&verify::poisoned(bytes, ty))?;
    args.extend(inputs.iter().chain([&output]).map(Arg::Buffer));
    session.set_args(&kernel, &spec.kernel, &args)?;
    session.run(&kernel, &spec.kernel, &range)?;
    let result = session.read(&output, bytes + CANARY_BYTES)?;
    let canary = verify::canary_alive(&result, bytes, ty);
    match problem.check(Elements::from_bytes(ty, &result[..bytes]), canary) {
        Ok(()) => record.verified = true,
        Err(wrong) => record.failed = Some(wrong),
    }
    let right = record.verified;
    lesson.row(record)?;
    Ok(right)
}

fn bad_data(error: anyhow::Error) -> Error {
    Error::Usage(format!("the exercise's data: {error:#}"))
}
