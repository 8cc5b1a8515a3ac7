//! Buffers in a device's global memory: made, written, filled and read.

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use opencl3::command_queue::{
    enqueue_fill_buffer, enqueue_read_buffer, enqueue_read_image, enqueue_write_buffer,
    enqueue_write_image,
};
use opencl3::event::Event;
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_mem};

use super::{Call, Session, limits_of_buffer};
use crate::error::{During, Result};
use verify::numbers::seconds;

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
        self.told(call, || self.put(buffer, 0, bytes)).map(drop)
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
        self.told(call, || self.get_into(buffer, 0, data))
    }

    /// Overwrites `bytes` of a buffer from byte `offset` on, and waits for it. What the
    /// check does beside the lesson's own steps is not told.
    pub(crate) fn put(&self, buffer: &Buffer, offset: usize, bytes: &[u8]) -> Result<Event> {
        let data = bytes.as_ptr().cast_mut().cast::<c_void>();
        // SAFETY: there are so many bytes, and they are only read.
        unsafe { self.transfer(buffer, offset, bytes.len(), data, true) }
    }

    /// Moves bytes of a buffer from byte `offset` on, or whole rows of an image, and waits.
    ///
    /// # Safety
    /// `data` points to `count` bytes that may be written, unless the buffer is.
    unsafe fn transfer(
        &self,
        buffer: &Buffer,
        offset: usize,
        count: usize,
        data: *mut c_void,
        writes: bool,
    ) -> Result<Event> {
        let (queue, memory, none) = (self.queue.get(), buffer.get(), ptr::null());
        let rows = buffer.row.map(|(width, row)| ([0, offset / row, 0], [width, count / row, 1]));
        // SAFETY: queue and buffer are alive, and hold handles of this context. The calls
        // block, so `data` lives until it has been moved; a range that is too long is refused
        // by the driver (CL_INVALID_VALUE), and whole rows are not longer.
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
        let during = ["reading a buffer", "writing a buffer"][usize::from(writes)];
        let event = Event::new(moved.during(during)?);
        // It has ended already; a late failure of the queue is told here.
        event.wait().during(during).map(|()| event)
    }

    /// Reads `bytes` bytes from byte `offset` on, and tells nobody.
    pub(crate) fn get(&self, buffer: &Buffer, offset: usize, bytes: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; bytes];
        self.get_into(buffer, offset, &mut data).map(|()| data)
    }

    fn get_into(&self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
        let to = data.as_mut_ptr().cast::<c_void>();
        // SAFETY: there are so many bytes, and nobody else has them.
        unsafe { self.transfer(buffer, offset, data.len(), to, false) }.map(drop)
    }

    /// Does something with a buffer, and tells how long that took.
    fn told<T>(&self, call: impl Fn() -> Call, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let done = work();
        let took = begin.elapsed().as_secs_f64();
        let gave = || call().gave(format!("ok, in {}", seconds(took)));
        self.listener.call(done.as_ref().err(), &gave);
        done
    }

    /// Fills a buffer with whole patterns, of 1, 2, 4 to 128 bytes, and waits for it.
    pub fn fill(&self, buffer: &Buffer, pattern: &[u8]) -> Result<()> {
        let (from, length) = (pattern.as_ptr().cast::<c_void>(), pattern.len());
        let call = || {
            let poison = format!("~{length} bytes of poison");
            let bytes = format!("{} bytes", buffer.bytes);
            let arguments = ["~queue", &*buffer.name, &poison, "~offset 0", &bytes];
            Call::new("clEnqueueFillBuffer", &arguments)
        };
        self.told(call, || {
            if buffer.row.is_some() {
                // A colour would be brought to the image's format.
                return self.put(buffer, 0, &pattern.repeat(buffer.bytes / length)).map(drop);
            }
            let (queue, memory, none) = (self.queue.get(), buffer.get(), ptr::null());
            // SAFETY: as in `transfer`; the driver copies the pattern before the call returns.
            let filled = unsafe {
                enqueue_fill_buffer(queue, memory, from, length, 0, buffer.bytes, 0, none)
            };
            let event = Event::new(filled.during("filling a buffer")?);
            event.wait().during("filling a buffer")
        })
    }
}
