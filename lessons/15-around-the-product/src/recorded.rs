//! Launches that are recorded once and enqueued together, by `cl_khr_command_buffer`.

use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

use cl3::ext::{
    cl_command_buffer_khr, clCommandNDRangeKernelKHR_t, clCreateCommandBufferKHR_t,
    clEnqueueCommandBufferKHR_t, clFinalizeCommandBufferKHR_t, clReleaseCommandBufferKHR_t,
};
use common::error::{During, Error, Result};
use common::session::{Launch, Session};

/// The extension that has command buffers.
const NAME: &str = "cl_khr_command_buffer";

/// Where a function lies.
type Address = *mut c_void;

/// A command buffer, and the driver's functions for it.
pub struct Recorded {
    buffer: cl_command_buffer_khr,
    enqueue: clEnqueueCommandBufferKHR_t,
    release: clReleaseCommandBufferKHR_t,
}

impl Recorded {
    /// These launches, for a session's queue, and skipped where the driver has no command buffers.
    /// Each must have a kernel object of its own.
    pub fn of(session: &Session, launches: &[Launch]) -> Result<Recorded> {
        let device = session.device.cl();
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
        let is_named = extensions.split(' ').any(|one| one == NAME);
        let (true, Some(create), Some(add), Some(finalize), Some(_)) =
            (is_named, create, add, finalize, enqueue)
        else {
            return Err(Error::skipped(format!("the driver has no {NAME}")));
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
    pub fn enqueue(&self) -> Result<()> {
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
