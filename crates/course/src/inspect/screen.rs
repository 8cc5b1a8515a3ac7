//! What the learner reads of an inspection, in 80 columns.

use std::io::Write;

use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::Out;
use diagnostics::terminal::wrap::beside;
use inspect::judge::{Detection, Detector, Observation, Part};
use task::form::Form;
use task::sizes::{Sizes, in_words};

use super::Inspection;
use crate::game::verdict::{Checked, Verdict};
use crate::run::{limited_to, verdict};

/// Sides with which a simulator comes to an end, of so many names.
const MOST_SIMULATED: [usize; 3] = [300, 70, 33];

/// The exit status of a kernel that does not build, or has other arguments.
const DOES_NOT_BUILD: u8 = 4;

/// What was seen, what follows, and the next thing to try.
pub fn checked(inspection: &Inspection, checked: &Checked) -> Result<()> {
    let (seen, subject) = (&checked.seen, inspection.check.subject);
    observations(inspection, &seen.observations)?;
    let words = format!("{}: {}", subject.kernel(), inspection.verdict(checked).1);
    let has_run = seen.status != DOES_NOT_BUILD;
    let options = inspection.options;
    let limited = inspection.limited.as_ref();
    let words = checked.verdict.shown(&beside(&words, 2));
    verdict(&words.to_string(), &inspection.untried)?;
    if subject.is_guessed() && checked.verdict == Verdict::NotYet && has_run {
        let says = "If it is to be launched in another way, say so in a task file; a draft of one: \
                    cargo course spec FILE.cl";
        writeln!(Out, "  {}", beside(says, 2))?;
    }
    if let Some((case, reason)) = limited {
        limited_to(&options.file, case, *reason, options.how.seed)?;
    }
    writeln!(Out)?;
    seen.tell_why_not();
    Ok(Out.flush()?)
}

/// Each detector's answer; a fault that the one before it told already is not told again.
fn observations(inspection: &Inspection, all: &[Observation]) -> Result<()> {
    let is_simulated = |one: &Observation| match one.detector {
        Detector::Oclgrind(part) => part != Part::All,
        _ => false,
    };
    let simulated = all.iter().position(is_simulated);
    for (at, one) in all.iter().enumerate() {
        if Some(at) == simulated {
            let words = beside(&inspection.where_simulated(), 4);
            writeln!(Out, "    {}", words.dimmed())?;
        }
        let is_fault = one.is_fault();
        let says = |one: &Observation| (one.says.clone(), one.details.clone());
        let told = if is_fault && at > 0 && says(one) == says(&all[at - 1]) {
            Observation::new(one.detector.clone(), one.outcome, "the same")
        } else {
            one.clone()
        };
        told.print(&told.outcome.mark(), &told.says)?;
    }
    Ok(())
}

impl Inspection<'_> {
    /// Where the simulator looks, and what it cannot see there.
    pub fn where_simulated(&self) -> String {
        let at = self.simulated();
        let hides = |task: &Form| task.hides_groups(at);
        let of_groups = if self.check.subject.task().is_some_and(hides) {
            " one group, so nothing between groups is seen; next: a size of a few groups"
        } else {
            ""
        };
        format!("Oclgrind at {}:{of_groups}", in_words(at))
    }

    /// That the simulator came to no end where the device did, and what to do.
    pub fn not_looked_at(&self) -> Observation {
        let at = self.simulated();
        let most = MOST_SIMULATED[at.len().clamp(1, 3) - 1];
        let least = at.iter().map(|(name, size)| (name.clone(), *size.min(&most)));
        let smaller: Sizes = least.collect();
        let smaller = if smaller == *at {
            "a smaller --size".into()
        } else {
            format!("--size {}", in_words(&smaller))
        };
        let says = format!(
            "not looked at: too slow for the simulator at {}; next: {smaller}, or a longer \
             --timeout",
            in_words(at)
        );
        Observation::new(Detector::Oclgrind(Part::All), Detection::NotRun, says)
    }
}
