//! `course inspect`: every detector on a kernel of the learner's own, for any fault that
//! it may have, and its memory traffic.

mod traffic;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use colored::Colorize;
use common::error::worst;
use diagnostics::terminal::Out;
use diagnostics::terminal::wrap::beside;
use inspect::judge::{
    Case, Check, Detection, Detector, How, LaunchFlags, Observation, Part, Reason, Subject,
};
use serde_json::json;
use task::sizes::{Sizes, in_words};
use verify::element::Type;

use crate::game::turn::sign_of_life;
use crate::game::verdict::{Checked, Verdict};
use crate::run::{head, limited_to, verdict};
use traffic::Traffic;

/// The flags of `course inspect`.
#[derive(clap::Args)]
pub struct InspectArgs {
    /// A task file, or a file with kernels of your own
    #[arg(value_name = "FILE.toml|FILE.cl")]
    file: PathBuf,
    /// Inspect this kernel only; may be given more than once [default: all of the file]
    #[arg(short, long, value_name = "KERNEL")]
    only: Vec<String>,
    /// Sizes of the problem: N, or MxNxK; several, with commas between them; or a task's
    /// names: rows=5,cols=70. The simulator takes the first that is small [default: three odd
    /// ones, or the task's]
    #[arg(short, long = "size", value_name = "N|MxNxK|NAME=N")]
    sizes: Option<String>,
    /// Type of the elements
    #[arg(long = "type", value_enum, default_value_t = Type::Float, value_name = "TYPE")]
    ty: Type,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Inspects the kernels of a file, one after the other; the status is the largest.
pub fn inspect(options: &InspectArgs) -> Result<ExitCode> {
    let InspectArgs { file, only, launch, ty, how, .. } = options;
    let mut all = Vec::new();
    for subject in &Subject::all(file, only, launch, *ty, how, false)? {
        let check = Check {
            subject,
            how,
            ty: *ty,
            sizes: subject.sizes(options.sizes.as_deref())?,
            times: false,
        };
        let inspection = Inspection {
            options,
            simulated: check.sizes_to_simulate()?.swap_remove(0),
            limited: None,
            on_device: inspect::judge::Verdict::Unlaunchable,
            untried: Vec::new(),
            is_too_slow: false,
            check,
        };
        all.push(inspection.show()?);
    }
    Ok(ExitCode::from(worst(all)))
}

/// One kernel, and how it is launched.
struct Inspection<'a> {
    options: &'a InspectArgs,
    check: Check<'a>,
    /// The size at which the simulator looks.
    simulated: Sizes,
    /// Where alone it is wrong, of a kernel that is right as its file says.
    limited: Option<(Case, Reason)>,
    /// What follows from the device's results alone.
    on_device: inspect::judge::Verdict,
    /// What was not tried, and why.
    untried: Vec<String>,
    /// Whether the simulator came to no end.
    is_too_slow: bool,
}

