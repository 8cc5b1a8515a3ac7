//! A task in parts: a launch for each of them. All of it is timed by the wall clock, since half of
//! it is the host's time.

use std::rc::Rc;

use common::error::{During, Error, Result};
use common::outcome::Outcome;
use common::record::Record;
use common::session::Session;
use common::timing::measure;
use lesson::Lesson;
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CommandQueue};
use task::{Arg, Task};
use verify::poison::Poison;

use crate::recorded::Recorded;

/// A row of the table: the task with a launch for each of its `parts`, whose number is the kernel's
/// first argument: each when the one before has ended, or as its variant says. Each has a kernel
/// object of its own, with its arguments: PoCL 3.1 records a kernel, but takes the arguments that
/// it has when all is enqueued.
pub fn row(lesson: &mut Lesson, task: &mut Task) -> Result<()> {
    let parts = task.plan()?.scope.get("parts").unwrap_or_default() as usize;
    let launch = task.launches.remove(0);
    let of = |part| {
        let mut one = launch.clone();
        one.args[0] = Arg::int("first", part);
        one
    };
    task.launches = (0..parts).map(of).collect();
    let Some(mut record) = lesson.begins(task)? else {
        return Ok(());
    };
    let done = run(lesson, task, &mut record);
    let record = record.after(done)?;
    lesson.row(record)
}

fn run(lesson: &mut Lesson, task: &Task, record: &mut Record) -> Result<Outcome> {
    let (plan, kernels) = lesson.build(task, record)?;
    // They are all the same kernel, of which no part is told alone.
    record.helpers.clear();
    let ready = lesson.bind(task, plan, kernels)?;
    let (runs, session) = (lesson.runs()?, lesson.session()?);
    let (mut other, mut recorded) = (None, None);
    match &*task.variant {
        "out of order" => other = Some(out_of_order(&session)?),
        "command buffer" => recorded = Some(Recorded::of(&session, &ready.launches)?),
        _ => (),
    }
    let queue = other.as_ref().unwrap_or(&session);
    let all = || {
        match &recorded {
            Some(recorded) => recorded.enqueue()?,
            None => drop(queue.launch_all(&ready.launches)?),
        }
        queue.finish().map(|()| Vec::new())
    };
    ready.poison(&session, Poison::Nan)?;
    all()?;
    let results = ready.read(&session)?;
    let compared = ready.check(&session, &results)?;
    if let Some(runs) = runs {
        let again = |_| ready.poison(&session, Poison::Nan);
        record.timed(&measure(runs, None, again, all)?, ready.plan.work, None);
        ready.check_again(&session, (compared, &results))?;
    }
    Ok(Outcome::right(compared))
}

/// The same device in the same context, with a queue that may run launches at the same time.
fn out_of_order(session: &Session) -> Result<Session> {
    let (device, how) = (session.device.cl(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if device.queue_on_host_properties().unwrap_or_default() & how == 0 {
        return Err(Error::skipped("the device has no queue out of order"));
    }
    let (context, device) = (session.context.clone(), session.device.clone());
    let mut other = Session::open_in(context, device, Rc::new(()))?;
    let id = other.device.cl().id();
    #[allow(deprecated)] // the call that drivers of every version have
    // SAFETY: the id is a device's, and OpenCL refuses one that the context does not have.
    let queue = unsafe { CommandQueue::create(&other.context, id, how) };
    other.queue = queue.during("creating a queue out of order")?;
    Ok(other)
}
