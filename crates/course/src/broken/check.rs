//! Every detector on the learner's copy, run as the kernel's lesson runs it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use common::device::{DEVICE_VARIABLE, variable};
use process::implementations;

use super::Broken;
use crate::game::playable::{Attempt, Playable, Seen};
use crate::game::puzzle::Puzzle;
use crate::observation::Observation;
use crate::trial::{OTHER_SIZES, SIMULATED, Trial};

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

    fn launch(&self) -> Result<(String, Command)> {
        let mut names = self.flags.iter().skip_while(|flag| *flag != "--only");
        let kernel = names.nth(1).context("a broken kernel is named")?;
        Ok((kernel.clone(), self.puzzle.lesson.command()?))
    }

    fn check(&self, attempt: &Attempt) -> Result<Seen> {
        let sizes = std::iter::once(self.size()).chain(OTHER_SIZES);
        let trial = Trial {
            command: &|size| self.lesson(attempt, size),
            device: device(attempt)?,
            sizes: sizes.map(String::from).collect(),
            simulated: SIMULATED.into(),
        };
        trial.run()
    }
}

impl Broken {
    /// The lesson's program, checking the copy once at a size.
    fn lesson(&self, attempt: &Attempt, size: &str) -> Result<Command> {
        let timeout = attempt.how.timeout.to_string();
        let flags = [("--size", size), ("--timeout", &timeout), ("--runs", "0")];
        let mut command = self.puzzle.lesson.command()?;
        command
            .args(self.flags_with(&flags))
            .args(["--json", "--source"])
            .arg(attempt.file)
            .stdin(Stdio::null());
        Ok(command)
    }
}

/// The device for the results: unless the learner chose one, PoCL, of which the headers
/// say what is seen. None leaves the choice to the lesson.
fn device(attempt: &Attempt) -> Result<Option<String>> {
    let chosen = attempt.how.device.clone();
    if chosen.is_some() || variable(DEVICE_VARIABLE).is_some() {
        return Ok(chosen);
    }
    let pocl = implementations::find("PoCL")?;
    Ok(pocl.and_then(|pocl| pocl.selector))
}
