//! The process in which a task runs: a lesson of one kernel. The course starts itself again
//! for it, with an environment variable.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Context;
use common::error::{Error, Result};
use common::outcome::{Outcome, Skip};
use common::session::Need;
use common::stage::Stage;
use lesson::{Lesson, lesson};
use process::simulator::oclgrind;
use process::{Finished, child_status, simulator};
use serde::{Deserialize, Serialize};
use task::{Buffer, Fill, Right, Task};
use verify::element::Type;

use super::beside::make_fills;
use super::other::{Other, reversed};
use super::reference::refer;
use crate::how::How;
use task::file::TaskFile;
use task::signature::Signature;
use task::sizes::Sizes;

/// Set to what is asked for.
const VARIABLE: &str = "OPENCL_COURSE_TASK";

/// After so long no other numbers are tried.
const LONG: Duration = Duration::from_secs(20);

/// What the host does before any kernel runs.
pub(crate) const FILLING: &str = "filling the buffers";

/// What is asked of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// What the driver tells of the kernels.
    Signatures,
    /// Right results, and times where these are asked for.
    Results,
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
pub(crate) struct Run {
    /// The task.
    pub task: TaskFile,
    /// Its sizes.
    pub sizes: Sizes,
    /// Seed of the inputs; none where the lesson's own flag says it.
    pub seed: Option<u64>,
    /// In what it differs from what the file says.
    pub other: Option<Other>,
    /// Whether nobody says that it is for this.
    pub is_try: bool,
    /// What its record says of it.
    pub says: String,
    /// Whether it is timed, where anything is.
    pub timed: bool,
}

impl Run {
    /// A task at these sizes.
    pub(crate) fn of(task: &TaskFile, sizes: Sizes) -> Run {
        Run {
            task: task.clone(),
            sizes,
            seed: None,
            other: None,
            is_try: false,
            says: String::new(),
            timed: true,
        }
    }
}

/// The course itself, as the process in which tasks run, by a lesson's flags. Who looks at a
/// launch names the file.
pub(crate) fn command(runs: Vec<Run>, purpose: Purpose) -> anyhow::Result<Command> {
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

/// The flags of a check, as a lesson has them, for a program that takes these.
pub(crate) fn flags<'c>(command: &'c mut Command, how: &How, times: bool) -> &'c mut Command {
    let color = !how.json && colored::control::SHOULD_COLORIZE.should_colorize();
    command
        .stdin(Stdio::null())
        .args(["--json", "--timeout", &how.timeout.to_string()])
        .args(["--seed", &how.seed.to_string()])
        .args(["--color", if color { "always" } else { "never" }]);
    if !times {
        command.args(["--runs", "0"]);
    }
    command
}

/// Runs such a program to its end, on the device that is asked for.
pub(crate) fn on_device(command: &mut Command, how: &How) -> anyhow::Result<Finished> {
    let device = how.device.iter().flat_map(|device| ["--device", device]);
    Finished::of(command.args(device))
}

/// A task at these sizes, checked and timed in a process of its own.
///
/// # Errors
/// When that cannot be started.
pub fn timed(task: &TaskFile, sizes: &Sizes, how: &How) -> anyhow::Result<Finished> {
    let mut command = command(vec![Run::of(task, sizes.clone())], Purpose::Results)?;
    on_device(flags(&mut command, how, true), how)
}

/// What the driver tells of a file's kernels, within the time that `how` says. Where there is no
/// device the simulator is asked.
///
/// # Errors
/// As the process ended: no device, a file that does not build.
pub(crate) fn signatures(task: &TaskFile, ty: Type, how: &How) -> anyhow::Result<Vec<Signature>> {
    let command = || -> anyhow::Result<Command> {
        let runs = vec![Run::of(task, Sizes::new())];
        let mut command = command(runs, Purpose::Signatures)?;
        flags(&mut command, how, false).args(["--in-all", "--type", ty.name()]);
        Ok(command)
    };
    let mut child = on_device(&mut command()?, how)?;
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
    if is_timed {
        lesson.table("GB/s")?;
    }
    let began = Instant::now();
    let (mut first, mut is_sound) = (None, true);
    for run in &asked.runs {
        if !run.is_try {
            is_sound = lesson.console.is_sound();
        } else if !is_sound {
            break;
        }
        first = first.or(run.other.map(|_| began.elapsed()));
        let of_others = first.map_or(Duration::ZERO, |first| began.elapsed() - first);
        one(
            lesson,
            run,
            asked.purpose,
            is_timed && run.timed,
            of_others > LONG,
        )?;
    }
    Ok(())
}

