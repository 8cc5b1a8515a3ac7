//! One device's context and queue. `buffer` makes its memory and moves what lies there, `launch`
//! sets a kernel's arguments and runs it, `fit` refuses what has no room. Whoever listens hears of
//! each call.
//!
//! A call that fails gives the driver's status as [`crate::Error::OpenCl`], with the limits that it
//! may have met. What else can fail stands below "Errors".

#![allow(clippy::missing_errors_doc)]

mod buffer;
mod fit;
pub mod image;
mod launch;

pub use buffer::Buffer;
pub use fit::{Need, side_of};
pub use image::{Format, Image};
pub use launch::{Arg, Launch};

use fit::{limits_of_buffer, limits_of_launch};

use std::cell::RefCell;
use std::fmt::Display;
use std::rc::Rc;
use std::sync::Arc;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;

use crate::codes;
use crate::device::Device;
use crate::error::{During, Error, Result};
use crate::program::Printed;

/// A device that is ready to work: its context and one profiling queue.
pub struct Session {
    /// The device.
    pub device: Device,
    /// A context with this device alone, or one that it shares.
    pub context: Arc<Context>,
    /// An in-order queue that records event times.
    pub queue: CommandQueue,
    /// Who hears of its calls.
    pub listener: Rc<dyn Listener>,
    /// What its kernels print.
    pub printed: Printed,
    /// A simulator's buffers, to its end. Oclgrind takes memory that stands where other memory
    /// was freed for unwritten, even after a kernel has written it.
    kept: RefCell<Vec<Buffer>>,
}

impl Session {
    /// Makes context and queue. `listener` hears of it, and of every call that follows;
    /// `()` hears nothing.
    pub fn open(device: Device, listener: Rc<dyn Listener>) -> Result<Session> {
        let context = Context::from_device(&device.cl()).during("creating a context");
        listener.call(context.as_ref().err(), &|| {
            Call::new("clCreateContext", &["1 device"]).gave("context")
        });
        Session::open_in(Arc::new(context?), device, listener)
    }

    /// The same in a context that others use, too: of this driver's other devices, or of other
    /// queues of this one.
    pub fn open_in(
        context: Arc<Context>,
        device: Device,
        listener: Rc<dyn Listener>,
    ) -> Result<Session> {
        let id = device.cl().id();
        // This calls clCreateCommandQueue, which drivers of every version have; the 2.0 call is
        // a null pointer on a 1.x driver.
        #[allow(deprecated)]
        // SAFETY: the id is a device's, and OpenCL refuses one that the context does not have.
        let queue = unsafe { CommandQueue::create(&context, id, CL_QUEUE_PROFILING_ENABLE) };
        let queue = queue.during("creating a queue");
        listener.call(queue.as_ref().err(), &|| {
            let arguments = ["~context", "~device", "CL_QUEUE_PROFILING_ENABLE"];
            Call::new("clCreateCommandQueue", &arguments).gave("queue")
        });
        Ok(Session {
            device,
            context,
            queue: queue?,
            listener,
            printed: Printed::default(),
            kept: RefCell::default(),
        })
    }

    /// Waits until everything enqueued has ended. What failed of that fails here, too.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish().during("waiting for the queue")
    }
}

/// Hears of every OpenCL call. `()` hears nothing, and costs a comparison.
pub trait Listener {
    /// Whether it listens now; if not, no call is put into words.
    fn listens(&self) -> bool {
        false
    }
    /// A call was made.
    fn hear(&self, _call: &Call) {}
    /// Tells of a call and of the error that came of it, if one did.
    fn call(&self, error: Option<&Error>, call: &dyn Fn() -> Call) {
        if self.listens() {
            self.hear(&call().ended(error));
        }
    }
}

impl Listener for () {}

/// A call with its arguments, and what it returned.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name in C.
    pub name: &'static str,
    /// Its arguments, in order; one that begins with ~ is left out where there is little room.
    pub arguments: Vec<String>,
    /// What it returned; "ok" unless [`Call::gave`] says more.
    pub returned: String,
    /// Whether it failed.
    pub failed: bool,
}

impl Call {
    /// A call with these arguments, which succeeded.
    pub fn new(name: &'static str, arguments: &[&str]) -> Call {
        let arguments = arguments.iter().copied().map(String::from).collect();
        Call { name, arguments, returned: "ok".into(), failed: false }
    }

    /// What it returned, where that is more than success.
    pub fn gave(self, returned: impl Display) -> Call {
        Call { returned: returned.to_string(), ..self }
    }

    /// The same call, with the status in place of what it would have returned if
    /// it failed.
    fn ended(self, error: Option<&Error>) -> Call {
        let returned = match error {
            None => return self,
            Some(Error::OpenCl { code, .. }) => match codes::explain(*code) {
                Some(known) => format!("{} ({code})", known.name),
                None => format!("status {code}"),
            },
            Some(_) => "failed".into(),
        };
        Call { returned, failed: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_failed_tells_the_name_of_its_status() {
        let failed = Error::OpenCl { code: -54, during: "launching".into(), here: None };
        let call = Call::new("clEnqueueNDRangeKernel", &[]).ended(Some(&failed));
        assert_eq!(call.returned, "CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert!(call.failed);
        assert_eq!(Call::new("clFinish", &[]).ended(None).returned, "ok");
    }
}
