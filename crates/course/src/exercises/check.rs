//! Checking a learner's kernel: the right result on a device, no fault in the
//! simulator, and the counts that the exercise asks for.

use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Result, anyhow};
use common::shape::Shape;

use super::exercise::Exercise;
use super::process::{Purpose, command};
use super::simulated::{IN_SIMULATOR, Simulated, simulate, wrong_result};
use super::speed::{judge as judge_speed, not_judged};
use crate::game::playable::{Attempt, Playable, Seen};
use crate::game::puzzle::Puzzle;
use crate::game::screen::WORDS;
use crate::judge::judge;
use crate::observation::{Observation, Outcome};
use crate::prose::beside;

impl Playable for Exercise {
    fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    fn asks(&self, _file: &Path, edited: bool) -> (&'static str, String) {
        let asks = if edited {
            "stands at the top of the file".into()
        } else {
            beside(&self.asks, WORDS)
        };
        ("Task", asks)
    }

    fn needs_simulator(&self) -> bool {
        true
    }

    fn check(&self, attempt: &Attempt) -> Result<Seen> {
        // Two processes, at the same time: a driver compiles while the simulator runs.
        let (seen, simulated) = thread::scope(|scope| {
            let simulated = scope.spawn(|| simulate(self, attempt));
            (on_device(self, attempt), simulated.join())
        });
        let mut seen = seen?;
        let outcome = seen.observations[0].outcome;
        if outcome == Outcome::NotRun || seen.status == 4 {
            return Ok(seen);
        }
        let Simulated { faults, counts } =
            simulated.map_err(|_| anyhow!("the simulator's thread panicked"))??;
        // The same wrong result need not be told twice.
        let wrong = outcome == Outcome::Fault;
        let again = |seen: &Observation| wrong && seen.detector == IN_SIMULATOR;
        seen.observations
            .extend(faults.into_iter().filter(|seen| !again(seen)));
        // Nothing is timed that is not right; and not while the simulator runs.
        let mut all = seen.observations.iter();
        let right = all.all(|seen| seen.outcome != Outcome::Fault);
        seen.observations.extend(counts);
        if right {
            seen.observations.extend(speed(self, attempt)?);
        }
        Ok(seen)
    }
}

fn on_device(exercise: &Exercise, attempt: &Attempt) -> Result<Seen> {
    let spec = &exercise.spec;
    let output = device_command(exercise, attempt, Purpose::Results)?.output()?;
    let mut seen = judge("result".into(), &output);
    let wrong = wrong_result(&output);
    match (seen.outcome, &wrong) {
        (Outcome::Silent, _) => {
            let sizes: Vec<String> = spec.sizes.iter().map(|size| spec.name(*size)).collect();
            seen.says = format!("right at {}", sizes.join(", "));
            let launches = spec.launches().len();
            if launches > 1 {
                seen.says
                    .push_str(&format!(", each in {launches} variants"));
            }
        }
        (Outcome::Fault, Some((record, wrong))) => {
            let size = Shape {
                m: record.m,
                n: record.n,
                k: record.k,
            };
            seen = wrong.clone();
            let size = spec.name(size);
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
    Ok(Seen {
        observations: vec![seen],
        status,
        message: String::from_utf8_lossy(&output.stderr).trim().to_string(),
    })
}

/// What the exercise asks of the kernel's speed, if it asks anything.
fn speed(exercise: &Exercise, attempt: &Attempt) -> Result<Option<Observation>> {
    let Some(speed) = &exercise.spec.speed else {
        return Ok(None);
    };
    if attempt.how.no_timing {
        return Ok(Some(not_judged("--no-timing")));
    }
    attempt
        .waiting
        .set_message("timing it beside the lesson's kernel");
    let output = device_command(exercise, attempt, Purpose::Speed)?.output()?;
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

fn device_command(exercise: &Exercise, attempt: &Attempt, purpose: Purpose) -> Result<Command> {
    let mut command = command(exercise, attempt, purpose)?;
    if let Some(device) = &attempt.how.device {
        command.args(["--device", device]);
    }
    Ok(command)
}
