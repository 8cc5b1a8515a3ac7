//! Launches that are recorded once and enqueued together, by `cl_khr_command_buffer`.

use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr;

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
    add: clCommandNDRangeKernelKHR_t,
    finalize: clFinalizeCommandBufferKHR_t,
    enqueue: clEnqueueCommandBufferKHR_t,
    release: clReleaseCommandBufferKHR_t,
}

impl Recorded {
    /// These launches, for a session's queue, and skipped where the driver has no command buffers.
    /// Each must have a kernel object of its own.
    pub fn of(session: &Session, launches: &[Launch]) -> Result<Recorded> {
        let recorded = Recorded::empty(session)?;
        launches.iter().try_for_each(|one| recorded.add(one))?;
        // SAFETY: the buffer is alive.
        let status = unsafe { of_driver(recorded.finalize)?(recorded.buffer) };
        must(status, "ending a recording").map(|()| recorded)
    }

    fn empty(session: &Session) -> Result<Recorded> {
        let device = session.device.cl();
        let extensions = device.extensions().unwrap_or_default();
        if !extensions.split(' ').any(|one| one == NAME) {
            return Err(Error::skipped(format!("the driver has no {NAME}")));
        }
        let platform = device.platform().during("asking for the platform")?;
        let address = |name: &CStr| {
            let library = cl3::load_library().as_ref().ok()?;
            library.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr())
        };
        let address = |name| address(name).unwrap_or(ptr::null_mut());
        // SAFETY: each address is null or a function of the extension, whose type cl3 has from its
        // header; null becomes None.
        let (create, made) = unsafe {
            let create = address(c"clCreateCommandBufferKHR");
            let (add, finalize) = (c"clCommandNDRangeKernelKHR", c"clFinalizeCommandBufferKHR");
            let (enqueue, release) = (c"clEnqueueCommandBufferKHR", c"clReleaseCommandBufferKHR");
            let made = Recorded {
                buffer: ptr::null_mut(),
                add: transmute::<Address, clCommandNDRangeKernelKHR_t>(address(add)),
                finalize: transmute::<Address, clFinalizeCommandBufferKHR_t>(address(finalize)),
                enqueue: transmute::<Address, clEnqueueCommandBufferKHR_t>(address(enqueue)),
                release: transmute::<Address, clReleaseCommandBufferKHR_t>(address(release)),
            };
            let create = transmute::<Address, clCreateCommandBufferKHR_t>(create);
            (create, made)
        };
        let (queue, mut status) = (session.queue.get(), 0);
        // SAFETY: one queue is given, and it is alive.
        let buffer =
            unsafe { of_driver(create)?(1, &raw const queue, ptr::null(), &raw mut status) };
        must(status, "making a command buffer")?;
        Ok(Recorded { buffer, ..made })
    }

    fn add(&self, launch: &Launch) -> Result<()> {
        let (kernel, range) = launch.parts();
        let (global, local) = (range.global(), range.local());
        let (none, nothing) = (ptr::null(), ptr::null_mut());
        // SAFETY: the buffer and the kernel are alive, and both lists have as many entries as the
        // dimension says. Null is the buffer's own queue, no offset, and nothing to wait for.
        let status = unsafe {
            of_driver(self.add)?(
                self.buffer,
                nothing,
                none,
                kernel.get(),
                global.len() as u32,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                ptr::null(),
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        must(status, "recording a launch")
    }

    /// Enqueues all that was recorded.
    pub fn enqueue(&self) -> Result<()> {
        let (queue, event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the buffer is alive; it goes to its own queue, waits for nothing, and no event is
        // asked for.
        let status =
            unsafe { of_driver(self.enqueue)?(0, queue, self.buffer, 0, ptr::null(), event) };
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

/// A function, unless the driver names the extension and lacks it.
fn of_driver<F>(function: Option<F>) -> Result<F> {
    function.ok_or_else(|| {
        Error::skipped(format!("the driver names {NAME}, and lacks a function of it"))
    })
}

fn must(status: i32, during: &str) -> Result<()> {
    (if status == 0 { Ok(()) } else { Err(status) }).during(during)
}
