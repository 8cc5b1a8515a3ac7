//! What `course run` says of a kernel.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use colored::Colorize;
use common::record::Record;
use diagnostics::terminal::wrap::beside;
use diagnostics::terminal::{Out, plain};
use inspect::judge::{
    Case, End, Observation, Other, Reason, Results, Subject, Verdict,
    rates::{Rates, speed},
};
use serde::Serialize;
use task::form::Form;
use task::sizes::{Sizes, in_words};
use verify::draw::Far;

use crate::game::folder::shown;

/// The kernel, and how it is launched.
pub fn head(file: &Path, subject: &Subject, seed: u64) -> Result<()> {
    writeln!(
        Out,
        "{}\n\n  File      {}\n  Launched  {}\n  Numbers   of seed {seed}, and what is drawn: the \
         same again by --seed {seed}\n\n{}",
        format!("Kernel {}", subject.kernel()).bold(),
        shown(file),
        beside(&subject.launched, 12),
        "What the checks see".bold()
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
        why: record.why(),
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
            seen.details.extend(speeds.map(|speed| speed.words().into()));
            let is_told = matches!(one.end, End::Refused(_) | End::Died(_));
            if is_told && self.subject.task().is_some() {
                let message = self.subject.located(&one.end);
                let message = plain(&message).replace('\n', "\n    ");
                writeln!(out, "  {} {}: {message}", seen.outcome.mark(), seen.detector)?;
            } else {
                seen.print(&seen.outcome.mark(), &seen.says)?;
            }
        }
        let mut targets = self.targets.iter();
        targets.clone().try_for_each(|one| one.print(&one.outcome.mark(), &one.says))?;
        let misses = match targets.any(Observation::is_fault) {
            true => ", and not what its task asks",
            false => "",
        };
        let words = format!("{}: {}{misses}", self.kernel, self.verdict.words());
        verdict(&words, &self.untried)?;
        let (file, seed) = (self.file, self.seed);
        match (self.verdict, results.wrong()) {
            (Verdict::Limited, Some(one)) => limited_to(file, &one.case, results.reason, seed)?,
            (Verdict::Wrong, _) => {
                let inspect = format!("cargo course inspect {}", file.display()).cyan();
                writeln!(
                    out,
                    "  next: {inspect} names the lines of races and bad accesses;\n        \
                     the same numbers again: --seed {seed}"
                )?;
            }
            _ => (),
        }
        Ok(writeln!(out)?)
    }
}

/// What follows, and what was not tried.
pub fn verdict(words: &str, untried: &[String]) -> Result<()> {
    writeln!(Out, "\n  {words}")?;
    for why in untried {
        writeln!(Out, "  {}", beside(why, 2).dimmed())?;
    }
    Ok(())
}

/// What to do where a kernel is right as its file says, and wrong in this case alone.
pub fn limited_to(file: &Path, case: &Case, reason: Reason, seed: u64) -> Result<()> {
    if reason == Reason::Fault {
        let says = "The results hide what the simulator sees: mend these lines first.";
        return Ok(writeln!(Out, "  {}", beside(says, 2))?);
    }
    let (at, other) = (in_words(&case.sizes), case.origin.other());
    let size = match other {
        None => format!(" --size {at}"),
        Some(_) => String::new(),
    };
    let says = match (other, reason) {
        (Some(Other::Reversed), _) => {
            "No device promises in which order groups run: what one leaves to another takes a \
             launch of its own."
        }
        (Some(Other::Coarse), _) => {
            "The standard lets half_ functions be off by 8192 units in the last place: take \
             others, or say a tolerance."
        }
        (Some(Other::Numbers(Far::Uneven)), _) => {
            "Not for such inputs? What a kernel fills, as in fill = \"make.cl\", stays as it is."
        }
        (Some(other), _) if other.is_of_scalars() => {
            "Not for other arguments? Then it need not be given any: a macro will do."
        }
        (Some(_), _) => {
            "Not for such numbers? Say by fill for which: { ints = [0, 9] }, or a formula of the \
             index."
        }
        (None, Reason::Share) => {
            "A share of each element is hardly a matter of the size: look at constants, at what \
             it divides by, and at functions such as native_exp."
        }
        (None, Reason::Chance) => {
            "Another run leaves other elements, as a race does: inspect names its lines."
        }
        (None, _) => &format!(
            "Not for {at}? A line such as {} in the task file says for which sizes it is.",
            draw_without(case)
        ),
    };
    let next = format!("cargo course run {}{size} --seed {seed}", file.display());
    Ok(writeln!(Out, "  next: {}\n  {}", next.cyan(), beside(says, 2))?)
}

/// The line of a task file by which no size like that of this case is drawn.
fn draw_without(case: &Case) -> String {
    let is_even = case.sizes.values().all(|size| size % 2 == 0);
    let of = ["64*i", "2*i - 1"][usize::from(is_even)];
    let all = case.sizes.keys().map(|name| format!("{name} = \"{of}\""));
    format!("draw = {{ {} }}", Vec::from_iter(all).join(", "))
}
