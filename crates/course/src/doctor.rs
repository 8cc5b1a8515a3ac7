//! `course doctor`: what of this machine the course can use, what stands in its
//! way, and the command that mends it on this system.
//!
//! Whatever touches a driver runs in a child process (`child`): a driver that
//! crashes or hangs when it is asked is one of the findings.

mod child;
mod devices;
mod drivers;
mod finding;
mod tools;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::device::pocl::can_write;
use common::device::too_few_files;
use diagnostics::terminal::Out;
use serde_json::json;
use watchdog::Environment;

use finding::{Finding, Health, Topic};

/// The flags of `course doctor`.
#[derive(clap::Args)]
pub struct Options {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// What a child of this command is to find out
    #[arg(long, hide = true, num_args = 1..=2)]
    probe: Vec<String>,
}

/// The course cannot run, mostly for want of a device.
const CANNOT_RUN: u8 = 3;

/// Looks at everything, prints it, and tells whether the course can run: status 0,
/// or 3 where it cannot.
pub fn doctor(options: &Options) -> Result<ExitCode> {
    if !options.probe.is_empty() {
        child::answer(&options.probe)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut screen = Screen {
        json: options.json,
        topic: None,
        bad: 0,
        mend: None,
    };
    let mut environment = Environment::new();
    screen.show(tools::system())?;
    if let Some(cause) = too_few_files() {
        // Nothing else could be looked at.
        screen.show([Topic::System
            .bad("open files", cause.says)
            .mended_by(cause.mend)])?;
        screen.conclude(None)?;
        return Ok(ExitCode::from(CANNOT_RUN));
    }
    screen.show(drivers::environment())?;
    screen.show([drivers::loader()])?;
    screen.show(drivers::icd_files())?;
    if let Some((variable, value)) = watchdog::fallback_driver() {
        screen.show([drivers::fallback(variable, &value)])?;
        environment.push((variable, value.into()));
    }
    let usable = devices::examine(&environment, &mut |finding| screen.show([finding]))?;
    screen.show(tools::caches())?;
    screen.show(tools::optional())?;
    // A lesson writes there what it does.
    let usable = usable.filter(|_| can_write(&std::env::temp_dir()).is_ok());
    screen.conclude(usable.as_deref())?;
    Ok(match usable {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(CANNOT_RUN),
    })
}

/// Findings as they come, under the heading of their topic.
struct Screen {
    json: bool,
    topic: Option<Topic>,
    /// Findings that are bad.
    bad: usize,
    /// What mends the first of them.
    mend: Option<String>,
}

impl Screen {
    fn show(&mut self, findings: impl IntoIterator<Item = Finding>) -> Result<()> {
        for finding in findings {
            if finding.health == Health::Bad {
                self.bad += 1;
                self.mend = self.mend.take().or_else(|| finding.mend.clone());
            }
            if self.json {
                writeln!(Out, "{}", serde_json::to_string(&finding)?)?;
                continue;
            }
            let before = self.topic.replace(finding.topic);
            let (is_new, is_first) = (before != Some(finding.topic), before.is_none());
            if is_new && !is_first {
                writeln!(Out)?;
            }
            if is_new {
                writeln!(Out, "{}", finding.topic.heading().bold())?;
            }
            write!(Out, "{finding}")?;
        }
        Ok(())
    }

    /// The last line. `usable` is what `--device` takes, empty for the default.
    fn conclude(&self, usable: Option<&str>) -> Result<()> {
        if self.json {
            return Ok(writeln!(Out, "{}", json!({ "usable": usable.is_some() }))?);
        }
        let says = match usable {
            None => {
                let mend = self.mend.as_deref().unwrap_or("./setup");
                format!("The course cannot run yet. Next: {mend}").red()
            }
            Some("") if self.bad == 0 => {
                "The course can run here. Next: cargo run -p lesson05".green()
            }
            Some(device) => {
                let (how, flags) = match device {
                    "" => ("but not with all: see what is marked ✗.", String::new()),
                    _ => (
                        "though not on the device that it would choose.",
                        format!(" -- --device {device}"),
                    ),
                };
                let says = format!("The course can run here, {how}").yellow().bold();
                writeln!(Out, "\n{says}")?;
                let next = format!("Next: cargo run -p lesson05{flags}").yellow();
                return Ok(writeln!(Out, "{}", next.bold())?);
            }
        };
        Ok(writeln!(Out, "\n{}", says.bold())?)
    }
}
