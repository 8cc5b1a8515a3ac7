//! What a detector saw of a kernel, and what is said of one, as all tools have it.

use std::fmt::{self, Display, Formatter};
use std::{io::Write, path::Path};

use anyhow::Result;
use colored::{ColoredString, Colorize};
use common::{outcome::Outcome, source::Line};
use diagnostics::log::{Log, Place};
use diagnostics::terminal::wrap::{WIDTH, beside, cut};
use diagnostics::terminal::{Out, plain, plain_name, show_error};
use serde::{Serialize, Serializer};
use task::form::Count;

/// Where the words beside a detector's name begin.
const WORDS: usize = 28;

/// One detector's answer.
#[derive(Clone, Debug, Serialize)]
pub struct Observation {
    /// Whose.
    pub detector: Detector,
    /// In a word.
    pub outcome: Detection,
    /// In a sentence.
    pub says: String,
    /// Evidence, a line each.
    pub details: Vec<Evidence>,
    /// Where a compiler sees errors.
    #[serde(skip)]
    pub places: Vec<Place>,
    /// Whether it came to no end.
    #[serde(skip)]
    pub hung: bool,
}

/// Who looks at a kernel, or at a program of the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detector {
    /// Whoever compares results: those of a device, in this case.
    Result(String),
    /// The simulator.
    Oclgrind,
    /// Whoever compares its results.
    Simulated,
    /// The simulator, which looks for faults of a kind.
    Faults(watchdog::simulator::FaultKind),
    /// Who counts something.
    Count(Count),
    /// The same, of all counts.
    Counts,
    /// The clock.
    Speed,
    /// Whoever looks for what the task does without.
    Task,
    /// Whoever looks at the calls of a host's program.
    Calls,
    /// The same, where it is asked for a device.
    AskedForADevice,
}

impl Display for Detector {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        use Detector::*;
        f.pad(&match self {
            Result(case) if case.is_empty() => "result".to_string(),
            Result(case) => format!("result, {case}"),
            Oclgrind => "Oclgrind".into(),
            Simulated => "Oclgrind: result".into(),
            Faults(kind) => format!("Oclgrind: {}", format!("{kind:?}").to_lowercase()),
            Count(count) => count.words().0.into(),
            AskedForADevice => "asked for a device".into(),
            Counts | Speed | Task | Calls => format!("{self:?}").to_lowercase(),
        })
    }
}

impl Serialize for Detector {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// A line of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// In words.
    Words(String),
    /// A line of the kernel file.
    Line(Line),
    /// Of a compiler's errors, as they are laid out.
    LaidOut(String),
}

impl<Words: Into<String>> From<Words> for Evidence {
    fn from(words: Words) -> Evidence {
        Evidence::Words(words.into())
    }
}

impl Display for Evidence {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Evidence::Words(words) | Evidence::LaidOut(words) => f.write_str(words),
            Evidence::Line(line) => line.fmt(f),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Detection {
    /// It ran and has nothing to say against the kernel.
    Silent,
    /// It found something.
    Fault,
    /// It found something that it is known to find in right kernels, too.
    Doubtful,
    /// It could not look.
    #[serde(rename = "not run")]
    NotRun,
    /// It looked, and cannot tell on this device; nothing follows.
    #[serde(rename = "not judged")]
    NotJudged,
}

impl Detection {
    /// In front of a detector's line.
    pub fn mark(self) -> ColoredString {
        match self {
            Detection::Silent => "✓".green(),
            Detection::Fault => "✗".red().bold(),
            Detection::NotRun | Detection::Doubtful => "?".yellow(),
            Detection::NotJudged => "-".dimmed(),
        }
    }
}

impl Observation {
    /// An answer without evidence.
    pub fn new(detector: Detector, outcome: Detection, says: impl Into<String>) -> Self {
        Observation {
            detector,
            outcome,
            says: says.into(),
            details: Vec::new(),
            places: Vec::new(),
            hung: false,
        }
    }

    /// A fault of these, the first of which says what it is; without any it saw nothing, in words.
    pub fn of_all(detector: Detector, nothing: &str, mut all: Vec<Evidence>) -> Self {
        if all.is_empty() {
            return Observation::new(detector, Detection::Silent, nothing);
        }
        let says = all.remove(0).to_string();
        Observation::new(detector, Detection::Fault, says).with(all)
    }

    /// The same with this evidence.
    pub fn with(self, details: impl IntoIterator<Item = impl Into<Evidence>>) -> Self {
        let details = details.into_iter().map(Into::into).collect();
        Observation { details, ..self }
    }

    /// A fault with a compiler's errors.
    pub fn of_build(detector: Detector, says: &str, log: Log) -> Self {
        let lines = log.shown.lines().map(|line| line.trim_end().into());
        Observation {
            places: log.places,
            ..Observation::new(detector, Detection::Fault, says).with(lines.map(Evidence::LaidOut))
        }
    }

