//! `course inspect`: every detector on a kernel of the learner's own, for any fault that
//! it may have, and its memory traffic.

mod screen;
mod traffic;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;
use common::element::Type;
use common::shape::Shape;
use serde_json::json;
use text::Out;

use crate::exercises::spec::drawn_size;
use crate::game::how::{Checked, How, sign_of_life};
use crate::game::verdict::Verdict;
use crate::observation::Detection;
use crate::run;
use crate::subject::{By, LaunchFlags, Subject};
use crate::task::child::Purpose;
use crate::task::file::{FEW, sizes_in_words};
use crate::trial::{OTHER_SIZES, SIMULATED, Trial};
use traffic::Traffic;

/// Where most faults of indices show: three odd sides, none a multiple of a group's.
const ODD: &str = "37x91x53";
/// The same for what works on vectors, as lesson 2 does.
const LENGTHS: [&str; 2] = ["1303", "7"];

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
    let subjects = Subject::all(file, only, launch, *ty, how.device.as_deref())?;
    let mut worst = 0;
    for subject in subjects {
        let inspection = Inspection { options, subject };
        worst = worst.max(inspection.show()?);
    }
    Ok(ExitCode::from(worst))
}

/// One kernel, and how it is launched.
struct Inspection<'a> {
    options: &'a Options,
    subject: Subject,
}

impl Inspection<'_> {
    /// Runs every detector, and tells what they saw; the exit status.
    fn show(&self) -> Result<u8> {
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

    fn check(&self) -> Result<Checked> {
        let trial = Trial {
            command: &|size| self.command(size),
            device: self.options.how.device.clone(),
            sizes: self.sizes()?,
            simulated: self.simulated()?,
        };
        let mut seen = trial.run()?;
        let verdict = Verdict::of(&seen.observations, true, true);
        seen.status = verdict.status(seen.status);
        Ok(Checked { seen, verdict })
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

    fn is_on_vectors(&self) -> bool {
        match &self.subject.by {
            By::Lesson(lesson) => lesson.number == 2,
            By::Task(task, ..) => task.product.is_none() && task.size.len() == 1,
        }
    }

    /// Those that the learner asks for.
    fn own_sizes(&self) -> Vec<String> {
        let words = self.options.sizes.iter();
        let one = |words: &String| -> Vec<String> {
            if words.contains('=') {
                return vec![words.clone()];
            }
            words.split(',').map(String::from).collect()
        };
        words.flat_map(one).collect()
    }

    /// On the device.
    fn sizes(&self) -> Result<Vec<String>> {
        let own = self.own_sizes();
        if !own.is_empty() {
            return Ok(own);
        }
        if let By::Task(task, Some(_), _) = &self.subject.by {
            return Ok(task.all_sizes()?.iter().map(sizes_in_words).collect());
        }
        let drawn = drawn_size(self.options.how.seed);
        let (sizes, new): (Vec<&str>, String) = if self.is_on_vectors() {
            (LENGTHS.into(), (drawn.m * drawn.n).to_string())
        } else {
            let sizes = std::iter::once(ODD).chain(OTHER_SIZES);
            (sizes.collect(), drawn.to_string())
        };
        Ok(sizes.into_iter().map(String::from).chain([new]).collect())
    }

    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    fn small_size(&self) -> Option<String> {
        let is_small = |words: &&String| match words.parse::<Shape>() {
            Ok(size) if self.is_on_vectors() => size.m <= FEW,
            Ok(size) => size.terms() <= FEW,
            Err(_) => true,
        };
        self.own_sizes().iter().find(is_small).cloned()
    }

    /// At which the simulator looks for faults: of a task's sizes the largest that is small.
    fn simulated(&self) -> Result<String> {
        if let Some(small) = self.small_size() {
            return Ok(small);
        }
        if let By::Task(task, Some(_), _) = &self.subject.by {
            return Ok(sizes_in_words(&task.small()));
        }
        Ok(if self.is_on_vectors() {
            LENGTHS[0]
        } else {
            SIMULATED
        }
        .into())
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
            "simulated": self.simulated()?,
            "seed": self.options.how.seed,
            "observations": checked.seen.observations,
            "verdict": word(checked),
            "says": screen::verdict(checked.verdict),
            "memory": traffic.map(Traffic::json),
        });
        Ok(writeln!(Out, "{line}")?)
    }
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
