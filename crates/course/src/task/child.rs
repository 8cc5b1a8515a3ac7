//! The process in which a task runs: a lesson of one kernel. The course starts itself again
//! for it, with an environment variable.

use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use common::element::Type;
use common::error::{Error, Result};
use common::session::Need;
use common::task::{Buffer, Right, Task};
use lesson::{Lesson, lesson};
use process::implementations::oclgrind;
use process::{Finished, child_status, simulator};
use serde::{Deserialize, Serialize};

use super::file::TaskFile;
use super::or::Or;
use super::reference::{make_fills, refer};
use super::signature::Signature;
use super::sizes::Sizes;
use crate::game::how::How;

/// Set to what is asked for.
const VARIABLE: &str = "OPENCL_COURSE_TASK";

/// What is asked of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// What the driver tells of the kernels.
    Signatures,
    /// Right results.
    Results,
    /// Times, which a simulator does not give.
    Times,
    /// One launch, for who looks at it from outside.
    Launch,
}

#[derive(Serialize, Deserialize)]
struct Asked {
    purpose: Purpose,
    runs: Vec<Run>,
}

/// A task that is run at a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The task.
    pub task: TaskFile,
    /// Its sizes; none where the lesson's own flag says them, of M, N and K.
    pub sizes: Option<Sizes>,
    /// Seed of the inputs; none where the lesson's own flag says it.
    pub seed: Option<u64>,
    /// With extreme numbers for random ones; not at all where nothing is random.
    pub extremes: bool,
    /// What its record says of it.
    pub says: String,
    /// Whether it is timed, where anything is.
    pub timed: bool,
}

impl Run {
    /// A task at these sizes.
    pub fn of(task: &TaskFile, sizes: Option<Sizes>) -> Run {
        Run {
            task: task.clone(),
            sizes,
            seed: None,
            extremes: false,
            says: String::new(),
            timed: true,
        }
    }
}

/// The course itself, as the process in which tasks run, by a lesson's flags. Who looks at a
/// launch names the file.
pub fn command(runs: Vec<Run>, purpose: Purpose) -> anyhow::Result<Command> {
    let this = process::this_program();
    let mut command = this.context("cannot find this program's own path")?;
    let kernel = runs.first().map(|run| run.task.kernel.clone());
    let asked = Asked { purpose, runs };
    command
        .env(VARIABLE, serde_json::to_string(&asked)?)
        .stdin(Stdio::null());
    if let Some(kernel) = kernel.filter(|_| purpose != Purpose::Launch) {
        command.arg("--source").arg(kernel);
    }
    Ok(command)
}

/// What the driver tells of a file's kernels, within the time that `how` says. Where there is no
/// device the simulator is asked.
///
/// # Errors
/// As the process ended: no device, a file that does not build.
pub fn signatures(task: &TaskFile, ty: Type, how: &How) -> anyhow::Result<Vec<Signature>> {
    let command = || -> anyhow::Result<Command> {
        let mut command = command(vec![Run::of(task, None)], Purpose::Signatures)?;
        command
            .args(["--json", "--runs", "0", "--type", ty.name(), "--in-all"])
            .args(["--timeout", &how.timeout.to_string()]);
        Ok(command)
    };
    let device = how.device.iter().flat_map(|device| ["--device", device]);
    let mut child = Finished::of(command()?.args(device))?;
    if let (3, Some(library)) = (child_status(child.status), oclgrind()) {
        child = Finished::of(simulator::aim(&mut command()?, &library))?;
    }
    let mut lines = child.stdout.lines();
    let told = lines.find_map(|line| serde_json::from_str(line).ok());
    told.ok_or_else(|| child.refused().into())
}

/// Runs a task, if this process was started for that.
pub fn run_if_asked() -> Option<ExitCode> {
    let asked: Asked = serde_json::from_str(&std::env::var(VARIABLE).ok()?).ok()?;
    Some(lesson(0, "a task", &[], |lesson| run(lesson, &asked)))
}

