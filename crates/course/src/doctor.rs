//! `course doctor`: what of this machine the course can use, what stands in its way, and the command
//! that mends it. Whatever touches a driver runs in a child process: a driver that crashes or hangs
//! when it is asked is one of the findings.

mod drivers;

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use colored::Colorize;
use common::command;
use diagnostics::terminal::{Out, plain, wrap::beside};
use serde::{Deserialize, Serialize};

use Health::{Bad, Good, Note};
use drivers::Listing;

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
        drivers::answer(&options.probe)?;
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
    let listing = drivers::ask(&["devices"], &environment);
    let listing = listing.unwrap_or_else(|how: String| {
        let says = format!("a driver fails when it is asked for its devices: {how}");
        Listing { findings: vec![Bad.of(Topic::Devices, "devices", says)], ..Listing::default() }
    });
    screen.show(listing.findings)?;
    let mut usable = Vec::new();
    for device in &listing.devices {
        let finding = drivers::tried(device, &environment);
        usable.extend((finding.verdict != Bad).then_some(device.0));
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
            if finding.verdict == Bad {
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
            let mark = match finding.verdict {
                Good => "✓ good".green(),
                Note => "! note".yellow(),
                Bad => "✗ bad ".red().bold(),
            };
            let says = format!("{}: {}", finding.what, finding.says);
            writeln!(Out, "  {mark}  {}", beside(&says, 10))?;
            if let Some(next) = &finding.next {
                writeln!(Out, "{:10}{} {}", "", "next:".dimmed(), next.cyan())?;
            }
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
            true => writeln!(Out, "{}", serde_json::json!({ "usable": can_run }))?,
            false => writeln!(Out, "\n{}", says.bold())?,
        }
        Ok(ExitCode::from(if can_run { 0 } else { 3 }))
    }
}

/// What a finding is about: a heading on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    System,
    Environment,
    Drivers,
    Devices,
    Tools,
}

impl Topic {
    /// Above the findings.
    pub fn heading(self) -> &'static str {
        match self {
            Topic::System => "This system",
            Topic::Environment => "Environment variables that change what is found",
            Topic::Drivers => "Drivers: ICD files, and what each brings",
            Topic::Devices => "Devices: on each a kernel was built, run and checked",
            Topic::Tools => "Tools that the lessons can do without",
        }
    }
}

/// How it is; with a note the course runs, with something less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Good,
    Note,
    Bad,
}

impl Health {
    /// A finding that is so.
    pub fn of(self, part: Topic, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        let [what, says] = [plain(what.as_ref()), plain(says.as_ref())];
        Finding { part, what, verdict: self, says, next: None }
    }
}

/// One thing that was looked at, as `--json` tells it, too.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Finding {
    pub part: Topic,
    pub what: String,
    pub verdict: Health,
    /// The same in a sentence.
    pub says: String,
    /// The command that mends it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Finding {
    /// The same with the command that mends it, where there is one.
    pub fn next(self, command: impl Into<Option<String>>) -> Finding {
        let next = command.into().map(|command| plain(&command));
        Finding { next, ..self }
    }
}
