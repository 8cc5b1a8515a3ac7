//! Every detector on the learner's copy: the lesson's own check at several sizes, and the
//! simulator. The lesson runs as a child process, so that a crash or a hang is one more
//! answer.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use supervise::LIBRARY_VARIABLE;
use toolbox::child::Finished;
use toolbox::implementations::{self, oclgrind};
use toolbox::lessons::LESSONS;

use super::Broken;
use crate::game::playable::{Attempt, Playable, Seen};
use crate::game::puzzle::Puzzle;
use crate::judge::judge;
use crate::observation::{Detection, Observation};
use crate::simulator;

/// Besides the header's size: a long sum, which kernels take in pieces, and a size
/// that divides by nothing.
const OTHER_SIZES: [&str; 2] = ["5x6x1030", "65x63x17"];

/// For the simulator, which is slow: partial groups and tiles in every dimension,
/// several groups in two. K is below N, so that rows of the wrong width overlap.
const SIMULATED: &str = "17x35x19";

impl Playable for Broken {
    fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    fn asks(&self, file: &Path, _edited: bool) -> (&'static str, String) {
        ("Run it", self.command(file))
    }

    fn needs_simulator(&self) -> bool {
        !self.is_seen_by("checker")
    }

    // The copy as it came is known to be wrong.
    fn remark(&self, seen: &Observation) -> &'static str {
        if self.is_seen_by(seen.kind()) {
            ", although it sees this fault at other sizes"
        } else {
            ": this detector misses this fault"
        }
    }

    fn check(&self, attempt: &Attempt) -> Result<Seen> {
        let mut all = Seen {
            observations: Vec::new(),
            status: 0,
            message: String::new(),
        };
        let device = device(attempt)?;
        for size in std::iter::once(self.size()).chain(OTHER_SIZES) {
            let mut command = self.lesson(attempt, size)?;
            command.args(device.iter().flat_map(|device| ["--device", device]));
            let child = Finished::of(&mut command)?;
            let seen = judge(&format!("result, {size}"), &child);
            // A process that was ended from outside tells as little as a device that failed.
            let status = child.status.code().map_or(5, |status| status as u8);
            all.status = all.status.max(status);
            // What does not build, or cannot start, does not at other sizes either.
            let hopeless = seen.outcome == Detection::NotRun || status == 4;
            let hung = seen.says.starts_with("no end after");
            all.observations.push(seen);
            if hopeless {
                all.message = child.stderr.trim().into();
                return Ok(all);
            }
            if hung {
                break;
            }
        }
        all.observations.extend(self.simulate(attempt)?);
        Ok(all)
    }
}

impl Broken {
    /// The lesson's program, checking the copy once at a size.
    fn lesson(&self, attempt: &Attempt, size: &str) -> Result<Command> {
        let mut lessons = LESSONS.iter();
        let lesson = lessons.find(|lesson| lesson.number == self.puzzle.lesson);
        let lesson = lesson.context("a broken kernel is of a lesson")?;
        let timeout = attempt.how.timeout.to_string();
        let flags = [("--size", size), ("--timeout", &timeout), ("--runs", "0")];
        let mut command = lesson.command()?;
        command
            .args(self.flags_with(&flags))
            .args(["--json", "--source"])
            .arg(attempt.file)
            .stdin(Stdio::null());
        Ok(command)
    }

    /// The copy in the simulator: one answer for the result, one for each kind of fault.
    fn simulate(&self, attempt: &Attempt) -> Result<Vec<Observation>> {
        let Some(library) = oclgrind() else {
            return Ok(vec![simulator::missing()]);
        };
        let mut command = self.lesson(attempt, SIMULATED)?;
        command
            .args(["--device", "oclgrind"])
            .env(LIBRARY_VARIABLE, library);
        let simulation = simulator::run(command)?;
        let mut seen = vec![judge(
            "Oclgrind: result",
            &Finished::from(&simulation.output),
        )];
        seen.extend(simulator::sort(&simulation.log));
        Ok(seen)
    }
}

/// The device for the results: unless the learner chose one, PoCL, of which the headers
/// say what is seen. None leaves the choice to the lesson.
fn device(attempt: &Attempt) -> Result<Option<String>> {
    let chosen = attempt.how.device.clone();
    if chosen.is_some() || common::device::variable().is_some() {
        return Ok(chosen);
    }
    let pocl = implementations::find("PoCL")?;
    Ok(pocl.and_then(|pocl| pocl.selector))
}
