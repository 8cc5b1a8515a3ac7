//! What the learner reads of an inspection, in 80 columns.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::Out;
use diagnostics::terminal::wrap::beside;
use inspect::judge::{Detector, Observation, Part};
use task::sizes::in_words;

use super::Inspection;
use crate::game::verdict::{Checked, Verdict};
use crate::run::{limited_to, verdict};

/// The exit status of a kernel that does not build, or has other arguments.
const DOES_NOT_BUILD: u8 = 4;

/// What was seen, what follows, and the next thing to try.
pub fn checked(inspection: &Inspection, checked: &Checked) -> Result<()> {
    let (seen, subject) = (&checked.seen, inspection.check.subject);
    observations(inspection, &seen.observations)?;
    let words = format!("{}: {}", subject.kernel(), inspection.verdict(checked).1);
    let words = checked.verdict.shown(&beside(&words, 2));
    verdict(&words.to_string(), &inspection.untried)?;
    let has_run = seen.status != DOES_NOT_BUILD;
    if subject.is_guessed() && checked.verdict == Verdict::NotYet && has_run {
        let says = "If it is to be launched in another way, say so in a task file; a draft of one: \
                    cargo course spec FILE.cl";
        writeln!(Out, "  {}", beside(says, 2))?;
    }
    if let Some((case, reason)) = &inspection.limited {
        let options = inspection.options;
        limited_to(&options.file, case, *reason, options.how.seed)?;
    }
    writeln!(Out)?;
    seen.tell_why_not();
    Ok(Out.flush()?)
}

/// Each detector's answer; a fault that the one before it told already is not told again.
fn observations(inspection: &Inspection, all: &[Observation]) -> Result<()> {
    let is_simulated =
        |one: &Observation| matches!(one.detector, Detector::Oclgrind(part) if part != Part::All);
    let simulated = all.iter().position(is_simulated);
    for (at, one) in all.iter().enumerate() {
        if Some(at) == simulated {
            let size = &inspection.simulated;
            let hides = inspection.check.subject.task().is_some_and(|task| task.hides_groups(size));
            let of_groups = match hides {
                true => {
                    " one group, so nothing between groups is seen; next: a size of a few groups"
                }
                false => "",
            };
            let words = format!("Oclgrind at {}:{of_groups}", in_words(size));
            writeln!(Out, "    {}", beside(&words, 4).dimmed())?;
        }
        let mut told = one.clone();
        let before = at.checked_sub(1).map(|before| &all[before]);
        if one.is_fault()
            && before.is_some_and(|it| it.says == one.says && it.details == one.details)
        {
            (told.says, told.details) = ("the same".into(), Vec::new());
        }
        told.print(&told.outcome.mark(), &told.says)?;
    }
    Ok(())
}
