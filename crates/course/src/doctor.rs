//! `course doctor`: what of this machine the course can use, what stands in its way, and the command
//! that mends it. Whatever touches a driver runs in a child process (`child`): a driver that crashes
//! or hangs when it is asked is one of the findings.

mod child;
mod devices;
mod drivers;
mod finding;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::command;
use diagnostics::terminal::Out;
use serde_json::json;

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

/// Looks at everything, prints it, and tells whether the course can run: status 0,
/// or 3 where it cannot.
pub fn doctor(options: &DoctorArgs) -> Result<ExitCode> {
    if !options.probe.is_empty() {
        child::answer(&options.probe)?;
        return Ok(ExitCode::SUCCESS);
    }
    let json = options.json;
    let mut screen = Screen { json, ..Screen::default() };
    screen.show(drivers::system())?;
    // Where the folder for temporary files cannot be written no lesson runs.
    let has_folder = screen.bad.is_empty();
    screen.show(drivers::variables())?;
    screen.show(drivers::icd_files())?;
    let fallback = watchdog::fallback_driver().into_iter();
    let environment = fallback.map(|(name, value)| (name, value.into())).collect();
    let listing = child::ask(&["devices"], &environment);
    let listing = listing.unwrap_or_else(|how: String| {
        let says = format!("a driver fails when it is asked for its devices: {how}");
        Listing { findings: vec![Topic::Devices.bad("devices", says)], ..Listing::default() }
    });
    screen.show(listing.findings)?;
    let mut usable = Vec::new();
    for device in &listing.devices {
        let finding = devices::tried(device, &environment);
        usable.extend((finding.verdict != Health::Bad).then_some(device.0));
        screen.show([finding])?;
    }
    screen.show(drivers::optional())?;
    let is_chosen = |device: &usize| Some(*device) == listing.chosen;
    let best = usable.into_iter().rev().max_by_key(is_chosen);
    let run = command::cargo_run("lesson05");
    screen.conclude(best.filter(|_| has_folder).map(|device| match is_chosen(&device) {
        true => run,
        false => format!("{run} -- --device {device}"),
    }))
}

/// Findings as they come, under the heading of their topic.
#[derive(Default)]
struct Screen {
    json: bool,
    topic: Option<Topic>,
    /// Of each finding that is bad what mends it.
    bad: Vec<Option<String>>,
}

impl Screen {
    fn show(&mut self, findings: impl IntoIterator<Item = Finding>) -> Result<()> {
        for finding in findings {
            if finding.verdict == Health::Bad {
                self.bad.push(finding.next.clone());
            }
            if self.json {
                writeln!(Out, "{}", serde_json::to_string(&finding)?)?;
                continue;
            }
            let before = self.topic.replace(finding.part);
            if before != Some(finding.part) {
                let gap = before.map_or("", |_| "\n");
                writeln!(Out, "{gap}{}", finding.part.heading().bold())?;
            }
            write!(Out, "{finding}")?;
        }
        Ok(())
    }

    /// The last line, and the status. `run` is the command that runs a lesson here, if one does.
    fn conclude(self, run: Option<String>) -> Result<ExitCode> {
        let can_run = run.is_some();
        let says = match run {
            None => {
                let mend = self.bad.into_iter().flatten().next();
                let mend = mend.unwrap_or_else(|| command::setup(""));
                format!("The course cannot run yet. Next: {mend}").red()
            }
            Some(run) if self.bad.is_empty() => {
                format!("The course can run here. Next: {run}").green()
            }
            Some(run) => {
                let but = "but not with all: see what is marked ✗";
                format!("The course can run here, {but}.\nNext: {run}").yellow()
            }
        };
        match self.json {
            true => writeln!(Out, "{}", json!({ "usable": can_run }))?,
            false => writeln!(Out, "\n{}", says.bold())?,
        }
        Ok(ExitCode::from(if can_run { 0 } else { 3 }))
    }
}
