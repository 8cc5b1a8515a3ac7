//! `course inspect`: every detector on a kernel of the learner's own, for any fault that
//! it may have, and its memory traffic.

mod screen;
mod sizes;
mod traffic;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;
use common::element::Type;
use serde_json::json;
use text::Out;

use crate::game::how::{Checked, How, Seen, sign_of_life};
use crate::game::verdict::Verdict;
use crate::observation::{Detection, Observation};
use crate::run;
use crate::subject::{By, LaunchFlags, Subject};
use crate::task::child::Purpose;
use crate::task::sizes::{Sizes, in_words};
use crate::trial::Trial;
use traffic::Traffic;

/// The flags of `course inspect`.
#[derive(clap::Args)]
pub struct Options {
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
pub fn inspect(options: &Options) -> Result<ExitCode> {
    let Options {
        file,
        only,
        launch,
        ty,
        how,
        ..
    } = options;
    let subjects = Subject::all(file, only, launch, *ty, how)?;
    let mut worst = 0;
    for subject in subjects {
        let mut inspection = Inspection {
            options,
            subject,
            simulated: Vec::new(),
            is_limited: false,
            more: None,
        };
        inspection.simulated = inspection.sizes_to_simulate();
        worst = worst.max(inspection.show()?);
    }
    Ok(ExitCode::from(worst))
}

/// One kernel, and how it is launched.
struct Inspection<'a> {
    options: &'a Options,
    subject: Subject,
    /// Where the simulator looks: at the first, or at the next where that takes too long.
    simulated: Vec<String>,
    /// Whether it is right as its file says, and wrong at a drawn size.
    is_limited: bool,
    /// What is to be said of drawn sizes.
    more: Option<String>,
}

