//! One device's context and queue; its buffers; launching a kernel.

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Instant;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_mem};

use crate::device::{Device, Kind};
use crate::element::Type;
use crate::error::{During, Error, Result};
use crate::limits;
use crate::ndrange::{self, NdRange};
use crate::numbers::seconds;
use crate::program::argument_name;
use crate::shape::Shape;
use crate::tell::{Call, Listener};
use crate::timing::Profile;
use crate::verify::CANARY_BYTES;

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

/// A kernel whose arguments are set, and how it is launched.
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// What messages call it.
    pub name: String,
    /// The shape of the launch.
    pub range: NdRange,
}

/// One argument of a kernel.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
    /// A buffer in global memory.
    Buffer(&'a Buffer<u8>),
    /// No buffer where the kernel expects one. Every access through it is an
    /// error, which a simulator reports and other devices do not survive.
    NoBuffer,
}

impl Session {
    /// Makes context and queue.
    ///
    /// # Errors
    /// The driver's status, when it cannot.
    pub fn open(device: Device) -> Result<Session> {
        Session::heard(device, Rc::new(()))
    }

    /// The same, with somebody who hears of it and of every call that follows.
    ///
    /// # Errors
    /// The driver's status, when it cannot.
    pub fn heard(device: Device, listener: Rc<dyn Listener>) -> Result<Session> {
        let context = Context::from_device(&device.cl()).during("creating a context");
        listener.call(context.as_ref().err(), &|| {
            Call::new("clCreateContext")
                .arg("", "1 device")
                .gave("context")
        });
        let context = context?;
        // create_default calls clCreateCommandQueue, which drivers of every
        // version have; the 2.0 call is a null pointer on a 1.x driver.
        #[allow(deprecated)]
        let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)
            .during("creating a queue");
        listener.call(queue.as_ref().err(), &|| {
            Call::new("clCreateCommandQueue")
                .also("context")
                .also("device")
                .arg("", "CL_QUEUE_PROFILING_ENABLE")
                .gave("queue")
        });
        Ok(Session {
            device,
            context,
            queue: queue?,
            listener,
        })
    }

    /// Bytes behind a result that a kernel must not touch. On a simulator none: where
    /// the buffer ends with the result, it sees an access behind it by itself, a read
    /// too, and names the line.
    pub fn canary_bytes(&self) -> usize {
        if self.device.is_simulator() {
            0
        } else {
            CANARY_BYTES
        }
    }

    /// A buffer of `bytes` bytes, with undefined contents.
    ///
    /// # Errors
    /// The driver's status, when there is no room.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer<u8>> {
        // SAFETY: no host pointer is passed, so there is nothing to outlive.
        let buffer = unsafe {
            Buffer::<u8>::create(&self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut())
        }
        .during(format!("allocating a buffer of {bytes} bytes"))
        .map_err(|error| error.with_limits(|code| limits::of_buffer(&self.device, bytes, code)));
        self.listener.call(buffer.as_ref().err(), &|| {
            let call = Call::new("clCreateBuffer")
                .also("context")
                .also("CL_MEM_READ_WRITE");
            let call = call.arg("", format!("{bytes} bytes"));
            let name = |buffer: &Buffer<u8>| self.listener.name_new(buffer.get());
            call.gave(buffer.as_ref().map_or("", name))
        });
        buffer
    }

    /// A new buffer with these contents.
    ///
    /// # Errors
    /// The driver's status, when there is no room or the transfer fails.
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer<u8>> {
        let mut buffer = self.buffer(bytes.len())?;
        self.write(&mut buffer, bytes)?;
        Ok(buffer)
    }

    /// Overwrites the start of a buffer and waits for it.
    ///
    /// # Errors
    /// The driver's status.
    pub fn write(&self, buffer: &mut Buffer<u8>, bytes: &[u8]) -> Result<()> {
        let begin = Instant::now();
        // SAFETY: the call blocks, so `bytes` lives until it has been read; a
        // range that is too long is refused by the driver (CL_INVALID_VALUE).
        let event = unsafe {
            self.queue
                .enqueue_write_buffer(buffer, CL_BLOCKING, 0, bytes, &[])
        }
        .during("writing a buffer");
        self.tell_transfer("clEnqueueWriteBuffer", &event, buffer, bytes.len(), begin);
        event?.wait().during("writing a buffer")
    }

    /// Reads the first `bytes` bytes of a buffer.
    ///
    /// # Errors
    /// The driver's status; a kernel that crashed is often noticed here.
    pub fn read(&self, buffer: &Buffer<u8>, bytes: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; bytes];
        let begin = Instant::now();
        // SAFETY: the call blocks, so `data` is not moved or freed meanwhile.
        let event = unsafe {
            self.queue
                .enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut data, &[])
        }
        .during("reading a buffer");
        self.tell_transfer("clEnqueueReadBuffer", &event, buffer, bytes, begin);
        event?.wait().during("reading a buffer")?;
        Ok(data)
    }

    fn tell_transfer(
        &self,
        name: &'static str,
        event: &Result<Event>,
        buffer: &Buffer<u8>,
        bytes: usize,
        begin: Instant,
    ) {
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(event.as_ref().err(), &|| {
            Call::new(name)
                .also("queue")
                .arg("", self.listener.name_of(buffer.get()))
                .also("CL_TRUE")
                .also("offset 0")
                .arg("", format!("{bytes} bytes"))
                .gave(format!("ok, in {}", seconds(took)))
        });
    }

    /// Fills `bytes` bytes of a buffer, which are whole patterns, in queue order.
    ///
    /// # Errors
    /// The driver's status.
    pub fn fill(&self, buffer: &mut Buffer<u8>, pattern: &[u8], bytes: usize) -> Result<Event> {
        // SAFETY: the driver copies the pattern before the call returns.
        unsafe {
            self.queue
                .enqueue_fill_buffer(buffer, pattern, 0, bytes, &[])
        }
        .during("filling a buffer")
    }

    /// Sets the arguments, in order.
    ///
    /// # Errors
    /// The driver's status, for instance CL_INVALID_ARG_SIZE.
    pub fn set_args(&self, kernel: &Kernel, name: &str, args: &[Arg]) -> Result<()> {
        for (i, arg) in args.iter().enumerate() {
            let index = i as u32;
            // SAFETY: each branch passes a value of the type that Program::kernel
            // has held against the kernel's signature; where the driver keeps none,
            // it refuses a value of another size (CL_INVALID_ARG_SIZE). The driver
            // copies it. Buffers outlive the launch, which the callers wait for
            // while they hold them. A null buffer is allowed.
            let set = unsafe {
                match *arg {
                    Arg::Int(value) => kernel.set_arg(index, &value),
                    Arg::Float(value) => kernel.set_arg(index, &value),
                    Arg::Buffer(buffer) => kernel.set_arg(index, &buffer.get()),
                    Arg::NoBuffer => kernel.set_arg(index, &ptr::null_mut::<c_void>()),
                }
            }
            .during(format!("setting argument {i} of {name}"));
            self.listener.call(set.as_ref().err(), &|| {
                let (size, value) = match *arg {
                    Arg::Int(value) => (size_of_val(&value), value.to_string()),
                    Arg::Float(value) => (size_of_val(&value), value.to_string()),
                    Arg::Buffer(buffer) => (
                        size_of::<cl_mem>(),
                        self.listener.name_of(buffer.get()).into(),
                    ),
                    Arg::NoBuffer => (size_of::<cl_mem>(), "NULL".into()),
                };
                let call = Call::new("clSetKernelArg").also("kernel").arg("", i);
                call.also(format!("{size} bytes"))
                    .arg(argument_name(kernel, index), value)
            });
            set?;
        }
        Ok(())
    }

    /// Enqueues a kernel whose arguments are set. Nothing has run when this
    /// returns: wait for the event.
    ///
    /// # Errors
    /// The driver's status, with the shape of the launch.
    pub fn launch(&self, kernel: &Kernel, name: &str, range: &NdRange) -> Result<Event> {
        let during = || {
            format!(
                "launching {name} with global size {:?} and local size {:?}",
                range.global, range.local
            )
        };
        let begin = Instant::now();
        // SAFETY: the sizes' pointers live through the call, and both lists have
        // as many entries as the dimension says. What the kernel itself does is
        // its author's word; the checker's canary and Oclgrind watch over it.
        let event = unsafe {
            self.queue.enqueue_nd_range_kernel(
                kernel.get(),
                range.global.len() as u32,
                ptr::null(),
                range.global.as_ptr(),
                range.local.as_ptr(),
                &[],
            )
        }
        .during(during())
        .map_err(|error| self.with_limits(error, kernel, range));
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(event.as_ref().err(), &|| {
            Call::new("clEnqueueNDRangeKernel")
                .also("queue")
                .arg("", name)
                .also(format!("{}D", range.global.len()))
                .arg("global", ndrange::sides(&range.global))
                .arg("local", ndrange::sides(&range.local))
                .gave(format!("event, after {}", seconds(took)))
        });
        event
    }

    /// A failed launch, with the limits that it may have run into.
    fn with_limits(&self, error: Error, kernel: &Kernel, range: &NdRange) -> Error {
        error.with_limits(|code| limits::of_launch(&self.device, kernel, range, code))
    }

    /// Waits until a launch has ended.
    fn wait(&self, event: &Event, kernel: &Kernel, name: &str, range: &NdRange) -> Result<()> {
        let begin = Instant::now();
        let ended = event.wait().during(format!("running {name}"));
        let ended = ended.map_err(|error| self.with_limits(error, kernel, range));
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(ended.as_ref().err(), &|| {
            let call = Call::new("clWaitForEvents").arg("", "1 event");
            call.gave(format!("ok, after {}", seconds(took)))
        });
        ended
    }

    /// Tells the four times of a launch that has ended, where they are asked for.
    pub fn tell_times(&self, event: &Event) {
        if !self.listener.listens() {
            return;
        }
        let times = Profile::of(event);
        let since = |ok: &Profile, to: u64| seconds(to.saturating_sub(ok.queued) as f64 * 1e-9);
        self.listener.call(times.as_ref().err(), &|| {
            let call = Call::new("clGetEventProfilingInfo")
                .also("event")
                .arg("", "the four times");
            match &times {
                Ok(t) => call.gave(format!(
                    "QUEUED 0, SUBMIT +{}, START +{}, END +{}",
                    since(t, t.submit),
                    since(t, t.start),
                    since(t, t.end)
                )),
                Err(_) => call,
            }
        });
    }

    /// Launches and waits until the kernel has ended.
    ///
    /// # Errors
    /// The driver's status.
    pub fn run(&self, kernel: &Kernel, name: &str, range: &NdRange) -> Result<Event> {
        let event = self.launch(kernel, name, range)?;
        self.wait(&event, kernel, name, range)?;
        Ok(event)
    }

    /// Launches these one after another. The queue is in order: none begins before
    /// the one before it ends.
    ///
    /// # Errors
    /// The driver's status.
    pub fn launch_all(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        launches
            .iter()
            .map(|one| self.launch(&one.kernel, &one.name, &one.range))
            .collect()
    }

    /// Waits until the last of several launches, and so all of them, have ended.
    ///
    /// # Errors
    /// The driver's status.
    pub fn wait_for_last(&self, launches: &[Launch], events: &[Event]) -> Result<()> {
        match (launches.last(), events.last()) {
            (Some(last), Some(event)) => self.wait(event, &last.kernel, &last.name, &last.range),
            _ => Ok(()),
        }
    }

    /// Launches these one after another, waits until the last has ended, and gives
    /// their events.
    ///
    /// # Errors
    /// The driver's status.
    pub fn run_all(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        let events = self.launch_all(launches)?;
        self.wait_for_last(launches, &events)?;
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
    ///
    /// # Errors
    /// The driver's status.
    pub fn finish(&self) -> Result<()> {
        self.queue.finish().during("waiting for the queue")
    }

    /// Refuses a product that does not fit, before anything is allocated; `beside`
    /// are the bytes of further copies on the device.
    ///
    /// # Errors
    /// [`Error::Usage`] with the limit, and a size that would fit.
    pub fn must_fit(&self, shape: Shape, ty: Type, beside: u64) -> Result<()> {
        let limits = &self.device.limits;
        let bytes = |rows: usize, cols: usize| rows as u64 * cols as u64 * ty.size() as u64;
        let a = bytes(shape.m, shape.k);
        let b = bytes(shape.k, shape.n);
        let c = bytes(shape.m, shape.n);
        let largest = a.max(b).max(c);
        // A CPU's global memory is the host's, which holds A, B, and several
        // copies of C while it is checked.
        let (together, total) = match self.device.kind {
            Kind::Cpu => (
                "the matrices, on host and device together,",
                2 * (a + b) + 6 * c + beside,
            ),
            _ => ("the matrices together", a + b + c + beside),
        };
        let (what, need, limit) = if largest > limits.max_alloc_bytes {
            ("one matrix", largest, limits.max_alloc_bytes)
        } else if total > limits.global_mem_bytes {
            (together, total, limits.global_mem_bytes)
        } else {
            return Ok(());
        };
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        // Square matrices of this size take what the limit allows.
        let square = largest as f64 * (limit as f64 / need as f64) / ty.size() as f64;
        let side = (square.sqrt() as u64).min(46340) / 8 * 8;
        Err(Error::Usage(format!(
            "too large for {}: {what} would take {:.2} GiB, the limit is {:.2} GiB; try --size {side}",
            self.device.name,
            gib(need),
            gib(limit),
        )))
    }
}
