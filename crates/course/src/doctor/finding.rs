//! One thing that was looked at: how it is, and what mends it.

use std::fmt::{Display, Formatter, Result};

use colored::Colorize;
use diagnostics::terminal::plain;
use diagnostics::terminal::wrap::beside;
use serde::{Deserialize, Serialize};

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

    /// Something that is as it should be.
    pub fn good(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        Finding {
            part: self,
            what: plain(what.as_ref()),
            verdict: Health::Good,
            says: plain(says.as_ref()),
            next: None,
        }
    }

    /// Something that the course can do without.
    pub fn note(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        self.good(what, says).of(Health::Note)
    }

    /// Something that is broken.
    pub fn bad(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        self.good(what, says).of(Health::Bad)
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
    fn of(self, verdict: Health) -> Finding {
        Finding { verdict, ..self }
    }

    /// The same with the command that mends it, where there is one.
    pub fn next(self, command: impl Into<Option<String>>) -> Finding {
        let next = command.into().map(|command| plain(&command));
        Finding { next, ..self }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let mark = match self.verdict {
            Health::Good => "✓ good".green(),
            Health::Note => "! note".yellow(),
            Health::Bad => "✗ bad ".red().bold(),
        };
        let says = format!("{}: {}", self.what, self.says);
        writeln!(f, "  {mark}  {}", beside(&says, 10))?;
        match &self.next {
            Some(next) => writeln!(f, "{:10}{} {}", "", "next:".dimmed(), next.cyan()),
            None => Ok(()),
        }
    }
}
