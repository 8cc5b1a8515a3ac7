//! Checking a learner's kernel: the right result on a device, no fault in the
//! simulator, and the counts that the exercise asks for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow};
use common::matrix::Shape;
use common::report::Record;
use common::source::Source;
use common::supervise::LIBRARY_VARIABLE;

use super::counts::{Count, counts};
use super::exercise::Exercise;
use super::runner::{Purpose, VARIABLE};
use super::sectors::sectors;
use super::speed::{judge as judge_speed, not_judged};
use crate::implementations::oclgrind;
use crate::judge::judge;
use crate::observation::{Observation, Outcome};
use crate::simulator::{self, Simulation};

/// The simulator's own result.
const IN_SIMULATOR: &str = "result, simulated";

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
fn of_record(record: &Record) -> Observation {
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
fn named(exercise: &Exercise, size: Shape) -> String {
    exercise.spec.problem.name(size)
}

/// What the simulator saw: what is wrong, and what was counted.
struct Simulated {
    faults: Vec<Observation>,
    counts: Vec<Observation>,
}

/// What the simulator has to say: faults, then counts. Nothing against a kernel is
/// said in four lines; what it cannot look for, in one.
fn simulate(run: &Run) -> Result<Simulated> {
    let found = |faults| Simulated {
        faults,
        counts: Vec::new(),
    };
    let Some(library) = oclgrind() else {
        return Ok(found(vec![simulator::missing()]));
    };
    let text = Source::read(run.file)?.text;
    let in_simulator = |purpose| -> Result<Command> {
        let mut command = command(run, purpose, run.timeout)?;
        command
            .args(["--device", "oclgrind"])
            .env(LIBRARY_VARIABLE, &library)
            .env("OCLGRIND_INST_COUNTS", "1")
            // A race is one also where both items write the same value.
            .env("OCLGRIND_UNIFORM_WRITES", "1");
        Ok(command)
    };
    let Simulation { output, log } = simulator::run(in_simulator(Purpose::Faults)?)?;
    let mut runs = judge(IN_SIMULATOR.into(), &output);
    let mut seen = faults(&log, &text);
    if let Some(wrong) = records(&output.stdout)
        .iter()
        .find(|one| one.failed.is_some())
    {
        runs = of_record(wrong);
        runs.detector = IN_SIMULATOR.into();
    }
    if runs.outcome != Outcome::Silent {
        seen.retain(|one| one.outcome == Outcome::Fault);
        seen.insert(0, runs);
    }
    let mut launches = run.exercise.spec.launches();
    let spec = launches.pop().context("an exercise has a launch")?;
    let targets = spec.targets()?;
    if targets.is_empty() || seen.iter().any(|one| one.outcome != Outcome::Silent) {
        return Ok(found(seen));
    }
    let range = spec.range(spec.counted)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut counted = counts(&printed, range.global.iter().product());
    if targets.iter().any(|(count, _)| *count == Count::Sectors) {
        let mut command = in_simulator(Purpose::Accesses)?;
        command.env("OCLGRIND_MAX_ERRORS", "1000000");
        let Simulation { log, .. } = simulator::trace(command)?;
        counted.insert(Count::Sectors, sectors(&log, &range.local) as f64);
    }
    let size = named(run.exercise, spec.padded(spec.counted)?);
    let targets = targets.into_iter().map(|(count, most)| {
        let amount = counted.get(&count).copied().unwrap_or(0.0);
        compare(count, amount, most, &size)
    });
    Ok(Simulated {
        faults: seen,
        counts: targets.collect(),
    })
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

/// The faults in a log, each with the lines that take part; one line if there are none.
fn faults(log: &str, text: &str) -> Vec<Observation> {
    let mut seen = simulator::sort(log, text);
    seen.retain(|one| one.outcome == Outcome::Fault);
    for fault in &mut seen {
        fault.detector = fault.detector.replace("Oclgrind: ", "");
        // How often it happened says little; the places say what to look at.
        fault.details.retain(|detail| detail.starts_with("line "));
        fault.details.sort();
        fault.details.dedup();
        fault.details.truncate(2);
    }
    if seen.is_empty() {
        let says = "no race, no access out of bounds, nothing read that was never written";
        seen.push(Observation::new("simulator", Outcome::Silent, says));
    }
    seen
}

fn compare(count: Count, found: f64, most: f64, size: &str) -> Observation {
    let unit = count.unit();
    let (outcome, comment) = match found <= most {
        true => (Outcome::Silent, "at most"),
        false => (Outcome::Fault, "too many, at most"),
    };
    let says = format!("{found}{unit} at {size}; {comment} {most}");
    Observation::new(count.words(), outcome, says)
}

/// The course itself, as the process in which the file runs.
fn command(run: &Run, purpose: Purpose, timeout: u64) -> Result<Command> {
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

fn records(stdout: &[u8]) -> Vec<Record> {
    let text = String::from_utf8_lossy(stdout);
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