impl Inspection<'_> {
    /// Runs every detector, and tells what they saw; the exit status.
    fn show(&mut self) -> Result<u8> {
        let json = self.options.how.json;
        if !json {
            screen::head(self)?;
        }
        let waiting = sign_of_life(self.options.how.timeout);
        let checked = self.check();
        let traffic = checked.as_ref().map(|checked| self.traffic(checked));
        waiting.finish_and_clear();
        let (traffic, checked) = (traffic.ok().flatten(), checked?);
        if json {
            self.print_json(&checked, traffic.as_ref())?;
        } else {
            screen::checked(self, &checked)?;
            traffic.map_or(Ok(()), |traffic| traffic.print())?;
        }
        Ok(checked.seen.status)
    }

    fn check(&mut self) -> Result<Checked> {
        let mut seen = self.trial(self.sizes()?)?;
        while self.simulated.len() > 1 && is_too_slow(&seen.observations) {
            self.simulated.remove(0);
            seen.observations.retain(|one| !one.is_of_simulator());
            let again = self.trial(Vec::new())?.observations.into_iter();
            let is_new = |one: &Observation| one.outcome != Detection::NotJudged;
            seen.observations.extend(again.filter(is_new));
        }
        if is_too_slow(&seen.observations) {
            let is_silent = |one: &Observation| one.outcome != Detection::Fault;
            let is_end = |one: &Observation| one.is_of_results() || is_silent(one);
            let all = &mut seen.observations;
            all.retain(|one| !(one.is_of_simulator() && is_end(one)));
            all.push(self.not_looked_at());
        }
        if seen
            .observations
            .iter()
            .all(|one| one.outcome != Detection::Fault)
        {
            self.try_more(&mut seen)?;
        }
        let verdict = Verdict::of(&seen.observations, true, true);
        seen.status = verdict.status(seen.status);
        Ok(Checked { seen, verdict })
    }

    /// Tries sizes that the task file does not say; the simulator looks at the first.
    fn try_more(&mut self, seen: &mut Seen) -> Result<()> {
        let By::Task(task, Some(_), _) = &self.subject.by else {
            return Ok(());
        };
        let drawn = task.drawn(self.options.how.seed);
        let Some(first) = drawn.first().filter(|_| self.options.sizes.is_none()) else {
            return Ok(());
        };
        let words = drawn.iter().map(in_words).collect();
        let simulated = vec![in_words(first)];
        let before = std::mem::replace(&mut self.simulated, simulated);
        let tried = self.trial(words)?.observations;
        // What could not be tried is nothing against the kernel, nor for it.
        let ran = tried.into_iter().filter(|one| {
            let is_telling = one.is_of_results() && !one.is_of_simulator();
            one.outcome == Detection::Fault || is_telling && one.outcome == Detection::Silent
        });
        let mut ran: Vec<Observation> = ran.collect();
        if is_too_slow(&ran) {
            ran.retain(|one| !one.is_of_simulator());
        }
        let fault = ran.iter().find(|one| one.outcome == Detection::Fault);
        self.is_limited = fault.is_some();
        if let Some(fault) = fault {
            let is_it = |sizes: &&Sizes| fault.detector.ends_with(&in_words(sizes));
            let size = drawn.iter().find(is_it).unwrap_or(first);
            let (file, seed) = (&self.options.file, self.options.how.seed);
            self.more = Some(run::limited(file, size, true, seed));
        }
        let at = std::mem::replace(&mut self.simulated, before).swap_remove(0);
        for one in &mut ran {
            if one.is_of_simulator() {
                one.says = format!("at {at}, drawn: {}", one.says);
            } else {
                one.detector += ", drawn";
            }
        }
        seen.observations.extend(ran);
        Ok(())
    }

    fn trial(&self, sizes: Vec<String>) -> Result<Seen> {
        let trial = Trial {
            command: &|size| self.command(size),
            device: self.options.how.device.clone(),
            sizes,
            simulated: self.simulated().into(),
        };
        trial.run()
    }

    /// The program that checks the kernel once at a size.
    fn command(&self, size: &str) -> Result<Command> {
        let Options { how, ty, .. } = self.options;
        let mut command = self.subject.program(Some(size), Purpose::Results)?;
        command
            .args(["--json", "--runs", "0", "--type", ty.name()])
            .args(["--seed", &how.seed.to_string()])
            .args(["--timeout", &how.timeout.to_string()]);
        Ok(command)
    }

    fn print_json(&self, checked: &Checked, traffic: Option<&Traffic>) -> Result<()> {
        let lesson = match &self.subject.by {
            By::Lesson(lesson) => Some(lesson.number),
            By::Task(..) => None,
        };
        let line = json!({
            "file": self.options.file,
            "kernel": self.subject.kernel,
            "lesson": lesson,
            "launched": self.subject.launched(),
            "simulated": self.simulated(),
            "seed": self.options.how.seed,
            "observations": checked.seen.observations,
            "verdict": if self.is_limited { run::Verdict::Limited } else { word(checked) },
            "says": if self.is_limited { run::LIMITED } else { screen::verdict(checked.verdict) },
            "memory": traffic.map(Traffic::json),
        });
        Ok(writeln!(Out, "{line}")?)
    }
}

/// Whether the device came to its end, and the simulator did not.
fn is_too_slow(seen: &[Observation]) -> bool {
    let hangs = |one: &&Observation| one.says.starts_with("no end after");
    let mut hung = seen.iter().filter(hangs).peekable();
    hung.peek().is_some() && hung.all(Observation::is_of_simulator)
}

/// The verdict as all tools have it.
fn word(checked: &Checked) -> run::Verdict {
    let mut seen = checked.seen.observations.iter();
    match checked.verdict {
        Verdict::NotRun => run::Verdict::Unlaunchable,
        _ if checked.seen.status == 4 => run::Verdict::Unlaunchable,
        Verdict::NotYet | Verdict::Untouched => run::Verdict::Wrong,
        _ if seen.any(|one| one.outcome == Detection::NotJudged) => run::Verdict::Unchecked,
        _ => run::Verdict::Right,
    }
}