    /// Whether it found something for certain.
    pub fn is_fault(&self) -> bool {
        self.outcome == Detection::Fault
    }

    /// Whether it ran and found nothing.
    pub fn is_silent(&self) -> bool {
        self.outcome == Detection::Silent
    }

    /// Prints it: a mark, the detector, what it says, and the evidence below.
    pub fn print(&self, mark: &ColoredString) -> Result<()> {
        let mut out = Out;
        let says = beside(&plain(&self.says), WORDS);
        let detector = plain_name(&self.detector.to_string());
        if detector.chars().count() < WORDS - 4 {
            writeln!(out, "  {mark} {detector:<24}{says}")?;
        } else {
            writeln!(out, "  {mark} {detector}\n{:WORDS$}{says}", "")?;
        }
        for detail in &self.details {
            match detail {
                Evidence::LaidOut(line) => writeln!(out, "  {line}")?,
                Evidence::Line(line) => {
                    let line = cut(&line.to_string(), WIDTH - 8);
                    writeln!(out, "        {}", line.cyan())?;
                }
                Evidence::Words(words) => {
                    for line in plain(words).lines() {
                        writeln!(out, "{:WORDS$}{}", "", beside(line, WORDS))?;
                    }
                }
            }
        }
        Ok(out.flush()?)
    }

    /// Where it sees a fault of this file, as editors read it: FILE:LINE:COLUMN: error: words.
    pub fn places(&self, file: &Path) -> Vec<String> {
        if !self.is_fault() {
            return Vec::new();
        }
        let words = |file: &Path, line, column, says: &str| {
            format!("{}:{line}:{column}: error: {says}", file.display())
        };
        let own = |line| words(file, line, 1, &self.says);
        let of_build = self.places.iter();
        let of_build = of_build.map(|one| words(&one.file, one.line, one.column, &one.says));
        let lines = self.details.iter().filter_map(|detail| match detail {
            Evidence::Line(line) if line.included.is_none() => Some(own(line.number)),
            _ => None,
        });
        let all: Vec<String> = of_build.chain(lines).collect();
        if all.is_empty() { vec![own(1)] } else { all }
    }

    /// True for the checker on a device, or in the simulator.
    pub fn is_of_results(&self) -> bool {
        matches!(self.detector, Detector::Result(_) | Detector::Simulated)
    }
}

/// What all checks together saw.
pub struct Seen {
    /// In the order in which they are to be read; the first is the device's result.
    pub observations: Vec<Observation>,
    /// As the process on the device ended: 0 right, 1 wrong, 3 no device, 4 no build, 5
    /// device failed.
    pub status: u8,
    /// That process's own message.
    pub message: String,
}

impl Seen {
    /// Tells why nothing ran on the device, where that is so.
    pub fn tell_why_not(&self) {
        let first = self.observations.first();
        let has_run = first.is_some_and(|first| first.outcome != Detection::NotRun);
        if !has_run && !self.message.is_empty() {
            show_error("", &self.message);
        }
    }
}

/// Of a kernel that is not wrong by its file.
pub const LIMITED: &str = "right as the file says, wrong where more was tried";

/// What is said of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It computes what it must.
    Right,
    /// Nobody says what it must compute.
    Unchecked,
    /// It could not be launched.
    Unlaunchable,
    /// Its driver died, where a simulator sees no fault.
    Undecided,
    /// It is right at all sizes that its file names, and wrong at one that was drawn.
    Limited,
    /// It does not compute what it must, or it died.
    Wrong,
}

impl Verdict {
    /// What a record says.
    pub fn of(record: &common::record::Record) -> Verdict {
        match record.outcome {
            Outcome::Skipped(_) => Verdict::Unlaunchable,
            Outcome::Right { compared: Some(0), .. } => Verdict::Unchecked,
            Outcome::Right { .. } => Verdict::Right,
            Outcome::Begun | Outcome::Wrong(_) | Outcome::Died(_) => Verdict::Wrong,
        }
    }

    /// In front of a line.
    pub fn mark(self) -> ColoredString {
        match self {
            Verdict::Right => "✓".green(),
            Verdict::Unchecked => "-".dimmed(),
            Verdict::Unlaunchable | Verdict::Undecided => "?".yellow(),
            Verdict::Limited | Verdict::Wrong => "✗".red().bold(),
        }
    }

    /// In words.
    pub fn words(self) -> ColoredString {
        match self {
            Verdict::Right => "right".green().bold(),
            Verdict::Unchecked => "not checked: nothing tells whether it is right".dimmed(),
            Verdict::Unlaunchable => "cannot be launched".yellow().bold(),
            Verdict::Undecided => "not decided: the driver died, or came to no end".yellow().bold(),
            Verdict::Limited => LIMITED.red().bold(),
            Verdict::Wrong => "wrong".red().bold(),
        }
    }
}
