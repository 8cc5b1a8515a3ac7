//! Checking a learner's kernel: the right result on a device, no fault in the
//! simulator, and the counts that the exercise asks for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow};
use common::record::Record;
use common::shape::Shape;

use super::exercise::Exercise;
use super::runner::{Purpose, VARIABLE};
use super::simulated::{IN_SIMULATOR, Simulated, simulate};
use super::speed::{judge as judge_speed, not_judged};
use super::waiting::Waiting;
use crate::judge::judge;
use crate::observation::{Observation, Outcome};

/// How a kernel came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Right, without faults, and within the targets.
    Solved,
    /// Right on the device; nobody looked for faults or counted.
    Unproven,
    /// Something is found against it.
    NotYet,
    /// It could not be run: there is no device, or it cannot launch this.
    NotRun,
}

impl Verdict {
    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Solved => "solved",
            Verdict::Unproven => {
                "the result is right, not proven free of races: Oclgrind is missing, and with it \
                 the search for faults and the counts; ./setup --full installs it"
            }
            Verdict::NotYet => "not solved yet",
            Verdict::NotRun => "not decided: the kernel did not run",
        }
    }
}

/// The learner's file, and where and how long it may run.
pub struct Run<'a> {
    /// What it is to solve.
    pub exercise: &'a Exercise,
    /// The file.
    pub file: &'a Path,
    /// The device; none leaves the choice to the course.
    pub device: Option<&'a str>,
    /// Seconds that a launch may take.
    pub timeout: u64,
    /// Whether speed is judged, where the exercise asks for it.
    pub timing: bool,
}

/// What all checks together say; the exit status of a device that failed.
pub struct Checked {
    /// In the order in which they are to be read.
    pub observations: Vec<Observation>,
    /// What follows.
    pub verdict: Verdict,
    /// As the course ends: 0 right, 1 wrong, 3 no device, 4 no build, 5 device failed.
    pub status: u8,
    /// The device's own message, where it could not run.
    pub message: String,
}

/// Checks a file.
pub fn check(run: &Run) -> Result<Checked> {
    let waiting = Waiting::begin("checking the result, and for faults in the simulator");
    // Two processes, at the same time: a driver compiles while the simulator runs.
    let (device, faults) = thread::scope(|scope| {
        let faults = scope.spawn(|| simulate(run));
        (on_device(run), faults.join())
    });
    let device = device?;
    let mut observations = vec![device.seen];
    let ran = observations[0].outcome != Outcome::NotRun;
    let builds = device.status != 4;
    if ran && builds {
        let Simulated { faults, counts } =
            faults.map_err(|_| anyhow!("the simulator's thread panicked"))??;
        // The same wrong result need not be told twice.
        let wrong = observations[0].outcome == Outcome::Fault;
        let again = |seen: &Observation| wrong && seen.detector == IN_SIMULATOR;
        observations.extend(faults.into_iter().filter(|seen| !again(seen)));
        // Nothing is timed that is not right; and not while the simulator runs.
        let right = observations
            .iter()
            .all(|seen| seen.outcome != Outcome::Fault);
        observations.extend(counts);
        if right {
            waiting.goes_on("timing it beside the lesson's kernel");
            observations.extend(speed(run)?);
        }
    }
    let any = |outcome| observations.iter().any(|seen| seen.outcome == outcome);
    let verdict = match () {
        () if !ran => Verdict::NotRun,
        () if any(Outcome::Fault) => Verdict::NotYet,
        () if any(Outcome::NotRun) => Verdict::Unproven,
        () => Verdict::Solved,
    };
    let status = match verdict {
        Verdict::NotYet | Verdict::Unproven if device.status == 0 => {
            u8::from(verdict == Verdict::NotYet)
        }
        _ => device.status,
    };
    Ok(Checked {
        observations,
        verdict,
        status,
        message: device.message,
    })
}

struct OnDevice {
    seen: Observation,
    status: u8,
    message: String,
}

