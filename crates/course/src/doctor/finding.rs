//! One thing that was looked at: how it is, and what mends it.

use colored::Colorize;
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

/// In the order of [`Topic`].
const HEADINGS: [&str; 7] = [
    "This system",
    "Environment variables that change what is found",
    "The OpenCL loader: the library that programs open",
    "Drivers: ICD files, and what each brings",
    "Devices: on each a kernel was built, run and checked",
    "Folders that drivers and lessons write to",
    "Tools that the lessons can do without",
];

impl Topic {
    pub fn heading(self) -> &'static str {
        HEADINGS[self as usize]
    }

    fn finding(self, health: Health, what: &str, says: &str) -> Finding {
        let (what, says) = (plain(what), plain(says));
        Finding {
            topic: self,
            what,
            health,
            says,
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

/// How it is; with a note the course runs, with something less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Good,
    Note,
    Bad,
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
        let health = match self.health {
            Health::Good => "✓ good".green(),
            Health::Note => "! note".yellow(),
            Health::Bad => "✗ bad ".red().bold(),
        };
        let mut shown = format!("  {health}  {text}");
        if let Some(command) = &self.mend {
            shown += &format!("\n{MARGIN}{} {}", "next:".dimmed(), command.cyan());
        }
        shown
    }
}
