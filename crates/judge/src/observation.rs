//! What a detector saw of a kernel.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::{ColoredString, Colorize};
use diagnostics::terminal::Out;
use diagnostics::terminal::prose::{WIDTH, beside, cut};
use serde::{Deserialize, Serialize};

/// Where the words beside a detector's name begin.
const WORDS: usize = 28;

/// One detector's answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Observation {
    /// The detector, with the size where it depends on it.
    pub detector: String,
    /// In a word.
    pub outcome: Detection,
    /// In a sentence.
    pub says: String,
    /// Evidence, a line each.
    pub details: Vec<String>,
    /// Whether it came to no end.
    #[serde(skip)]
    pub hung: bool,
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
    pub fn new(detector: impl Into<String>, outcome: Detection, says: impl Into<String>) -> Self {
        Observation {
            detector: detector.into(),
            outcome,
            says: says.into(),
            details: Vec::new(),
            hung: false,
        }
    }

    /// The same with this evidence.
    pub fn with(self, details: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let details = details.into_iter().map(Into::into).collect();
        Observation { details, ..self }
    }

    /// Whether it found something for certain.
    pub fn is_fault(&self) -> bool {
        self.outcome == Detection::Fault
    }

    /// Whether it ran and found nothing.
    pub fn is_silent(&self) -> bool {
        self.outcome == Detection::Silent
    }

    /// The detector as the headers of the broken kernels call it.
    pub fn kind(&self) -> &str {
        if self.is_of_results() {
            "checker"
        } else {
            self.detector.trim_start_matches("Oclgrind: ")
        }
    }

    /// Prints it: a mark, the detector, what it says, and the evidence below.
    pub fn print(&self, mark: &ColoredString, says: &str) -> Result<()> {
        let mut out = Out;
        let says = beside(says, WORDS);
        let detector = &self.detector;
        if detector.chars().count() < WORDS - 4 {
            writeln!(out, "  {mark} {detector:<24}{says}")?;
        } else {
            writeln!(out, "  {mark} {detector}\n{:WORDS$}{says}", "")?;
        }
        let is_of_build = self.says.starts_with("does not build");
        for detail in &self.details {
            // A build's diagnostic is laid out already, a line of code is no prose.
            match (is_of_build, detail.starts_with("line ")) {
                (true, _) => writeln!(out, "  {detail}")?,
                (_, true) => writeln!(out, "        {}", cut(detail, WIDTH - 8).cyan())?,
                _ => writeln!(out, "{:WORDS$}{}", "", beside(detail, WORDS))?,
            }
        }
        Ok(out.flush()?)
    }

    /// Where it sees a fault of this file, as editors read it: FILE:LINE:COLUMN: error: words.
    pub fn places(&self, file: &Path) -> Vec<String> {
        let (file, mut words, mut found) = (file.display(), &*self.says, Vec::new());
        for detail in self.details.iter().map(|detail| detail.trim()) {
            // As compilers of kernels and of Rust say it, or as the other detectors do.
            if let Some((_, said)) = detail
                .split_once(": ")
                .filter(|_| detail.starts_with("error"))
            {
                words = said;
            } else if let Some(place) = detail.strip_prefix("--> ") {
                let mut numbers = place.rsplitn(3, ':');
                let (column, line) = (numbers.next(), numbers.next());
                if let (Some(column), Some(line)) = (column, line) {
                    found.push(format!("{file}:{line}:{column}: error: {words}"));
                }
            } else if let Some((line, _)) = detail
                .strip_prefix("line ")
                .and_then(|at| at.split_once(':'))
            {
                found.push(format!("{file}:{line}:1: error: {words}"));
            }
        }
        if found.is_empty() {
            found.push(format!("{file}:1:1: error: {words}"));
        }
        match self.outcome {
            Detection::Fault => found,
            _ => Vec::new(),
        }
    }

    /// Whether it says nothing new beside another one.
    pub fn says_the_same_as(&self, other: &Observation) -> bool {
        (&self.says, &self.details) == (&other.says, &other.details)
    }

    /// True for the checker on a device, or in the simulator.
    pub fn is_of_results(&self) -> bool {
        self.detector.contains("result")
    }
}