fn on_device(run: &Run) -> Result<OnDevice> {
    let mut command = command(run, Purpose::Results, run.timeout)?;
    if let Some(device) = run.device {
        command.args(["--device", device]);
    }
    let output = command.output()?;
    let mut seen = judge("result".into(), &output);
    let records = records(&output.stdout);
    let wrong = records.iter().find(|record| record.failed.is_some());
    match (seen.outcome, wrong) {
        (Outcome::Silent, _) => {
            let sizes = run.exercise.spec.sizes.iter();
            let sizes: Vec<String> = sizes.map(|size| named(run.exercise, *size)).collect();
            seen.says = format!("right at {}", sizes.join(", "));
            let launches = run.exercise.spec.launches().len();
            if launches > 1 {
                seen.says
                    .push_str(&format!(", each in {launches} variants"));
            }
        }
        (Outcome::Fault, Some(record)) => {
            let size = Shape {
                m: record.m,
                n: record.n,
                k: record.k,
            };
            seen = of_record(record);
            let size = named(run.exercise, size);
            seen.says = format!("at {size}{}: {}", record.says, seen.says);
        }
        _ => {}
    }
    // A kernel that wrote where it should not may bring the process down later on.
    let status = match (wrong, output.status.code()) {
        (Some(_), _) => 1,
        (None, Some(status)) => status as u8,
        (None, None) => 5,
    };
    Ok(OnDevice {
        seen,
        status,
        message: String::from_utf8_lossy(&output.stderr).trim().to_string(),
    })
}

/// A wrong result: what is wrong, what it looks like, an example.
pub fn of_record(record: &Record) -> Observation {
    let why = record.failed.as_deref().unwrap_or_default();
    let mut lines = why.lines().map(|line| line.trim().to_string());
    let says = lines.next().unwrap_or_default();
    // The advice for unknown symptoms is about a lesson's flags.
    let details = lines.filter(|line| !line.starts_with("looks like: nothing known"));
    Observation {
        detector: "result".into(),
        outcome: Outcome::Fault,
        says,
        details: details.take(2).collect(),
    }
}

/// A size, as the kernel is told it.
pub fn named(exercise: &Exercise, size: Shape) -> String {
    exercise.spec.problem.name(size)
}

/// What the exercise asks of the kernel's speed, if it asks anything.
fn speed(run: &Run) -> Result<Option<Observation>> {
    let Some(speed) = &run.exercise.spec.speed else {
        return Ok(None);
    };
    if !run.timing {
        return Ok(Some(not_judged("--no-timing")));
    }
    let mut command = command(run, Purpose::Speed, run.timeout)?;
    if let Some(device) = run.device {
        command.args(["--device", device]);
    }
    let output = command.output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let race = printed
        .lines()
        .find_map(|line| serde_json::from_str(line).ok());
    Ok(Some(match race {
        Some(race) => judge_speed(&race, speed),
        // It died or hung, which is told as for any run.
        None => judge("speed".into(), &output),
    }))
}

/// The course itself, as the process in which the file runs.
pub fn command(run: &Run, purpose: Purpose, timeout: u64) -> Result<Command> {
    let this = std::env::current_exe().context("cannot find this program's own path")?;
    let mut command = Command::new(this);
    let color = colored::control::SHOULD_COLORIZE.should_colorize();
    command
        .env(
            VARIABLE,
            format!("{} {}", run.exercise.id(), purpose.word()),
        )
        .args(["--json", "--only", &run.exercise.spec.kernel])
        .args(["--timeout", &timeout.to_string()])
        .args(["--color", if color { "always" } else { "never" }])
        .arg("--source")
        .arg(run.file)
        .stdin(Stdio::null());
    if purpose != Purpose::Speed {
        command.args(["--runs", "0"]);
    }
    Ok(command)
}

pub fn records(stdout: &[u8]) -> Vec<Record> {
    let text = String::from_utf8_lossy(stdout);
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
