//! What `course run` says of a kernel.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::Colorize;
use common::record::Record;
use judge::check::{At, Results};
use judge::observation::{Detection, Observation};
use judge::rates::{Rates, speed};
use judge::subject::Subject;
use judge::task::TaskFile;
use judge::task::other::Other;
use judge::task::sizes::{Sizes, in_words};
use judge::verdict::Verdict;
use serde::Serialize;
use text::Out;
use text::prose::beside;

use crate::game::folder::shown;

/// Where the words beside a heading begin.
const WORDS: usize = 12;

/// The kernel, and how it is launched.
pub fn head(file: &Path, subject: &Subject, seed: u64) -> Result<()> {
    let mut out = Out;
    let heading = format!("Kernel {}", subject.kernel);
    writeln!(out, "{}\n", heading.bold())?;
    writeln!(out, "  File      {}", shown(file))?;
    let launched = beside(&subject.launched(), WORDS);
    writeln!(out, "  Launched  {launched}")?;
    let drawn = "and what is drawn: the same again by";
    writeln!(out, "  Numbers   of seed {seed}, {drawn} --seed {seed}")?;
    writeln!(out, "\n{}", "What the checks see".bold())?;
    Ok(out.flush()?)
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
    #[serde(skip)]
    pub subject: &'a Subject,
    pub kernel: &'a str,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub seed: u64,
    pub sizes: Vec<Line>,
    /// What was not tried, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untried: Vec<String>,
    /// What its task asks beyond a right result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Observation>,
    #[serde(skip)]
    pub status: u8,
}

/// What a record says of a task at a size.
pub fn line(record: &Record, size: Sizes, task: Option<&TaskFile>) -> Line {
    let why = record
        .failed
        .clone()
        .or(record.skipped.clone())
        .or(record.died.clone());
    Line {
        verdict: Verdict::of(record),
        why: why.map(|why| why.trim_end().into()),
        compared: record.elements_compared,
        says: record.says.clone(),
        drawn: None,
        speed: task.and_then(|task| speed(record, &size, task)),
        size,
    }
}

impl Told<'_> {
    /// What every check saw, what follows, and the next thing to try.
    pub fn print(&self, results: &Results) -> Result<()> {
        let mut out = Out;
        if let Some(device) = &self.device {
            writeln!(out, "  on {}\n", beside(device, 5))?;
        }
        let mut speeds = self.sizes.iter().map(|line| line.speed.as_ref());
        for one in &results.tried {
            let mut seen = one.seen();
            let speeds = speeds.by_ref().take(one.records.len()).flatten();
            seen.details.extend(speeds.map(Rates::words));
            if let (Some(child), Some(_)) = (&one.end, self.subject.task()) {
                let message = self.subject.located(&child.message());
                let message = message.replace('\n', "\n    ");
                writeln!(
                    out,
                    "  {} {}: {message}",
                    seen.outcome.mark(),
                    seen.detector
                )?;
            } else {
                seen.print(&seen.outcome.mark(), &seen.says)?;
            }
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
        for why in &self.untried {
            writeln!(out, "  {}", beside(why, 2).dimmed())?;
        }
        let seed = self.seed;
        match (self.verdict, results.wrong()) {
            (Verdict::Limited, Some(at)) => writeln!(out, "{}", limited(self.file, at, seed))?,
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
/// other numbers.
pub fn limited(file: &Path, at: &At, seed: u64) -> String {
    let (file, words) = (file.display(), in_words(&at.size));
    let is_size = at.other.is_none();
    let says = match at.other {
        None => {
            let names = at.size.keys().map(|name| format!("{name} = \"64*i\""));
            let names: Vec<String> = names.collect();
            format!(
                "Not for {words}? A line such as draw = {{ {} }} in the task file says for which \
                 sizes it is.",
                names.join(", ")
            )
        }
        Some(Other::Reversed) => {
            "No device promises in which order groups run: what one leaves to \
                                  another takes a launch of its own."
                .into()
        }
        Some(Other::Scalars) => {
            "Not for other scalars? Then it need not be given any: a macro will \
                                 do."
            .into()
        }
        Some(_) => {
            "Not for such numbers? Say by fill for which: { ints = [0, 9] }, or a formula of \
                    the index."
                .into()
        }
    };
    let size = if is_size {
        format!(" --size {words}")
    } else {
        String::new()
    };
    let again = format!("cargo course run {file}{size} --seed {seed}");
    format!("  next: {}\n  {}", again.cyan(), beside(&says, 2))
}
