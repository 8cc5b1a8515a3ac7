//! What `course run` says of a kernel.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use common::record::Record;
use diagnostics::terminal::Out;
use diagnostics::terminal::prose::beside;
use judge::{
    Case, End, Observation, Results, Subject, Verdict,
    rates::{Rates, speed},
};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;
use task::form::Form;
use task::sizes::{Sizes, in_words};

use crate::game::folder::shown;
use crate::words::say;

/// The kernel, and how it is launched.
pub fn head(file: &Path, subject: &Subject, seed: u64) -> Result<()> {
    let (kernel, launched) = (subject.kernel.clone(), subject.launched());
    say(
        "kernel",
        context! { file => shown(file), kernel, launched, seed },
    )?;
    Ok(Out.flush()?)
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

/// What a record says of a task at a size, which may be `drawn`.
pub fn line(
    record: &Record,
    (size, drawn): (Sizes, Option<&'static str>),
    task: Option<&Form>,
) -> Line {
    Line {
        verdict: Verdict::of(record),
        why: record.why().map(|why| why.trim_end().into()),
        compared: record.compared(),
        says: record.says.clone(),
        drawn,
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
            seen.details
                .extend(speeds.map(|speed| speed.words().into()));
            let is_told = matches!(one.end, End::Refused(_) | End::Died(_));
            if is_told && self.subject.task().is_some() {
                let message = self.subject.located(&one.end);
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
        let misses = match targets.any(Observation::is_fault) {
            true => ", and not what its task asks",
            false => "",
        };
        let limited = Some(self.verdict).filter(|one| *one == Verdict::Limited);
        let limited = limited.and_then(|_| Some(limited_to(self.file, results.wrong()?)));
        let blanks = context! {
            words => format!("{}: {}{misses}", self.kernel, self.verdict.words()),
            untried => self.untried.clone(),
            seed => self.seed,
            limited,
            inspect => (self.verdict == Verdict::Wrong).then(|| self.file.display().to_string()),
        };
        say("verdict", blanks)
    }
}

/// Where alone a kernel is wrong that is right as its file says, for the words on what to do then.
pub fn limited_to(file: &Path, case: &Case) -> Value {
    let words = in_words(&case.sizes);
    let size = match case.origin.other() {
        None => format!(" --size {words}"),
        Some(_) => String::new(),
    };
    let draw = case.sizes.keys().map(|name| format!("{name} = \"64*i\""));
    context! {
        file => file.display().to_string(),
        size,
        at => words,
        other => Serde(case.origin.other()),
        draw => draw.collect::<Vec<_>>().join(", "),
    }
}
