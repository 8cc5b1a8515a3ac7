//! What is said of a kernel, as all tools have it.

use colored::{ColoredString, Colorize};
use common::outcome::Outcome;
use common::record::Record;
use serde::Serialize;

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
    pub fn of(record: &Record) -> Verdict {
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
