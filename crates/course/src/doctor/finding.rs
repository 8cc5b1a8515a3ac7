//! One thing that was looked at: how it is, and what mends it.

use colored::{ColoredString, Colorize};
use serde::Serialize;
use text::plain;
use text::wrap::{folded, stdout_columns};

/// What a finding is about: a heading on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    System,
    Environment,
    Loader,
    Drivers,
    Devices,
    Caches,
    Tools,
}

impl Topic {
    pub fn heading(self) -> &'static str {
        match self {
            Topic::System => "This system",
            Topic::Environment => "Environment variables that change what is found",
            Topic::Loader => "The OpenCL loader: the library that programs open",
            Topic::Drivers => "Drivers: ICD files, and what each brings",
            Topic::Devices => "Devices: on each a kernel was built, run and checked",
            Topic::Caches => "Folders that drivers and lessons write to",
            Topic::Tools => "Tools that the lessons can do without",
        }
    }

    fn finding(self, health: Health, what: &str, says: &str) -> Finding {
        Finding {
            topic: self,
            what: plain(what),
            health,
            says: plain(says),
            mend: None,
        }
    }

    /// Something that is as it should be.
    pub fn good(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        self.finding(Health::Good, what.as_ref(), says.as_ref())
    }

    /// Something that the course can do without.
    pub fn note(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        self.finding(Health::Note, what.as_ref(), says.as_ref())
    }

    /// Something that is broken.
    pub fn bad(self, what: impl AsRef<str>, says: impl AsRef<str>) -> Finding {
        self.finding(Health::Bad, what.as_ref(), says.as_ref())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// The course runs, with something less.
    Note,
    /// Broken.
    Bad,
}

impl Health {
    fn shown(self) -> ColoredString {
        match self {
            Health::Good => "✓ good".green(),
            Health::Note => "! note".yellow(),
            Health::Bad => "✗ bad ".red().bold(),
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    #[serde(rename = "part")]
    pub topic: Topic,
    pub what: String,
    #[serde(rename = "verdict")]
    pub health: Health,
    /// The same in a sentence.
    pub says: String,
    /// The command that mends it, where there is one.
    #[serde(rename = "next", skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Finding {
    /// The same with the command that mends it.
    pub fn next(self, command: impl Into<String>) -> Finding {
        self.mended_by(Some(command.into()))
    }

    /// The same where there may be none.
    pub fn mended_by(mut self, command: Option<String>) -> Finding {
        self.mend = command.map(|command| plain(&command));
        self
    }

    /// For people: lines that fit the terminal, 80 columns where there is none.
    /// A command keeps to one line, so that it can be copied.
    pub fn shown(&self) -> String {
        const MARGIN: &str = "          ";
        let width = stdout_columns().unwrap_or(80).max(40) - MARGIN.len();
        let text = folded(&format!("{}: {}", self.what, self.says), width, MARGIN);
        let mut shown = format!("  {}  {text}", self.health.shown());
        if let Some(command) = &self.mend {
            shown += &format!("\n{MARGIN}{} {}", "next:".dimmed(), command.cyan());
        }
        shown
    }
}
