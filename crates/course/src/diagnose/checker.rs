//! The lesson's own checker on the learner's copy: is the result right? The lesson
//! runs as a child process, so that a crash or a hang is one more answer.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use toolbox::lessons::{LESSONS, Lesson};

use super::broken::Broken;
use crate::judge::judge;
use crate::observation::Observation;

/// What all detectors run.
pub struct Run<'a> {
    /// The kernel as the course has it.
    pub broken: &'a Broken,
    /// The learner's copy of it.
    pub copy: &'a Path,
    /// The device for the checker; none leaves the choice to the lesson.
    pub device: Option<String>,
    /// Seconds that a launch may take.
    pub timeout: u64,
}

impl Run<'_> {
    /// The lesson's program, checking the copy once at a size.
    pub fn command(&self, size: &str, timeout: u64) -> Result<Command> {
        let is_ours = |lesson: &&Lesson| lesson.number == self.broken.lesson;
        let lesson = LESSONS.iter().find(is_ours).unwrap_or(&LESSONS[0]);
        let timeout = timeout.to_string();
        let flags = [("--size", size), ("--timeout", &timeout), ("--runs", "0")];
        let mut command = Command::new(lesson.binary()?);
        command
            .args(self.broken.flags_with(&flags))
            .args(["--json", "--source"])
            .arg(self.copy)
            .stdin(Stdio::null());
        Ok(command)
    }
}

/// Checks the copy's result at a size, on the device.
pub fn check(run: &Run, size: &str) -> Result<Observation> {
    let mut command = run.command(size, run.timeout)?;
    if let Some(device) = &run.device {
        command.args(["--device", device]);
    }
    Ok(judge(format!("result, {size}"), &command.output()?))
}
