//! What the learner reads of an inspection, in 80 columns.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use judge::Observation;
use minijinja::context;
use text::Out;
use text::prose::beside;

use super::Inspection;
use crate::game::verdict::{Checked, Verdict};
use crate::run::limited_to;
use crate::words::say;

/// The exit status of a kernel that does not build, or has other arguments.
const DOES_NOT_BUILD: u8 = 4;

/// What was seen, what follows, and the next thing to try.
pub fn checked(inspection: &Inspection, checked: &Checked) -> Result<()> {
    let (seen, subject) = (&checked.seen, inspection.check.subject);
    observations(inspection, &seen.observations)?;
    let words = format!("{}: {}", subject.kernel, inspection.verdict(checked).1);
    let has_run = seen.status != DOES_NOT_BUILD;
    let options = inspection.options;
    let limited = inspection.limited.as_ref();
    let blanks = context! {
        words => checked.verdict.shown(&beside(&words, 2)).to_string(),
        untried => inspection.untried.clone(),
        is_guessed => subject.is_guessed() && checked.verdict == Verdict::NotYet && has_run,
        seed => options.how.seed,
        limited => limited.map(|at| limited_to(&options.file, at)),
    };
    say("verdict", blanks)?;
    seen.tell_why_not();
    Ok(Out.flush()?)
}

/// Each detector's answer; a fault that the one before it told already is not told again.
fn observations(inspection: &Inspection, all: &[Observation]) -> Result<()> {
    let simulated = all
        .iter()
        .position(|one| one.detector.starts_with("Oclgrind: "));
    for (at, one) in all.iter().enumerate() {
        if Some(at) == simulated {
            let words = beside(&inspection.where_simulated(), 4);
            writeln!(Out, "    {}", words.dimmed())?;
        }
        let is_fault = one.is_fault();
        let told = if is_fault && at > 0 && one.says_the_same_as(&all[at - 1]) {
            Observation::new(&*one.detector, one.outcome, "the same")
        } else {
            one.clone()
        };
        told.print(&told.outcome.mark(), &told.says)?;
    }
    Ok(())
}
