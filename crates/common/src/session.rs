//! One device's context and queue. `buffer` makes its memory and moves what lies there, `launch`
//! sets a kernel's arguments and runs it, `fit` refuses what has no room.
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

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;

use crate::device::Device;
use crate::error::{During, Result};
use crate::program::Printed;
use crate::tell::{Call, Listener};

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