/// One run; `is_long` says that other numbers took their time already.
fn one(
    lesson: &mut Lesson,
    run: &Run,
    purpose: Purpose,
    is_timed: bool,
    is_long: bool,
) -> Result<()> {
    let file = &run.task;
    let defines: Vec<(String, usize)> = file.define.clone().into_iter().collect();
    let program = lesson.program(&defines)?;
    let source = lesson.source()?;
    let all = lesson.signatures(&program, &source, &defines)?;
    if purpose == Purpose::Signatures {
        return lesson.console.report.json(&all);
    }
    let seed = run.seed.unwrap_or(lesson.flags().seed);
    let made = match is_long {
        true => Err(Error::Skipped(Skip::TooLong)),
        false => made(lesson, run, seed, &all, purpose),
    };
    let made = match made {
        // What the file does not say its reference, or a launch, need not be for.
        Err(Error::Usage(why)) if run.is_try => Err(Error::skipped(why)),
        made => made,
    };
    let task = match made {
        Err(Error::Skipped(why)) => {
            let record = lesson.record_of(&Task::default())?;
            return lesson.console.row(record.skip(why));
        }
        made => made?,
    };
    if run.other == Some(Other::Reversed) {
        return in_reverse(lesson, &task);
    }
    if is_timed {
        return lesson.measure_task(&task);
    }
    lesson.console.doing(Stage::running(&task.kernel))?;
    let record = lesson.checked(&task)?;
    lesson.console.row(record)
}

/// Runs a task with its groups in reverse, where that may make a difference.
fn in_reverse(lesson: &mut Lesson, task: &Task) -> Result<()> {
    let record = lesson.record_of(task)?;
    let done = right_in_reverse(lesson, task);
    lesson.console.row(record.after(done)?)
}

fn right_in_reverse(lesson: &mut Lesson, task: &Task) -> Result<Outcome> {
    let source = reversed(&lesson.source()?, task);
    let source = source.ok_or_else(|| Error::skipped("groups do not meet"))?;
    let ready = match lesson.prepared(task, &source) {
        Err(Error::Build(why)) => return Err(Error::skipped(why)),
        ready => ready?,
    };
    let session = lesson.session()?;
    lesson.console.doing(Stage::running(&task.kernel))?;
    ready.poison(&session)?;
    session.run(&ready.launches)?;
    let right = ready.check(&session, &ready.read(&session)?)?;
    Ok(right.into())
}

/// The task of a run, with what is right.
fn made(
    lesson: &mut Lesson,
    run: &Run,
    seed: u64,
    all: &[Signature],
    purpose: Purpose,
) -> Result<Task> {
    let file = &run.task;
    let mut task = file.task(&run.sizes, seed, all)?;
    must_fit(lesson, &task)?;
    make_fills(lesson, &mut task)?;
    let mut before = task.clone();
    if let Some(other) = run.other
        && !other.put_into(&mut task, file)?
    {
        return Err(Error::Usage("the file names all of them".into()));
    }
    lesson.console.doing(Stage::Filling)?;
    evaluate_fills(&mut task)?;
    if purpose == Purpose::Launch && file.product.is_none() {
        task.right = Right::Unchecked;
    } else {
        let is_ordinary = matches!(run.other, None | Some(Other::Reversed));
        refer(lesson, &mut task, file, !is_ordinary)?;
    }
    if run.other == Some(Other::Scalars) {
        refer(lesson, &mut before, file, true)?;
        if let (Right::Same(before), Right::Same(after)) = (&before.right, &task.right) {
            let mut all = before.iter().zip(after);
            if all.all(|((_, one), (_, other))| one.has_same(other)) {
                return Err(Error::Usage("the reference does not look at them".into()));
            }
        }
    }
    if !run.says.is_empty() {
        task.says.clone_from(&run.says);
    }
    Ok(task)
}

/// Evaluates the formulas of fills once: each run of a reference would do it again.
fn evaluate_fills(task: &mut Task) -> Result<()> {
    let held = task.held()?.into_iter();
    let mut held: BTreeMap<_, _> = held.map(|(name, all)| (name.to_string(), all)).collect();
    for buffer in &mut task.buffers {
        if let Some(Fill::Each(_)) = buffer.role.fill()
            && let Some(elements) = held.remove(&buffer.name)
        {
            let fill = Fill::Made(buffer.role.from(), Rc::new(elements));
            buffer.role.refill(fill);
        }
    }
    Ok(())
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
    let session = lesson.session()?;
    for (buffer, [room, _]) in sizes.clone() {
        if let Some(image) = buffer.image_of(*room) {
            let fits = session.must_hold(&image);
            fits.map_err(|why| Error::Usage(format!("args: {}: {why}", buffer.name)))?;
        }
    }
    let needs = sizes.map(|(buffer, [[rows, columns], _])| {
        Need::written((rows * columns * buffer.ty.size()) as u64)
    });
    let fits = session.must_have_room(needs, task.ty);
    fits.map_err(|error| {
        let why = error.to_string();
        Error::Usage(why.split("; try").next().unwrap_or_default().into())
    })
}
