//! What the course asks of workers, by a lesson's flags: tasks, each of them once, and in what its
//! runs differ.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, FromArgMatches};
use common::error::Kind;
use serde::{Deserialize, Serialize};
use task::sizes::{FEW, Sizes, product};
use task::{form, form::Form, signature::Signature};
use verify::element::Type;
use watchdog::simulator;
use watchdog::worker::{Ended, Work};

use crate::judge::other::Other;

/// Seconds after which a launch is ended, unless the learner says otherwise.
pub const TIMEOUT: u64 = 20;

/// The largest seed: one that is quickly typed.
const SEEDS: u64 = 99_999;

/// Another one each time, so that no kernel can be right for a known one only.
fn new_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) / 7 % SEEDS)
}

/// How a kernel is run.
#[derive(Clone, Args)]
pub struct How {
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(short, long, value_name = "SELECTOR")]
    pub device: Option<String>,
    /// End a launch that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: u64,
    /// Draw from this seed what is new in each check: the numbers, and the size where no task
    /// file says it [default: a new seed]
    #[arg(long, value_name = "NUMBER", default_value_t = new_seed(), hide_default_value = true, value_parser = clap::value_parser!(u64).range(..=SEEDS))]
    pub seed: u64,
    /// Time nothing, so that no speed is judged: for a machine that is busy
    #[arg(long)]
    pub no_timing: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    pub raw_log: bool,
    /// Workers that stay for the next kernel
    #[arg(skip)]
    pub staff: watchdog::staff::Staff,
}

impl Default for How {
    fn default() -> How {
        let none = How::augment_args(clap::Command::new("")).get_matches_from([""]);
        How::from_arg_matches(&none).expect("each flag has a default")
    }
}

impl How {
    /// The flags that say the same.
    pub fn flags(&self) -> Vec<String> {
        let timeout = ["--timeout".to_string(), self.timeout.to_string()];
        let device = self.device.iter().flat_map(|one| ["--device".to_string(), one.clone()]);
        let rest = [("--no-timing", self.no_timing), ("--raw-log", self.raw_log)];
        let rest = rest.into_iter().filter(|one| one.1).map(|one| one.0.into());
        timeout.into_iter().chain(device).chain(rest).collect()
    }
}

/// What is asked of a worker.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Whether what the driver tells of the kernels is asked for, and nothing that they do.
    pub is_of_signatures: bool,
    /// All of one kernel file.
    pub tasks: Vec<Form>,
    /// The kernel that the file must define, where the learner was told its name.
    pub only: Option<String>,
    /// One after the other; each comes to one record.
    pub cases: Vec<Case>,
}

impl Asked {
    /// One task, in these cases.
    pub fn of(task: &Form, cases: Vec<Case>) -> Asked {
        Asked { tasks: vec![task.clone()], cases, ..Asked::default() }
    }

    /// The same for who looks at a launch from outside: but for a product nobody asks what is right.
    pub fn unchecked(mut self) -> Asked {
        for task in self.tasks.iter_mut().filter(|task| task.product.is_none()) {
            task.check = Some(form::Or::Plain("none".into()));
        }
        self
    }

    /// The worker that does it, by a lesson's flags.
    pub fn work(&self) -> Result<Work> {
        Ok(Work::of_task(serde_json::to_value(self)?)?)
    }
}

/// A kernel at a size.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Case {
    /// Which of the tasks.
    pub task: usize,
    /// Its sizes; none of a lesson's own.
    pub sizes: Sizes,
    /// Seed of the inputs; none where a flag says it.
    pub seed: Option<u64>,
    /// Who says that it is for this.
    pub origin: Origin,
    /// Whether it is timed, where anything is.
    pub timed: bool,
    /// What its record says of it.
    pub says: String,
}

/// Who says that a kernel is for a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The file, or the learner.
    #[default]
    Said,
    /// Nobody: its size was drawn.
    Drawn,
    /// Nobody: it has other numbers, or what else is no size.
    With(Other),
}

impl Case {
    /// The first task at these sizes.
    pub fn of(sizes: Sizes) -> Case {
        Case { sizes, timed: true, ..Case::default() }
    }

