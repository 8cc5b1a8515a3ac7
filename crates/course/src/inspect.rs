//! `course inspect`: every detector on a kernel of the learner's own, for any fault that
//! it may have, and its memory traffic.

use std::{io::Write, path::PathBuf, process::ExitCode};

use ::inspect::judge::{
    self, Case, Check, Detection, Detector, How, LaunchFlags, Observation, Reason, Results, Seen,
    Subject,
};
use ::inspect::{launched::Wanted, trace};
use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::{Out, plain_name, wrap::beside};
use serde_json::{Value, json};
use task::sizes::{Sizes, in_words};
use verify::element::Type;
use watchdog::simulator::oclgrind;

use crate::run::{head, limited_to, verdict};
use crate::{game::sign_of_life, game::verdict::Verdict};

/// The exit status of a kernel that does not build, or has other arguments.
const DOES_NOT_BUILD: u8 = 4;
/// Sides of a product: a few groups, whose rows begin with a sector.
const SIDE: usize = 32;
/// Elements of vectors.
const LENGTH: usize = 1024;
/// Of a kernel that ran: its result is right, or wrong, or there is no other device.
const RAN: [u8; 3] = [0, 1, 3];

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
        let sizes = subject.sizes(options.sizes.as_deref())?;
        let check = Check { subject, how, ty: *ty, sizes, times: false };
        let simulated = check.sizes_to_simulate()?.swap_remove(0);
        if !how.json {
            head(file, subject, how.seed)?;
        }
        let waiting = sign_of_life(how.timeout);
        let inspection = Inspection::of(options, check, simulated);
        let traffic = inspection.as_ref().ok().and_then(Inspection::traffic);
        waiting.finish_and_clear();
        let inspection = inspection?;
        all.push(inspection.seen.status);
        if how.json {
            inspection.print_json(traffic)?;
            continue;
        }
        inspection.tell()?;
        if let Some((text, _)) = traffic {
            writeln!(Out, "{}\n{text}", "Memory traffic".bold())?;
        }
    }
    Ok(ExitCode::from(common::error::worst(all)))
}

/// One kernel, how it is launched, and what all detectors saw.
struct Inspection<'a> {
    options: &'a InspectArgs,
    check: Check<'a>,
    seen: Seen,
    verdict: Verdict,
    /// The size at which the simulator looks.
    simulated: Sizes,
    /// Whether the simulator came to no end.
    is_too_slow: bool,
    /// Where alone it is wrong, of a kernel that is right as its file says.
    limited: Option<(Case, Reason)>,
    /// The device's alone.
    results: Results,
}

impl<'a> Inspection<'a> {
    /// Runs every detector.
    fn of(options: &'a InspectArgs, check: Check<'a>, simulated: Sizes) -> Result<Self> {
        let results = check.results()?;
        let mut one = Inspection {
            options,
            seen: results.seen(),
            verdict: Verdict::NotRun,
            simulated,
            is_too_slow: false,
            limited: None,
            check,
            results,
        };
        let known = one.results.tried.iter().filter(|one| !one.case.is_try());
        let mut of_drawn = one.seen.observations.split_off(known.count());
        let beside = one.results.beside();
        let is_faulty = |seen: &[Observation]| seen.iter().any(Observation::is_fault);
        if one.results.may_be_simulated() {
            let simulated = one.simulate()?;
            one.seen.observations.extend(simulated);
            if let (Some(case), false) = (&beside, is_faulty(&one.seen.observations)) {
                of_drawn.extend(one.simulate_beside(case)?);
            }
        }
        let is_right = !is_faulty(&one.seen.observations);
        if is_right && is_faulty(&of_drawn) && one.check.subject.has_file() {
            let reason = one.results.wrong().map_or(Reason::Fault, |_| one.results.reason);
            one.limited = beside.map(|case| (case, reason));
        }
        one.seen.observations.extend(of_drawn);
        one.verdict = Verdict::of(&one.seen.observations, true, true);
        one.seen.status = match one.limited {
            Some(_) => 1,
            None => one.verdict.status(one.seen.status),
        };
        Ok(one)
    }

