//! Checking a learner's kernel: the right result on a device, no fault in the
//! simulator, and the counts that the exercise asks for.

use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Result, anyhow};
use common::source::Source;
use common::threads;
use language::tokens::Tokens;
use process::Finished;
use process::child_status;

use super::exercise::Exercise;
use super::process::{Purpose, command, process};
use super::simulated::{IN_SIMULATOR, first_wrong, simulate};
use super::speed::{judge as judge_speed, not_judged};
use crate::game::playable::{Attempt, Playable, Seen};
use crate::game::puzzle::Puzzle;
use crate::game::screen::WORDS;
use crate::judge::judge;
use crate::observation::{Detection, Observation};
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

    fn launch(&self) -> Result<(String, Command)> {
        let process = process(self, Purpose::Launch)?;
        Ok((self.spec.task.function.clone(), process))
    }

    fn check(&self, attempt: &Attempt) -> Result<Seen> {
        // Two processes, at the same time: a driver compiles while the simulator runs.
        let (seen, simulated) = thread::scope(|scope| {
            let simulate = || simulate(self, attempt);
            if !threads::are_given(1) {
                return (on_device(self, attempt), Ok(simulate()));
            }
            let simulated = scope.spawn(simulate);
            (on_device(self, attempt), simulated.join())
        });
        let mut seen = seen?;
        let outcome = seen.observations[0].outcome;
        if outcome == Detection::NotRun || seen.status == 4 {
            return Ok(seen);
        }
        let (mut faults, counts) =
            simulated.map_err(|_| anyhow!("the simulator's thread panicked"))??;
        if outcome == Detection::Fault {
            // The same wrong result need not be told twice.
            faults.retain(|seen| seen.detector != IN_SIMULATOR);
        }
        seen.observations.extend(faults);
        let without = &self.spec.without;
        let source = Source::read(attempt.file)?;
        seen.observations.extend(called(without, &source));
        // Nothing is timed that is not right; and not while the simulator runs.
        let mut all = seen.observations.iter();
        let right = all.all(|seen| seen.outcome != Detection::Fault);
        seen.observations.extend(counts);
        if right {
            seen.observations.extend(speed(self, attempt)?);
        }
        Ok(seen)
    }
}

fn on_device(exercise: &Exercise, attempt: &Attempt) -> Result<Seen> {
    let spec = &exercise.spec;
    let child = Finished::of(&mut device_command(exercise, attempt, Purpose::Results)?)?;
    let mut seen = judge("result", &child);
    let mut status = child_status(child.status);
    if seen.outcome == Detection::Silent {
        let sizes: Vec<String> = spec.sizes.iter().map(|size| spec.name(*size)).collect();
        let seed = attempt.how.seed;
        let drawn = spec.name(spec.drawn(seed));
        seen.says = format!("right at {}, and {drawn} of seed {seed}", sizes.join(", "));
        let launches = spec.launches().len();
        if launches > 1 {
            seen.says += &format!(", each in {launches} variants");
        }
    } else if let Some((record, wrong)) = first_wrong("result", &child) {
        // A kernel that wrote where it should not may bring the process down later on.
        status = 1;
        seen = wrong;
        let size = spec.name(record.shape());
        seen.says = format!("at {size}{}: {}", record.says, seen.says);
        let (drawn, seed) = (spec.drawn(attempt.how.seed), attempt.how.seed);
        if record.shape() == drawn && !spec.sizes.contains(&drawn) {
            let id = &exercise.puzzle.id;
            let next = format!("the same numbers again: cargo course exercise {id} --seed {seed}");
            seen.details.push(next);
        }
    }
    Ok(Seen {
        observations: vec![seen],
        status,
        message: child.stderr.trim().into(),
    })
}

/// A function that the task does without, in the first line that calls it.
fn called(without: &[String], source: &Source) -> Option<Observation> {
    let tokens = Tokens::of(&source.text);
    let is_meant = |i: &usize| without.iter().any(|name| name == tokens.text(*i));
    let at = tokens.all().find(is_meant)?;
    let number = source.text[..tokens.byte(at)].matches('\n').count();
    let line = source.text.lines().nth(number).unwrap_or_default().trim();
    let says = format!("it calls {}, which the task does without", tokens.text(at));
    Some(Observation {
        details: vec![format!("line {}: {line}", number + 1)],
        ..Observation::new("task", Detection::Fault, says)
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
    let child = Finished::of(&mut device_command(exercise, attempt, Purpose::Speed)?)?;
    let mut lines = child.stdout.lines();
    let race = lines.find_map(|line| serde_json::from_str(line).ok());
    Ok(Some(match race {
        Some(race) => judge_speed(&race, speed),
        // It died or hung, which is told as for any run.
        None => judge("speed", &child),
    }))
}

fn device_command(exercise: &Exercise, attempt: &Attempt, purpose: Purpose) -> Result<Command> {
    let mut command = command(exercise, attempt, purpose)?;
    let device = attempt.how.device.iter();
    command.args(device.flat_map(|device| ["--device", device]));
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_the_task_does_without_is_seen_where_it_is_called() {
        let called = |text: &str| {
            let (path, text) = ("a.cl".into(), text.into());
            called(&["get_global_id".into()], &Source { path, text })
        };
        assert!(called("// without get_global_id\nint i = get_local_id(0);\n").is_none());
        let seen = called("// one\n\n    int i = get_global_id(0);\n").unwrap();
        assert_eq!(seen.details, ["line 3: int i = get_global_id(0);"]);
    }
}
