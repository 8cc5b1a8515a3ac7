//! One thing that was looked at: how it is, and what mends it.

use colored::{ColoredString, Colorize};
use serde::Serialize;
use text::wrap::{folded, stdout_columns};

/// What a finding is about: a heading on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Part {
    System,
    Environment,
    Loader,
    Drivers,
    Devices,
    Caches,
    Tools,
}

impl Part {
    /// Its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Part::System => "This system",
            Part::Environment => "Environment variables that change what is found",
            Part::Loader => "The OpenCL loader: the library that programs open",
            Part::Drivers => "Drivers: ICD files, and what each brings",
            Part::Devices => "Devices: on each a kernel was built, run and checked",
            Part::Caches => "Folders that drivers and lessons write to",
            Part::Tools => "Tools that the lessons can do without",
        }
    }
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// The course runs, with something less.
    Note,
    /// Broken.
    Bad,
}

impl Verdict {
    fn shown(self) -> ColoredString {
        match self {
            Verdict::Good => "✓ good".green(),
            Verdict::Note => "! note".yellow(),
            Verdict::Bad => "✗ bad ".red().bold(),
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Where it belongs.
    pub part: Part,
    /// What was looked at.
    pub what: String,
    /// How it is.
    pub verdict: Verdict,
    /// The same in a sentence.
    pub says: String,
    /// The command that mends it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Finding {
    /// A finding without a cure.
    pub fn new(
        part: Part,
        verdict: Verdict,
        what: impl Into<String>,
        says: impl Into<String>,
    ) -> Finding {
        Finding {
            part,
            what: what.into(),
            verdict,
            says: says.into(),
            mend: None,
        }
    }

    /// The same with the command that mends it.
    pub fn mended_by(mut self, command: impl Into<Option<String>>) -> Finding {
        self.mend = command.into();
        self
    }

    /// For people: lines that fit the terminal, 80 columns where there is none.
    /// A command keeps to one line, so that it can be copied.
    pub fn shown(&self) -> String {
        const MARGIN: &str = "          ";
        let width = stdout_columns().unwrap_or(80).max(40) - MARGIN.len();
        let text = folded(&format!("{}: {}", self.what, self.says), width, MARGIN);
        let mut shown = format!("  {}  {text}", self.verdict.shown());
        if let Some(command) = &self.mend {
            shown.push_str(&format!(
                "\n{MARGIN}{} {}",
                "mend it:".dimmed(),
                command.cyan()
            ));
        }
        shown
    }
}
