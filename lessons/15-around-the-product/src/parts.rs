//! A task in parts: a launch for each of them, or launches that are recorded once and enqueued
//! together, by `cl_khr_command_buffer`. All of it is timed by the wall clock, since half of it is the
//! host's time.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::{mem::transmute, rc::Rc};

use cl3::ext::{
    cl_command_buffer_khr, clCommandNDRangeKernelKHR_t, clCreateCommandBufferKHR_t,
    clEnqueueCommandBufferKHR_t, clFinalizeCommandBufferKHR_t, clReleaseCommandBufferKHR_t,
};
use common::error::{During, Error, Result};
use common::session::{Launch, Session};
use common::{outcome::Outcome, record::Record};
use lesson::Lesson;
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CommandQueue};
use task::{Arg, Task};
use verify::poison::Poison;

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
    let Some(mut record) = lesson.begins(task)? else { return Ok(()) };
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
        record.timed(&common::timing::measure(runs, None, again, all)?, ready.plan.work, None);
        ready.check_again(&session, (compared, &results))?;
    }
    Ok(Outcome::right(compared))
}

/// The same device in the same context, with a queue that may run launches at the same time.
fn out_of_order(session: &Session) -> Result<Session> {
    let (device, how) = (session.device.cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if device.queue_on_host_properties().unwrap_or_default() & how == 0 {
        return Err(Error::skipped("the device has no queue out of order"));
    }
    let (context, device) = (session.context.clone(), session.device.clone());
    let mut other = Session::open_in(context, device, Rc::new(()))?;
    let id = other.device.cl.id();
    #[allow(deprecated)] // the call that drivers of every version have
    // SAFETY: the id is a device's, and OpenCL refuses one that the context does not have.
    let queue = unsafe { CommandQueue::create(&other.context, id, how) };
    other.queue = queue.during("creating a queue out of order")?;
    Ok(other)
}

/// The extension that has command buffers.
const EXTENSION: &str = "cl_khr_command_buffer";

/// Where a function lies.
type Address = *mut c_void;

/// A command buffer, and the driver's functions for it.
struct Recorded {
    buffer: cl_command_buffer_khr,
    enqueue: clEnqueueCommandBufferKHR_t,
    release: clReleaseCommandBufferKHR_t,
}

impl Recorded {
    /// These launches, for a session's queue, and skipped where the driver has no command buffers.
    /// Each must have a kernel object of its own.
    fn of(session: &Session, launches: &[Launch]) -> Result<Recorded> {
        let device = session.device.cl;
        let extensions = device.extensions().unwrap_or_default();
        let platform = device.platform().during("asking for the platform")?;
        let address = |name: &CStr| {
            let library = cl3::load_library().as_ref().ok()?;
            library.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr())
        };
        let address = |name| address(name).unwrap_or(null_mut());
        let [create, add] =
            [c"clCreateCommandBufferKHR", c"clCommandNDRangeKernelKHR"].map(address);
        let finalize = address(c"clFinalizeCommandBufferKHR");
        let enqueue = address(c"clEnqueueCommandBufferKHR");
        let release = address(c"clReleaseCommandBufferKHR");
        // SAFETY: each address is null or a function of the extension, whose type cl3 has from its
        // header; null becomes None.
        let (create, add, finalize, enqueue, release) = unsafe {
            (
                transmute::<Address, clCreateCommandBufferKHR_t>(create),
                transmute::<Address, clCommandNDRangeKernelKHR_t>(add),
                transmute::<Address, clFinalizeCommandBufferKHR_t>(finalize),
                transmute::<Address, clEnqueueCommandBufferKHR_t>(enqueue),
                transmute::<Address, clReleaseCommandBufferKHR_t>(release),
            )
        };
        let is_named = extensions.split(' ').any(|one| one == EXTENSION);
        let (true, Some(create), Some(add), Some(finalize), Some(_)) =
            (is_named, create, add, finalize, enqueue)
        else {
            return Err(Error::skipped(format!("the driver has no {EXTENSION}")));
        };
        let (queue, mut status) = (session.queue.get(), 0);
        // SAFETY: one queue is given, and it is alive.
        let buffer = unsafe { create(1, &raw const queue, null(), &raw mut status) };
        must(status, "making a command buffer")?;
        let recorded = Recorded { buffer, enqueue, release };
        for launch in launches {
            let (kernel, range) = (&launch.kernel, &launch.range);
            let (global, local) = (range.global().as_ptr(), range.local().as_ptr());
            let dimension = range.global().len() as u32;
            // SAFETY: the buffer and the kernel are alive, and both lists have as many entries as
            // the dimension says. Null is the buffer's own queue, no offset, and nothing to wait for.
            #[rustfmt::skip]
            let status = unsafe {
                add(buffer, null_mut(), null(), kernel.get(), dimension, null(), global, local, 0,
                    null(), null_mut(), null_mut())
            };
            must(status, "recording a launch")?;
        }
        // SAFETY: the buffer is alive.
        must(unsafe { finalize(buffer) }, "ending a recording").map(|()| recorded)
    }

    /// Enqueues all that was recorded.
    fn enqueue(&self) -> Result<()> {
        // SAFETY: the buffer is alive; it goes to its own queue, waits for nothing, and no event is
        // asked for.
        let status = self.enqueue.map_or(0, |enqueue| unsafe {
            enqueue(0, null_mut(), self.buffer, 0, null(), null_mut())
        });
        must(status, "enqueuing a command buffer")
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if let Some(release) = self.release.filter(|_| !self.buffer.is_null()) {
            // SAFETY: the buffer is alive, and nobody can use it any more.
            unsafe { release(self.buffer) };
        }
    }
}

fn must(status: i32, during: &str) -> Result<()> {
    (if status == 0 { Ok(()) } else { Err(status) }).during(during)
}
