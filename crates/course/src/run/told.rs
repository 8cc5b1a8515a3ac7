//! What `course run` says of a kernel.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::{ColoredString, Colorize};
use common::record::Record;
use serde::Serialize;
use text::Out;

use crate::observation::{Detection, Observation};
use crate::prose::beside;
use crate::rates::{Rates, speed};
use crate::subject::Subject;
use crate::task::TaskFile;
use crate::task::sizes::{Sizes, in_words};

/// Of a size that was drawn.
pub const DRAWN: &str = "drawn";
/// Of numbers that are not those of the file.
pub const EXTREMES: &str = "with extreme numbers";
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
    /// It is right at all sizes that its file names, and wrong at one that was drawn.
    Limited,
    /// It does not compute what it must, or it died.
    Wrong,
}

impl Verdict {
    /// In front of a line.
    pub fn mark(self) -> ColoredString {
        match self {
            Verdict::Right => "✓".green(),
            Verdict::Unchecked => "-".dimmed(),
            Verdict::Unlaunchable => "?".yellow(),
            Verdict::Limited | Verdict::Wrong => "✗".red().bold(),
        }
    }

    pub fn words(self) -> ColoredString {
        match self {
            Verdict::Right => "right".green().bold(),
            Verdict::Unchecked => "not checked: no reference says what is right".dimmed(),
            Verdict::Unlaunchable => "cannot be launched".yellow().bold(),
            Verdict::Limited => LIMITED.red().bold(),
            Verdict::Wrong => "wrong".red().bold(),
        }
    }
}

/// One size.
#[derive(Serialize)]
pub struct Line {
    pub size: Sizes,
    /// How it differs from what the file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn: Option<&'static str>,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<usize>,
    #[serde(rename = "bound", skip_serializing_if = "String::is_empty")]
    pub says: String,
    #[serde(flatten)]
    pub speed: Option<Rates>,
}

/// A kernel, as `--json` prints it.
#[derive(Serialize)]
pub struct Told<'a> {
    pub file: &'a Path,
    pub kernel: &'a str,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub seed: u64,
    pub sizes: Vec<Line>,
    /// Why no other size was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untried: Option<String>,
    /// What its task asks beyond a right result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Observation>,
    #[serde(skip)]
    pub status: u8,
}

/// What a record says of a task at a size.
pub fn line(record: &Record, size: Sizes, task: Option<&TaskFile>) -> Line {
    let verdict = match record {
        Record {
            skipped: Some(_), ..
        } => Verdict::Unlaunchable,
        Record {
            verified: false, ..
        } => Verdict::Wrong,
        Record {
            elements_compared: Some(0),
            ..
        } => Verdict::Unchecked,
        _ => Verdict::Right,
    };
    let why = record
        .failed
        .clone()
        .or(record.skipped.clone())
        .or(record.died.clone());
    Line {
        verdict,
        why: why.map(|why| why.trim_end().into()),
        compared: record.elements_compared,
        says: record.says.clone(),
        drawn: None,
        speed: task.and_then(|task| speed(record, &size, task)),
        size,
    }
}

impl Told<'_> {
    pub fn print(&self, subject: &Subject) -> Result<()> {
        let mut out = Out;
        writeln!(out, "{}\n", format!("Kernel {}", self.kernel).bold())?;
        writeln!(out, "  Launched  {}", beside(&subject.launched(), 12))?;
        if let Some(device) = &self.device {
            writeln!(out, "  Device    {}", beside(device, 12))?;
        }
        writeln!(out)?;
        for line in &self.sizes {
            let words = in_words(&line.size);
            let size = [words.as_str(), line.drawn.unwrap_or_default()];
            let size: Vec<&str> = size.into_iter().filter(|one| !one.is_empty()).collect();
            let (mark, size) = (line.verdict.mark(), size.join(", "));
            let says = match (line.verdict, &line.why, line.compared) {
                (_, Some(why), _) => why.replace('\n', "\n    "),
                (Verdict::Right, _, Some(compared)) => {
                    let Line { says, .. } = line;
                    let within = if says.is_empty() { "" } else { ": " };
                    format!("right, {compared} elements compared{within}{says}")
                }
                (verdict, ..) => verdict.words().to_string(),
            };
            writeln!(
                out,
                "  {mark} {size}{}{says}",
                if size.is_empty() { "" } else { ": " }
            )?;
            if let Some(speed) = &line.speed {
                writeln!(out, "    {}", beside(&speed.words(), 4))?;
            }
        }
        if let Some(why) = &self.why {
            writeln!(
                out,
                "  {} {}",
                self.verdict.mark(),
                why.replace('\n', "\n    ")
            )?;
        }
        let mut targets = self.targets.iter();
        targets
            .clone()
            .try_for_each(|one| one.print(&one.outcome.mark(), &one.says))?;
        let misses = match targets.any(|one| one.outcome == Detection::Fault) {
            true => ", and not what its task asks",
            false => "",
        };
        let words = self.verdict.words();
        writeln!(out, "\n  {}: {words}{misses}", self.kernel)?;
        if let Some(why) = &self.untried {
            let words = format!("No other size was tried: {why}.");
            writeln!(out, "  {}", beside(&words, 2).dimmed())?;
        }
        let seed = self.seed;
        let wrong = self.sizes.iter().find(|one| one.verdict == Verdict::Wrong);
        match (self.verdict, wrong) {
            (Verdict::Limited, Some(line)) => {
                let next = limited(self.file, &line.size, line.drawn == Some(DRAWN), seed);
                writeln!(out, "{next}")?;
            }
            (Verdict::Wrong, _) => {
                let words = std::env::args().nth(2).unwrap_or_default();
                writeln!(
                    out,
                    "  next: {} names the lines of races and bad accesses;\n        the same \
                     numbers again: --seed {seed}",
                    format!("cargo course inspect {words}").cyan(),
                )?;
            }
            _ => (),
        }
        Ok(writeln!(out)?)
    }
}

/// What to do where a kernel is right as the file says and wrong at a drawn size, or else with
/// extreme numbers.
pub fn limited(file: &Path, size: &Sizes, is_size: bool, seed: u64) -> String {
    let (file, words) = (file.display(), in_words(size));
    let says = if is_size {
        let name = size.keys().next().map_or("n", String::as_str);
        format!(
            "Not for {words}? A line such as draw = {{ {name} = \"64*i\" }} in the task file says \
             for which sizes it is."
        )
    } else {
        "Extreme are fill = \"any\" of integers and fill = \"negative\" of floats, in place of \
         \"random\". Not for such numbers? Say for which: fill = { ints = [0, 9] }, or a formula."
            .into()
    };
    let size = if is_size {
        format!(" --size {words}")
    } else {
        String::new()
    };
    let again = format!("cargo course run {file}{size} --seed {seed}");
    format!("  next: {}\n  {}", again.cyan(), beside(&says, 2))
}