    /// What a task does not say: other sizes, and other numbers.
    pub(crate) fn tries(task: &Form, seed: u64) -> Vec<Case> {
        let drawn = task.drawn(seed);
        // What goes wrong in numbers may need many of them.
        let own = Some(&task.size).filter(|own| product(own) <= 2 * FEW);
        let own = own.or(drawn.first()).cloned();
        let own = own.unwrap_or_else(|| task.small());
        let others = match task.lesson {
            None => Other::ALL.map(|(other, _)| other).to_vec(),
            Some(_) => vec![Other::InTurn],
        };
        let others = others.into_iter();
        let others = others.map(|other| (own.clone(), Origin::With(other)));
        let sizes = drawn.into_iter().map(|sizes| (sizes, Origin::Drawn));
        let case = |(sizes, origin)| Case { origin, timed: false, ..Case::of(sizes) };
        sizes.chain(others).map(case).collect()
    }

    /// Whether nobody says that the kernel is for this.
    pub fn is_try(&self) -> bool {
        self.origin != Origin::Said
    }
}

impl Origin {
    /// Other numbers, if it has these.
    pub fn other(self) -> Option<Other> {
        match self {
            Origin::With(other) => Some(other),
            _ => None,
        }
    }

    /// How it differs from what the file says.
    pub fn words(self) -> Option<String> {
        match self {
            Origin::Said => None,
            Origin::Drawn => Some("drawn".into()),
            Origin::With(other) => Some(other.words()),
        }
    }
}

/// The flags of a check, as a lesson has them.
pub(crate) fn flags(work: &mut Work, how: &How, times: bool) {
    let color = !how.json && colored::control::SHOULD_COLORIZE.should_colorize();
    let (timeout, seed) = (how.timeout.to_string(), how.seed.to_string());
    work.args(["--json", "--timeout", &timeout, "--seed", &seed])
        .args(["--color", if color { "always" } else { "never" }]);
    if how.raw_log {
        work.arg("--raw-log");
    }
    if !times {
        work.args(["--runs", "0"]);
    }
}

/// Runs a worker on the device that is asked for.
pub(crate) fn on_device(mut work: Work, how: &How) -> Result<Ended> {
    if let Some(device) = &how.device {
        work.arg("--device").arg(device);
    }
    finish(work, how)
}

/// Runs a worker, or one that stayed, within the time that is given.
pub(crate) fn finish(work: Work, how: &How) -> Result<Ended> {
    Ok(how.staff.finish(work, Duration::from_secs(how.timeout))?)
}

/// Whether a worker that died dies again, but not where its threads have a larger stack.
pub(crate) fn wants_stack(work: &dyn Fn() -> Result<Work>, how: &How) -> Result<bool> {
    let ends = |work: Work| -> Result<bool> { Ok(on_device(work, how)?.status == 0) };
    Ok(ends(work()?.with_large_stack())? && !ends(work()?)?)
}

/// A task at these sizes, checked, and timed unless that is not wanted.
///
/// # Errors
/// When no worker can be started.
pub fn timed(task: &Form, sizes: &Sizes, how: &How) -> Result<Ended> {
    let cases = vec![Case::of(sizes.clone())];
    let mut work = Asked::of(task, cases).work()?;
    flags(&mut work, how, !how.no_timing);
    on_device(work, how)
}

/// What the driver tells of a file's kernels, within the time that `how` says. Where there is no
/// device the simulator is asked.
///
/// # Errors
/// As the worker ended: no device, a file that does not build.
pub(crate) fn signatures(task: &Form, ty: Type, how: &How) -> Result<Vec<Signature>> {
    let work = || -> Result<Work> {
        let cases = vec![Case::of(task.size.clone())];
        let asked = Asked { is_of_signatures: true, ..Asked::of(task, cases) };
        let mut work = asked.work()?;
        flags(&mut work, how, false);
        work.args(["--type", ty.name()]);
        Ok(work)
    };
    let mut ended = on_device(work()?, how)?;
    if ended.failure.as_ref().is_some_and(|failure| failure.kind == Kind::NoDevice)
        && let Some(library) = simulator::oclgrind()
    {
        let mut work = work()?;
        work.args(["--device", "oclgrind"]);
        simulator::as_written(&mut work, &library);
        ended = finish(work, how)?;
    }
    match ended.answers.pop() {
        Some(told) => Ok(serde_json::from_value(told)?),
        None => Err(ended.refused().into()),
    }
}
