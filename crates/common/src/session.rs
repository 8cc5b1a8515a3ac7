//! One device's context and queue, its memory, and what is moved there. `launch` sets a kernel's
//! arguments and runs it, `fit` refuses what has no room. Whoever listens hears of each call.
//!
//! A call that fails gives the driver's status as [`crate::Error::OpenCl`], with the limits that it
//! may have met. What else can fail stands below "Errors".

#![allow(clippy::missing_errors_doc)]

mod fit;
pub mod image;
mod launch;

pub use fit::{Need, side_of};
pub use image::{Format, Image};
pub use launch::{Arg, Launch};

use fit::{limits_of_buffer, limits_of_launch};

use std::{cell::RefCell, fmt::Display, ptr, rc::Rc, sync::Arc, time::Instant};

use opencl3::command_queue::{
    CL_QUEUE_PROFILING_ENABLE, CommandQueue, enqueue_fill_buffer, enqueue_read_buffer,
    enqueue_read_image, enqueue_write_buffer, enqueue_write_image,
};
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_mem};
use opencl3::{context::Context, event::Event};

use crate::error::{During, Error, Result};
use crate::{device::Device, failure::explain, program::Printed};

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
        let context = Context::from_device(&device.cl).during("creating a context");
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
        let id = device.cl.id();
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
            Some(Error::OpenCl { code, .. }) => match explain(*code) {
                Some(known) => format!("{} ({code})", known.name),
                None => format!("status {code}"),
            },
            Some(_) => "failed".into(),
        };
        Call { returned, failed: true, ..self }
    }
}

/// A buffer in the device's global memory. A clone is the same buffer, which lives as
/// long as any of them.
#[derive(Clone)]
pub struct Buffer {
    memory: Rc<Memory<u8>>,
    /// What messages call it.
    pub name: Rc<str>,
    /// Its size.
    pub bytes: usize,
    /// Of an image, which is moved by whole rows, the pixels of one, and their bytes.
    pub(crate) row: Option<(usize, usize)>,
}

impl Buffer {
    /// Its handle.
    pub fn get(&self) -> cl_mem {
        self.memory.get()
    }
}

