//! What the course asks of workers: tasks and their cases, by a lesson's flags.

use std::time::Duration;

use anyhow::Result;
use common::error::Kind;
use common::failure::Failure;
use task::form::Form;
use task::signature::Signature;
use task::sizes::Sizes;
use verify::element::Type;
use watchdog::Orders;
use watchdog::simulator::{self, oclgrind};
use watchdog::worker::{Ended, Work};

use crate::judge::how::How;
use crate::judge::task::asked::{Asked, Case, Purpose};

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
    let orders = Orders::within(Duration::from_secs(how.timeout));
    Ok(how.staff.finish(work, &orders)?)
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
    let mut work = Asked::of(Purpose::Results, task, cases).work()?;
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
        let mut work = Asked::of(Purpose::Signatures, task, cases).work()?;
        flags(&mut work, how, false);
        work.args(["--type", ty.name()]);
        Ok(work)
    };
    let mut ended = on_device(work()?, how)?;
    let is_without = |failure: &Failure| failure.kind == Kind::NoDevice;
    if let (true, Some(library)) = (ended.failure.as_ref().is_some_and(is_without), oclgrind()) {
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