    /// What the simulator sees: at the first size, or at the next where that takes too long.
    fn simulate(&mut self) -> Result<Vec<Observation>> {
        let seen = &self.seen.observations;
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
        found.push(Observation::new(Detector::Oclgrind, Detection::NotRun, says));
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

    fn print_json(&self, traffic: Option<(String, Value)>) -> Result<()> {
        let subject = self.check.subject;
        let (verdict, says) = self.verdict();
        let line = json!({
            "file": self.options.file,
            "kernel": subject.kernel(),
            "lesson": subject.form.lesson,
            "launched": subject.launched,
            "simulated": in_words(&self.simulated),
            "seed": self.options.how.seed,
            "observations": self.seen.observations,
            "verdict": verdict,
            "says": says,
            "untried": self.results.untried,
            "memory": traffic.map(|(_, json)| json),
        });
        Ok(writeln!(Out, "{line}")?)
    }

    /// What follows from what all detectors saw: as all tools have it, and in words.
    fn verdict(&self) -> (judge::Verdict, &'static str) {
        use judge::Verdict::*;
        let is_unjudged = |one: &Observation| one.outcome == Detection::NotJudged;
        let sound = match self.seen.observations.iter().any(is_unjudged) {
            true => Unchecked,
            false => Right,
        };
        match self.verdict {
            _ if self.limited.is_some() => (Limited, judge::LIMITED),
            Verdict::NotRun => {
                (self.results.verdict(self.check.subject), "not decided: it did not run")
            }
            Verdict::Done => (sound, "nothing is found against it"),
            Verdict::Unproven => (
                sound,
                "nothing is found against its result; whether it races, or reads and writes where \
                 it may not, nobody has looked, or not with certainty",
            ),
            Verdict::NotYet | Verdict::Untouched => {
                let of_build =
                    [Wrong, Unlaunchable][usize::from(self.seen.status == DOES_NOT_BUILD)];
                (of_build, "something is wrong with it")
            }
        }
    }

    /// Traces a kernel that came to its end; none where it did not, or nothing can trace.
    fn traffic(&self) -> Option<(String, Value)> {
        let hangs = self.seen.observations.iter().any(|one| one.hung);
        if hangs || self.is_too_slow || !RAN.contains(&self.seen.status) || oclgrind().is_none() {
            return None;
        }
        Some(self.count().unwrap_or_else(|error| {
            let json = json!({ "not_counted": error.to_string() });
            (format!("  not counted: {error}\n"), json)
        }))
    }

    fn count(&self) -> Result<(String, Value)> {
        let subject = self.check.subject;
        let side = if subject.is_on_vectors() { LENGTH } else { SIDE };
        let size = match (subject.has_file(), self.check.small_size()) {
            (true, _) => in_words(&self.simulated),
            (false, small) => small.map_or(side.to_string(), in_words),
        };
        let work = subject.launch(Some(&size))?;
        let wanted = Wanted {
            kernel: subject.kernel().into(),
            source: Some(subject.form.kernel.clone()),
            ty: self.options.ty,
            size: Some(size.clone()).filter(|_| subject.task().is_none()),
            ..Wanted::default()
        };
        let traced = trace::trace(&wanted, work, trace::Model::default())?;
        let mut json = traced.json();
        json["worst"] = json!(traced.worst());
        let worst = traced.worst().map(|worst| format!("The worst: {worst}."));
        let worst = worst.unwrap_or("No request takes more than it must.".into());
        let by = match self.options.launch == LaunchFlags::default() {
            true => "",
            false => ", with your flags of the launch",
        };
        let file = plain_name(&self.options.file.to_string_lossy());
        let what = match subject.has_file() {
            true => file,
            false => format!("{} --source {file}", subject.kernel()),
        };
        let text = format!(
            "{}\n  {}\n  Line by line{by}:\n    {}\n",
            traced.operands(),
            beside(&worst, 2),
            format!("cargo course trace {what} --size {size}").cyan()
        );
        Ok((text, json))
    }

    /// What was seen, what follows, and the next thing to try.
    fn tell(&self) -> Result<()> {
        let (subject, all) = (self.check.subject, &self.seen.observations);
        let simulated = all
            .iter()
            .position(|one| matches!(one.detector, Detector::Simulated | Detector::Faults(_)));
        // Each detector's answer; a fault that the one before it told already is not told again.
        for (at, one) in all.iter().enumerate() {
            if Some(at) == simulated {
                let size = &self.simulated;
                let mut words = format!("Oclgrind at {}:", in_words(size));
                if subject.task().is_some_and(|task| task.hides_groups(size)) {
                    words += " one group, so nothing between groups is seen; next: a size of a few \
                              groups";
                }
                writeln!(Out, "    {}", beside(&words, 4).dimmed())?;
            }
            let mut told = one.clone();
            let before = all[..at].last().filter(|_| one.is_fault());
            if before.is_some_and(|it| it.says == one.says && it.details == one.details) {
                (told.says, told.details) = ("the same".into(), Vec::new());
            }
            told.print(&told.outcome.mark())?;
        }
        let words = beside(&format!("{}: {}", subject.kernel(), self.verdict().1), 2);
        verdict(&self.verdict.shown(&words).to_string(), &self.results.untried)?;
        let is_guessed = subject.task().is_some() && !subject.has_file();
        let has_run = self.seen.status != DOES_NOT_BUILD;
        if is_guessed && has_run && self.verdict == Verdict::NotYet {
            let says = "If it is to be launched in another way, say so in a task file; a draft of \
                        one: cargo course spec FILE.cl";
            writeln!(Out, "  {}", beside(says, 2))?;
        }
        if let Some((case, reason)) = &self.limited {
            limited_to(&self.options.file, case, *reason, self.options.how.seed)?;
        }
        writeln!(Out)?;
        self.seen.tell_why_not();
        Ok(Out.flush()?)
    }
}
