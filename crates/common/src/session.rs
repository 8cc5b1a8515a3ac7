//! One device's context and queue; its buffers; launching a kernel.
//!
//! A call that fails gives the driver's status as [`Error::OpenCl`].

mod fit;

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use opencl3::command_queue::{self, CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_mem};
use text::plain_name;

use crate::device::Device;
use crate::error::{During, Error, Result};
use crate::limits;
use crate::ndrange::NdRange;
use crate::numbers::seconds;
use crate::tell::{Call, Listener};
use crate::timing::Profile;

/// A device that is ready to work: its context and one profiling queue.
pub struct Session {
    /// The device.
    pub device: Device,
    /// A context with this device alone.
    pub context: Context,
    /// An in-order queue that records event times.
    pub queue: CommandQueue,
    /// Who hears of its calls.
    pub listener: Rc<dyn Listener>,
}

/// A buffer in the device's global memory. A clone is the same buffer, which lives as
/// long as any of them.
#[derive(Clone)]
pub struct Buffer {
    memory: Rc<Memory<u8>>,
    /// Its size.
    pub bytes: usize,
}

impl Buffer {
    /// opencl3's view of it.
    pub fn cl(&self) -> &Memory<u8> {
        &self.memory
    }

    /// Its handle.
    pub fn get(&self) -> cl_mem {
        self.memory.get()
    }
}

/// A kernel, how it is launched, and the buffers that it works on: they live as long
/// as the launch.
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// What messages call it.
    pub name: String,
    /// The shape of the launch.
    pub range: NdRange,
    buffers: Vec<Buffer>,
}

impl Launch {
    /// A launch whose arguments are still to be set ([`Session::set_args`]).
    pub fn new(kernel: Kernel, name: impl Into<String>, range: NdRange) -> Launch {
        Launch {
            kernel,
            name: name.into(),
            range,
            buffers: Vec::new(),
        }
    }
}

/// One argument of a kernel.
#[derive(Clone)]
pub enum Arg {
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
    /// A buffer in global memory.
    Buffer(Buffer),
    /// No buffer where the kernel expects one. Every access through it is an
    /// error, which a simulator reports and other devices do not survive.
    NoBuffer,
}

impl Arg {
    /// Its size, as clSetKernelArg is told it.
    fn bytes(&self) -> usize {
        match self {
            Arg::Int(_) | Arg::Float(_) => 4,
            Arg::Buffer(_) | Arg::NoBuffer => size_of::<cl_mem>(),
        }
    }

    fn buffer(&self) -> Option<&Buffer> {
        match self {
            Arg::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }
}

impl Session {
    /// Makes context and queue. `listener` hears of it, and of every call that follows;
    /// `()` hears nothing.
    pub fn open(device: Device, listener: Rc<dyn Listener>) -> Result<Session> {
        let context = Context::from_device(&device.cl()).during("creating a context");
        listener.call(context.as_ref().err(), &Call::create_context);
        let context = context?;
        // create_default calls clCreateCommandQueue, which drivers of every
        // version have; the 2.0 call is a null pointer on a 1.x driver.
        #[allow(deprecated)]
        let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)
            .during("creating a queue");
        listener.call(queue.as_ref().err(), &Call::create_queue);
        Ok(Session {
            device,
            context,
            queue: queue?,
            listener,
        })
    }