fn run(lesson: &mut Lesson, asked: &Asked) -> Result<()> {
    let is_timed = lesson.runs()?.is_some();
    if asked.purpose == Purpose::Times && !is_timed {
        return Ok(());
    }
    if is_timed {
        lesson.table("GB/s")?;
    }
    for run in &asked.runs {
        let is_right = one(lesson, run, asked.purpose, is_timed && run.timed)?;
        // A kernel that is wrong at one size may wreck the process at the next.
        if !is_right {
            break;
        }
    }
    Ok(())
}

/// One run; false where its result is wrong, or there is none.
fn one(lesson: &mut Lesson, run: &Run, purpose: Purpose, is_timed: bool) -> Result<bool> {
    let mut file = &run.task;
    let defines: Vec<(String, usize)> = file.define.clone().into_iter().collect();
    let program = lesson.program(&defines)?;
    let session = lesson.session()?;
    let all = Signature::all(&session, &program, &lesson.source()?, &defines)?;
    if purpose == Purpose::Signatures {
        lesson.console.report.json(&all)?;
        return Ok(true);
    }
    let sizes = match &run.sizes {
        Some(sizes) => sizes.clone(),
        None => by_flag(lesson, file)?,
    };
    let seed = run.seed.unwrap_or(lesson.flags().seed);
    let mut task = file.task(&sizes, seed, &all)?;
    let changed;
    if run.extremes {
        changed = file.with_extremes(&task);
        match &changed {
            Some(changed) => file = changed,
            None => return Ok(true),
        }
        task = file.task(&sizes, seed, &all)?;
    }
    must_fit(lesson, &task)?;
    make_fills(lesson, &mut task)?;
    match (&file.check, purpose) {
        (_, Purpose::Launch) if file.product.is_none() => task.right = Right::Unchecked,
        (Some(Or::Table(check)), _) => refer(lesson, &mut task, check, file.flops.as_ref())?,
        _ => (),
    }
    if !run.says.is_empty() {
        task.says.clone_from(&run.says);
    }
    if is_timed {
        lesson.measure_task(&task)?;
        return Ok(true);
    }
    lesson.console.doing(format!("running {}", task.kernel))?;
    let record = lesson.checked(&task)?;
    let is_right = record.verified;
    lesson.console.row(record)?;
    Ok(is_right)
}

/// The task's sizes as `--size` says them.
fn by_flag(lesson: &mut Lesson, task: &TaskFile) -> Result<Sizes> {
    let shape = lesson.shape()?;
    let sides = [("M", shape.m), ("N", shape.n), ("K", shape.k)];
    let sides = sides.map(|(name, side)| (name.to_string(), side));
    let own = sides
        .into_iter()
        .filter(|side| task.size.contains_key(&side.0));
    Ok(own.collect())
}

/// Refuses what has no room, before anything is allocated.
fn must_fit(lesson: &mut Lesson, task: &Task) -> Result<()> {
    let plan = task.plan()?;
    let sizes = task.buffers.iter().zip(&plan.shapes);
    let mut lengths = sizes
        .clone()
        .map(|(buffer, [[rows, columns], _])| (buffer, rows * columns));
    if let Some((buffer, _)) = lengths.find(|(_, length)| *length == 0) {
        let Buffer { name, shape, .. } = buffer;
        let why = format!(
            "args: the length of {name}, the formula \"{}\", is 0",
            shape[1]
        );
        return Err(Error::Usage(why));
    }
    let needs = sizes.map(|(buffer, [[rows, columns], _])| {
        Need::written((rows * columns * buffer.ty.size()) as u64)
    });
    let fits = lesson.session()?.must_have_room(needs, task.ty);
    fits.map_err(|error| {
        let why = error.to_string();
        Error::Usage(why.split("; try").next().unwrap_or_default().into())
    })
}