impl Inspection<'_> {
    /// Runs every detector, and tells what they saw; the exit status.
    fn show(mut self) -> Result<u8> {
        let InspectArgs { file, how, .. } = self.options;
        if !how.json {
            head(file, self.check.subject, how.seed)?;
        }
        let waiting = sign_of_life(how.timeout);
        let checked = self.checked();
        let traffic = checked.as_ref().map(|checked| self.traffic(checked));
        waiting.finish_and_clear();
        let (traffic, checked) = (traffic.ok().flatten(), checked?);
        if how.json {
            self.print_json(&checked, traffic.as_ref())?;
        } else {
            tell(&self, &checked)?;
            if let Some(Traffic { text, .. }) = traffic {
                writeln!(Out, "{}\n{text}", "Memory traffic".bold())?;
            }
        }
        Ok(checked.seen.status)
    }

    fn checked(&mut self) -> Result<Checked> {
        let subject = self.check.subject;
        let results = self.check.results()?;
        self.untried.clone_from(&results.untried);
        self.on_device = results.verdict(subject);
        let mut seen = results.seen();
        let known = results.tried.iter().filter(|one| !one.case.is_try());
        let mut of_drawn = seen.observations.split_off(known.count());
        let beside = results.beside();
        if results.may_be_simulated() {
            let simulated = self.simulate(&seen.observations)?;
            seen.observations.extend(simulated);
            let is_found = seen.observations.iter().any(Observation::is_fault);
            if let (Some(case), false) = (&beside, is_found) {
                of_drawn.extend(self.simulate_beside(case)?);
            }
        }
        let is_right = !seen.observations.iter().any(Observation::is_fault);
        if is_right && of_drawn.iter().any(Observation::is_fault) && subject.has_file() {
            let reason = results.wrong().map_or(Reason::Fault, |_| results.reason);
            self.limited = beside.map(|case| (case, reason));
        }
        seen.observations.extend(of_drawn);
        let verdict = Verdict::of(&seen.observations, true, true);
        seen.status = match self.limited {
            Some(_) => 1,
            None => verdict.status(seen.status),
        };
        Ok(Checked { seen, verdict })
    }

    /// What the simulator sees, where the device saw this: at the first size, or at the next where
    /// that takes too long.
    fn simulate(&mut self, seen: &[Observation]) -> Result<Vec<Observation>> {
        let is_judged = seen.iter().any(|one| one.is_silent() || one.is_fault());
        let mut found = Vec::new();
        for size in self.check.sizes_to_simulate()? {
            self.simulated = size;
            found = self.check.simulated(&Case::of(self.simulated.clone()))?;
            // It has no time for a reference: what is right the device has said.
            found.retain(|one| !is_judged || one.outcome != Detection::NotJudged);
            if !found.iter().any(|one| one.hung) || seen.iter().any(|one| one.hung) {
                return Ok(found);
            }
        }
        found.retain(|one| one.is_fault() && !one.is_of_results());
        self.is_too_slow = true;
        let says = format!(
            "not looked at: too slow for the simulator at {}; next: a smaller --size, or a longer \
             --timeout",
            in_words(&self.simulated)
        );
        found.push(Observation::new(Detector::Oclgrind(Part::All), Detection::NotRun, says));
        Ok(found)
    }

    /// The same in a case that no file says, where what could not be tried is nothing against the
    /// kernel, nor for it.
    fn simulate_beside(&self, case: &Case) -> Result<Vec<Observation>> {
        let mut found = self.check.simulated(case)?;
        found.retain(Observation::is_fault);
        if found.iter().any(|one| one.hung) {
            return Ok(Vec::new());
        }
        let (at, words) = (in_words(&case.sizes), case.origin.words().unwrap_or_default());
        for one in &mut found {
            one.says = format!("at {at}, {words}: {}", one.says);
        }
        Ok(found)
    }

    fn print_json(&self, checked: &Checked, traffic: Option<&Traffic>) -> Result<()> {
        let subject = self.check.subject;
        let (verdict, says) = self.verdict(checked);
        let line = json!({
            "file": self.options.file,
            "kernel": subject.kernel(),
            "lesson": subject.form.lesson,
            "launched": subject.launched,
            "simulated": in_words(&self.simulated),
            "seed": self.options.how.seed,
            "observations": checked.seen.observations,
            "verdict": verdict,
            "says": says,
            "untried": self.untried,
            "memory": traffic.map(|traffic| &traffic.json),
        });
        Ok(writeln!(Out, "{line}")?)
    }

    /// What follows from what all detectors saw: as all tools have it, and in words.
    fn verdict(&self, checked: &Checked) -> (inspect::judge::Verdict, &'static str) {
        use inspect::judge::Verdict::*;
        let seen = &checked.seen;
        let is_unjudged = |one: &Observation| one.outcome == Detection::NotJudged;
        let sound = match seen.observations.iter().any(is_unjudged) {
            true => Unchecked,
            false => Right,
        };
        match checked.verdict {
            _ if self.limited.is_some() => (Limited, inspect::judge::LIMITED),
            Verdict::NotRun => (self.on_device, "not decided: it did not run"),
            Verdict::Done => (sound, "nothing is found against it"),
            Verdict::Unproven => (
                sound,
                "nothing is found against its result; whether it races, or reads and writes where \
                 it may not, nobody has looked, or not with certainty",
            ),
            Verdict::NotYet | Verdict::Untouched => {
                let of_build = [Wrong, Unlaunchable][usize::from(seen.status == 4)];
                (of_build, "something is wrong with it")
            }
        }
    }
}

/// The exit status of a kernel that does not build, or has other arguments.
const DOES_NOT_BUILD: u8 = 4;

/// What was seen, what follows, and the next thing to try.
fn tell(inspection: &Inspection, checked: &Checked) -> Result<()> {
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
            let mut words = format!("Oclgrind at {}:", in_words(size));
            if inspection.check.subject.task().is_some_and(|task| task.hides_groups(size)) {
                words +=
                    " one group, so nothing between groups is seen; next: a size of a few groups";
            }
            writeln!(Out, "    {}", beside(&words, 4).dimmed())?;
        }
        let mut told = one.clone();
        let before = all[..at].last().filter(|_| one.is_fault());
        if before.is_some_and(|it| it.says == one.says && it.details == one.details) {
            (told.says, told.details) = ("the same".into(), Vec::new());
        }
        told.print(&told.outcome.mark(), &told.says)?;
    }
    Ok(())
}