/// Bytes of the host that are moved: to a buffer, or from it.
pub(crate) enum Bytes<'a> {
    To(&'a [u8]),
    From(&'a mut [u8]),
}

/// How a transfer is told, which blocks, by its names for buffers and for images.
fn moved(names: [&'static str; 2], buffer: &Buffer, bytes: usize) -> Call {
    let bytes = format!("{bytes} bytes");
    let arguments = ["~queue", &*buffer.name, "~CL_TRUE", "~offset 0", &bytes];
    Call::new(names[usize::from(buffer.row.is_some())], &arguments)
}

impl Session {
    /// A buffer of `bytes` bytes, with undefined contents, which messages call `name`. It fails
    /// with -61 for more than `CL_DEVICE_MAX_MEM_ALLOC_SIZE`, with -4 where the device has none
    /// left, which some drivers say only when it is used.
    pub fn buffer(&self, name: &str, bytes: usize) -> Result<Buffer> {
        // SAFETY: no host pointer is passed, so there is nothing to outlive.
        let memory = unsafe {
            Memory::<u8>::create(&self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut())
        }
        .during(format!("allocating a buffer of {bytes} bytes"))
        .map_err(|error| error.with_limits(|code| limits_of_buffer(&self.device, bytes, code)));
        self.listener.call(memory.as_ref().err(), &|| {
            let arguments = ["~context", "~CL_MEM_READ_WRITE", &format!("{bytes} bytes")];
            Call::new("clCreateBuffer", &arguments).gave(name)
        });
        Ok(self.made(memory?, name, bytes, None))
    }

    /// A buffer, which of a simulator lives to the session's end.
    pub(super) fn made(
        &self,
        memory: Memory<u8>,
        name: &str,
        bytes: usize,
        row: Option<(usize, usize)>,
    ) -> Buffer {
        let buffer = Buffer { memory: Rc::new(memory), name: name.into(), bytes, row };
        if self.device.is_simulator() {
            self.kept.borrow_mut().push(buffer.clone());
        }
        buffer
    }

    /// `bytes` bytes of a buffer, from byte `offset` on, as a buffer of its own, which is called
    /// `name`. It fails with -13 for an offset that is no multiple of
    /// `CL_DEVICE_MEM_BASE_ADDR_ALIGN` bits ([`crate::memory::GUARD`] is).
    pub fn part(&self, whole: &Buffer, name: &str, offset: usize, bytes: usize) -> Result<Buffer> {
        // SAFETY: `whole` is alive, and the driver keeps it as long as its part; a range
        // outside it is refused (CL_INVALID_VALUE).
        let memory = unsafe { whole.memory.create_sub_buffer(CL_MEM_READ_WRITE, offset, bytes) }
            .during("making a part of a buffer");
        self.listener.call(memory.as_ref().err(), &|| {
            let (offset, bytes) = (format!("~offset {offset}"), format!("{bytes} bytes"));
            let arguments = ["~room with guards", &offset, &bytes];
            Call::new("clCreateSubBuffer", &arguments).gave(name)
        });
        Ok(self.made(memory?, name, bytes, None))
    }

    /// A new buffer with these contents.
    pub fn upload(&self, name: &str, bytes: &[u8]) -> Result<Buffer> {
        let buffer = self.buffer(name, bytes.len())?;
        self.write(&buffer, bytes)?;
        Ok(buffer)
    }

    /// Overwrites the start of a buffer and waits for it.
    pub fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        let names = ["clEnqueueWriteBuffer", "clEnqueueWriteImage"];
        let call = || moved(names, buffer, bytes.len());
        self.told(call, || self.transfer(buffer, 0, Bytes::To(bytes)))
    }

    /// Reads a buffer.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        let mut data = vec![0; buffer.bytes];
        self.read_into(buffer, &mut data).map(|()| data)
    }

    /// Fills `data` with the start of a buffer. It fails where a kernel before it failed, too.
    pub fn read_into(&self, buffer: &Buffer, data: &mut [u8]) -> Result<()> {
        let (names, bytes) = (["clEnqueueReadBuffer", "clEnqueueReadImage"], data.len());
        let call = || moved(names, buffer, bytes);
        self.told(call, || self.transfer(buffer, 0, Bytes::From(data)))
    }

    /// Reads `bytes` bytes from byte `offset` on, and tells nobody.
    pub(crate) fn get(&self, buffer: &Buffer, offset: usize, bytes: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; bytes];
        self.transfer(buffer, offset, Bytes::From(&mut data)).map(|()| data)
    }

    /// Moves bytes of a buffer from byte `offset` on, or whole rows of an image, and waits. What
    /// the check does beside the lesson's own steps is not told.
    pub(crate) fn transfer(&self, buffer: &Buffer, offset: usize, bytes: Bytes) -> Result<()> {
        let (during, writes, count, data) = match bytes {
            Bytes::To(bytes) => ("writing a buffer", true, bytes.len(), bytes.as_ptr().cast_mut()),
            Bytes::From(data) => ("reading a buffer", false, data.len(), data.as_mut_ptr()),
        };
        let (queue, memory, none) = (self.queue.get(), buffer.memory.get(), ptr::null());
        let (data, rows) = (data.cast(), buffer.row);
        let rows = rows.map(|(width, row)| ([0, offset / row, 0], [width, count / row, 1]));
        // SAFETY: queue and buffer are alive, and hold handles of this context. There are so many
        // bytes, which are only read where they are written to the buffer, and else are nobody
        // else's. The calls block, so they live until they have been moved; a range that is too
        // long is refused by the driver (CL_INVALID_VALUE), and whole rows are not longer.
        let moved = unsafe {
            match (&rows, writes) {
                (None, true) => {
                    enqueue_write_buffer(queue, memory, CL_BLOCKING, offset, count, data, 0, none)
                }
                (None, false) => {
                    enqueue_read_buffer(queue, memory, CL_BLOCKING, offset, count, data, 0, none)
                }
                (Some((at, to)), _) => {
                    let (at, to) = (at.as_ptr(), to.as_ptr());
                    let moved = if writes { enqueue_write_image } else { enqueue_read_image };
                    moved(queue, memory, CL_BLOCKING, at, to, 0, 0, data, 0, none)
                }
            }
        };
        // It has ended already; a late failure of the queue is told here.
        Event::new(moved.during(during)?).wait().during(during)
    }

    /// Does something with a buffer, and tells how long that took.
    fn told<T>(&self, call: impl Fn() -> Call, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let done = work();
        let took = begin.elapsed().as_secs_f64();
        let gave = || call().gave(format!("ok, in {}", verify::numbers::seconds(took)));
        self.listener.call(done.as_ref().err(), &gave);
        done
    }

    /// Fills a buffer with whole patterns, of 1, 2, 4 to 128 bytes, and waits for it.
    pub fn fill(&self, buffer: &Buffer, pattern: &[u8]) -> Result<()> {
        let (from, length) = (pattern.as_ptr().cast(), pattern.len());
        let call = || {
            let poison = format!("~{length} bytes of poison");
            let bytes = format!("{} bytes", buffer.bytes);
            let arguments = ["~queue", &*buffer.name, &poison, "~offset 0", &bytes];
            Call::new("clEnqueueFillBuffer", &arguments)
        };
        self.told(call, || {
            if buffer.row.is_some() {
                // A colour would be brought to the image's format.
                let whole = pattern.repeat(buffer.bytes / length);
                return self.transfer(buffer, 0, Bytes::To(&whole));
            }
            let (queue, memory, none) = (self.queue.get(), buffer.memory.get(), ptr::null());
            // SAFETY: as in `transfer`; the driver copies the pattern before the call returns.
            let filled = unsafe {
                enqueue_fill_buffer(queue, memory, from, length, 0, buffer.bytes, 0, none)
            };
            let event = Event::new(filled.during("filling a buffer")?);
            event.wait().during("filling a buffer")
        })
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
