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
mod trial;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::command;
use common::device::too_few_files;
use diagnostics::terminal::Out;
use serde_json::json;
use watchdog::Environment;

use devices::Listing;
use finding::{Finding, Health, Topic};

/// The flags of `course doctor`.
#[derive(clap::Args)]
pub struct DoctorArgs {
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
pub fn doctor(options: &DoctorArgs) -> Result<ExitCode> {
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
    screen.show(tools::system())?;
    if let Some(cause) = too_few_files() {
        // Nothing else could be looked at.
        let finding = Topic::System.bad("open files", cause.says);
        screen.show([finding.next(cause.mend)])?;
        return screen.conclude(None);
    }
    screen.show(drivers::environment())?;
    let mut environment = Environment::new();
    environment.extend(watchdog::fallback_driver().map(|(name, value)| (name, value.into())));
    let answer: Result<Listing, String> = child::ask(&["devices"], &environment);
    screen.show([match &answer {
        Ok(listing) => listing.loader.clone(),
        // Where it is asked alone it comes to light which one.
        Err(how) => {
            let says = format!("a driver fails when it is asked for its devices: {how}");
            Topic::Loader.bad("loader", says)
        }
    }])?;
    screen.show(drivers::icd_files())?;
    for (name, value) in &environment {
        let says = format!(
            "the system has no device, so lessons take the one in the course's folder, as if \
             {name}={} were set",
            value.display()
        );
        screen.show([Topic::Drivers.good("driver of ./setup", says)])?;
    }
    let usable = match &answer {
        Ok(listing) => listing.examine(&environment, &mut |one| screen.show([one]))?,
        Err(_) => None,
    };
    let folder = tools::temporary_folder();
    // A lesson writes there what it does.
    let usable = usable.filter(|_| folder.health != Health::Bad);
    screen.show([folder])?;
    screen.show(tools::optional())?;
    screen.conclude(usable.as_deref())
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

    /// The last line, and the status. `usable` is what `--device` takes, empty for the default.
    fn conclude(&self, usable: Option<&str>) -> Result<ExitCode> {
        let run = command::cargo_run("lesson05");
        let says = match usable {
            None => {
                let mend = self.mend.clone().unwrap_or_else(|| command::setup(""));
                format!("The course cannot run yet. Next: {mend}").red()
            }
            Some("") if self.bad == 0 => format!("The course can run here. Next: {run}").green(),
            Some("") => {
                let but = "but not with all: see what is marked ✗";
                format!("The course can run here, {but}.\nNext: {run}").yellow()
            }
            Some(device) => {
                let but = "though not on the device that it would choose";
                format!("The course can run here, {but}.\nNext: {run} -- --device {device}")
                    .yellow()
            }
        };
        match self.json {
            true => writeln!(Out, "{}", json!({ "usable": usable.is_some() }))?,
            false => writeln!(Out, "\n{}", says.bold())?,
        }
        Ok(match usable {
            Some(_) => ExitCode::SUCCESS,
            None => ExitCode::from(CANNOT_RUN),
        })
    }
}