    /// A buffer of `bytes` bytes, with undefined contents.
    ///
    /// # Errors
    /// The driver's status, when there is no room.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer> {
        self.allocate(bytes, &|memory| self.listener.name_new(memory))
    }

    /// Room for a buffer and its guards; the name that was announced is left for the part
    /// of it that a kernel is given.
    pub(crate) fn room_with_guards(&self, bytes: usize) -> Result<Buffer> {
        self.allocate(bytes, &|_| "room with guards")
    }

    fn allocate(&self, bytes: usize, name: &dyn Fn(cl_mem) -> &'static str) -> Result<Buffer> {
        // SAFETY: no host pointer is passed, so there is nothing to outlive.
        let memory = unsafe {
            Memory::<u8>::create(&self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut())
        }
        .during(format!("allocating a buffer of {bytes} bytes"))
        .map_err(|error| error.with_limits(|code| limits::of_buffer(&self.device, bytes, code)));
        self.listener.call(memory.as_ref().err(), &|| {
            let name = |memory: &Memory<u8>| name(memory.get());
            Call::create_buffer("CL_MEM_READ_WRITE", bytes, memory.as_ref().map_or("", name))
        });
        let memory = Rc::new(memory?);
        Ok(Buffer { memory, bytes })
    }

    /// `bytes` bytes of a buffer, from byte `offset` on, as a buffer of its own. The
    /// offset must be one that the device likes ([`crate::memory::GUARD`] is).
    ///
    /// # Errors
    /// The driver's status, CL_MISALIGNED_SUB_BUFFER_OFFSET for instance.
    pub fn part(&self, whole: &Buffer, offset: usize, bytes: usize) -> Result<Buffer> {
        // SAFETY: `whole` is alive, and the driver keeps it as long as its part; a range
        // outside it is refused (CL_INVALID_VALUE).
        let memory = unsafe {
            whole
                .memory
                .create_sub_buffer(CL_MEM_READ_WRITE, offset, bytes)
        }
        .during("making a part of a buffer");
        self.listener.call(memory.as_ref().err(), &|| {
            let name = |memory: &Memory<u8>| self.listener.name_new(memory.get());
            Call::create_part(offset, bytes, memory.as_ref().map_or("", name))
        });
        let memory = Rc::new(memory?);
        Ok(Buffer { memory, bytes })
    }

    /// A new buffer with these contents.
    ///
    /// # Errors
    /// The driver's status, when there is no room or the transfer fails.
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer> {
        let buffer = self.buffer(bytes.len())?;
        self.write(&buffer, bytes)?;
        Ok(buffer)
    }

    /// Overwrites the start of a buffer and waits for it.
    ///
    /// # Errors
    /// The driver's status.
    pub fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        let begin = Instant::now();
        let done = self.put(buffer, 0, bytes);
        self.tell_transfer(
            "clEnqueueWriteBuffer",
            buffer,
            bytes.len(),
            begin,
            done.as_ref().err(),
        );
        done
    }

    /// Reads the first `bytes` bytes of a buffer.
    ///
    /// # Errors
    /// The driver's status; a kernel that crashed is often noticed here.
    pub fn read(&self, buffer: &Buffer, bytes: usize) -> Result<Vec<u8>> {
        let begin = Instant::now();
        let done = self.get(buffer, 0, bytes);
        self.tell_transfer(
            "clEnqueueReadBuffer",
            buffer,
            bytes,
            begin,
            done.as_ref().err(),
        );
        done
    }

    /// Overwrites `bytes` of a buffer from byte `offset` on, and waits for it. What the
    /// check does beside the lesson's own steps is not told.
    pub(crate) fn put(&self, buffer: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        let during = "writing a buffer";
        let (queue, data) = (self.queue.get(), bytes.as_ptr().cast::<c_void>());
        let (memory, none) = (buffer.get(), ptr::null());
        // SAFETY: queue and buffer are alive, and hold handles of this context. The call
        // blocks, so `bytes` lives until it has been read; a range that is too long is
        // refused by the driver (CL_INVALID_VALUE).
        let written = unsafe {
            let count = bytes.len();
            command_queue::enqueue_write_buffer(
                queue,
                memory,
                CL_BLOCKING,
                offset,
                count,
                data,
                0,
                none,
            )
        };
        // It has ended already; a late failure of the queue is told here.
        Event::new(written.during(during)?).wait().during(during)
    }

    /// Reads `bytes` bytes from byte `offset` on, and tells nobody.
    pub(crate) fn get(&self, buffer: &Buffer, offset: usize, bytes: usize) -> Result<Vec<u8>> {
        let during = "reading a buffer";
        let mut data = vec![0; bytes];
        let (queue, to) = (self.queue.get(), data.as_mut_ptr().cast::<c_void>());
        let (memory, none) = (buffer.get(), ptr::null());
        // SAFETY: as in `put`; the call blocks, so `data` is not moved or freed meanwhile.
        let read = unsafe {
            command_queue::enqueue_read_buffer(
                queue,
                memory,
                CL_BLOCKING,
                offset,
                bytes,
                to,
                0,
                none,
            )
        };
        Event::new(read.during(during)?).wait().during(during)?;
        Ok(data)
    }

    fn tell_transfer(
        &self,
        name: &'static str,
        buffer: &Buffer,
        bytes: usize,
        begin: Instant,
        error: Option<&Error>,
    ) {
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(error, &|| {
            Call::transfer(name, self.listener.name_of(buffer.get()), bytes)
                .gave(format!("ok, in {}", seconds(took)))
        });
    }

    /// Fills `bytes` bytes of a buffer, which are whole patterns, in queue order.
    pub fn fill(&self, buffer: &Buffer, pattern: &[u8], bytes: usize) -> Result<Event> {
        let (queue, data) = (self.queue.get(), pattern.as_ptr().cast::<c_void>());
        // SAFETY: as in `write`; the driver copies the pattern before the call returns.
        let filled = unsafe {
            command_queue::enqueue_fill_buffer(
                queue,
                buffer.get(),
                data,
                pattern.len(),
                0,
                bytes,
                0,
                ptr::null(),
            )
        };
        filled.during("filling a buffer").map(Event::new)
    }

    /// Fills a buffer with whole patterns, waits for it, and tells of it.
    ///
    /// # Errors
    /// The driver's status.
    pub fn fill_told(&self, buffer: &Buffer, pattern: &[u8]) -> Result<()> {
        let begin = Instant::now();
        let filled = self.fill(buffer, pattern, buffer.bytes);
        let done = filled.and_then(|_| self.finish());
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(done.as_ref().err(), &|| {
            Call::fill(self.listener.name_of(buffer.get()), pattern, buffer.bytes)
                .gave(format!("ok, in {}", seconds(took)))
        });
        done
    }

    /// Sets the arguments of a launch, in order; it keeps their buffers.
    ///
    /// # Errors
    /// The driver's status, for instance CL_INVALID_ARG_SIZE.
    pub fn set_args(&self, launch: &mut Launch, args: &[Arg]) -> Result<()> {
        let Launch {
            kernel,
            name,
            buffers,
            ..
        } = launch;
        for (i, arg) in args.iter().enumerate() {
            let index = i as u32;
            // SAFETY: each branch passes a value of the type that Program::kernel
            // has held against the kernel's signature; where the driver keeps none,
            // it refuses a value of another size (CL_INVALID_ARG_SIZE). The driver
            // copies it. The launch keeps the buffers. A null buffer is allowed.
            let set = unsafe {
                match arg {
                    Arg::Int(value) => kernel.set_arg(index, value),
                    Arg::Float(value) => kernel.set_arg(index, value),
                    Arg::Buffer(buffer) => kernel.set_arg(index, &buffer.get()),
                    Arg::NoBuffer => kernel.set_arg(index, &ptr::null_mut::<c_void>()),
                }
            }
            .during(format!("setting argument {i} of {name}"));
            self.listener.call(set.as_ref().err(), &|| {
                let value = match arg {
                    Arg::Int(value) => value.to_string(),
                    Arg::Float(value) => value.to_string(),
                    Arg::Buffer(buffer) => self.listener.name_of(buffer.get()).into(),
                    Arg::NoBuffer => "NULL".into(),
                };
                Call::set_arg(i, arg.bytes(), argument_name(kernel, index), value)
            });
            set?;
        }
        buffers.clear();
        buffers.extend(args.iter().filter_map(Arg::buffer).cloned());
        Ok(())
    }

    /// Enqueues a kernel whose arguments are set. Nothing has run when this
    /// returns: wait for the event.
    ///
    /// # Errors
    /// The driver's status, with the shape of the launch.
    pub fn launch(&self, launch: &Launch) -> Result<Event> {
        let Launch {
            kernel,
            name,
            range,
            ..
        } = launch;
        let NdRange { global, local } = range;
        let begin = Instant::now();
        // SAFETY: the sizes' pointers live through the call, and both lists have
        // as many entries as the dimension says. The launch keeps its buffers, and the
        // driver those of what is enqueued. What the kernel itself does is its author's
        // word; the guards beside its buffers and Oclgrind watch over it.
        let event = unsafe {
            self.queue.enqueue_nd_range_kernel(
                kernel.get(),
                global.len() as u32,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                &[],
            )
        }
        .during(format!(
            "launching {name} with global size {global:?} and local size {local:?}"
        ))
        .map_err(|error| self.with_limits(error, launch));
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(event.as_ref().err(), &|| {
            Call::launch(name, range).gave(format!("event, after {}", seconds(took)))
        });
        event
    }

    /// A failed launch, with the limits that it may have run into.
    fn with_limits(&self, error: Error, launch: &Launch) -> Error {
        error.with_limits(|code| {
            limits::of_launch(&self.device, &launch.kernel, &launch.range, code)
        })
    }

    /// Waits until the last of several launches, and so all of them, have ended.
    pub fn wait(&self, launches: &[Launch], events: &[Event]) -> Result<()> {
        let Some((launch, event)) = launches.last().zip(events.last()) else {
            return Ok(());
        };
        let begin = Instant::now();
        let ended = event.wait().during(format!("running {}", launch.name));
        let ended = ended.map_err(|error| self.with_limits(error, launch));
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(ended.as_ref().err(), &|| {
            Call::wait().gave(format!("ok, after {}", seconds(took)))
        });
        ended
    }

    /// Tells the four times of a launch that has ended, where they are asked for.
    pub fn tell_times(&self, event: &Event) {
        if self.listener.listens() {
            let times = Profile::of(event);
            let told = times.as_ref().ok();
            self.listener
                .call(times.as_ref().err(), &|| Call::times(told));
        }
    }

    /// Launches these one after another. The queue is in order: none begins before
    /// the one before it ends.
    pub fn launch_all(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        launches.iter().map(|launch| self.launch(launch)).collect()
    }

    /// Launches these one after another, waits until the last has ended, and gives
    /// their events.
    pub fn run(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        let events = self.launch_all(launches)?;
        self.wait(launches, &events)?;
        Ok(events)
    }

    /// How many items a group of this kernel may have on this device.
    pub fn room(&self, kernel: &Kernel, group: &[usize]) -> usize {
        let id = self.device.cl().id();
        let most = self.device.limits.max_work_group_size;
        // Some drivers tell a default for the kernel although it names its group.
        let mut required = kernel.get_compile_work_group_size(id).unwrap_or_default();
        required.truncate(group.len());
        if required == group {
            most
        } else {
            kernel.get_work_group_size(id).unwrap_or(most).min(most)
        }
    }

    /// Waits until everything enqueued has ended.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish().during("waiting for the queue")
    }
}

/// An argument's type and name, as far as the driver keeps them: "int M".
fn argument_name(kernel: &Kernel, index: u32) -> String {
    let clean = |told: opencl3::Result<String>| {
        let told = told.unwrap_or_default();
        plain_name(&told)
    };
    let ty = clean(kernel.get_arg_type_name(index));
    let name = clean(kernel.get_arg_name(index));
    if ty.ends_with('*') {
        format!("{ty}{name}")
    } else {
        format!("{ty} {name}").trim().to_string()
    }
}
