//! A kernel's arguments and its launch, which enqueues it; waiting for its end, and the
//! times that its event keeps.

use std::{ffi::c_void, ptr, rc::Rc, time::Instant};

use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::memory::{ClMem, Sampler};
use opencl3::types::{cl_event, cl_mem};
use opencl3::{error_codes::DLOPEN_FUNCTION_NOT_AVAILABLE, event::Event};

use super::{Buffer, Call, Session, limits_of_launch};
use crate::error::{During, Error, Result};
use crate::ndrange::{NdRange, sides};
use verify::{element::Type, numbers::seconds};

/// A kernel, how it is launched, and its arguments: their buffers live as long as the launch.
pub struct Launch {
    /// The kernel, whose arguments are set.
    pub kernel: Kernel,
    /// What messages call it.
    pub name: String,
    /// How it is launched.
    pub range: NdRange,
    /// What its arguments are set to.
    _args: Vec<Arg>,
}

/// One argument of a kernel.
#[derive(Clone)]
pub enum Arg {
    /// A number, of the type that the kernel's argument has, as far as the driver tells it;
    /// else of this one.
    Number(f64, Type),
    /// The bytes of a vector or a struct.
    Bytes(Vec<u8>),
    /// So many bytes of local memory.
    Local(usize),
    /// A buffer in global memory, or an image.
    Buffer(Buffer),
    /// How images are read.
    Sampler(Rc<Sampler>),
}

impl Arg {
    /// An `int`.
    pub const fn int(value: i32) -> Arg {
        Arg::Number(value as f64, Type::Int)
    }

    /// A `float`.
    pub const fn float(value: f32) -> Arg {
        Arg::Number(value as f64, Type::Float)
    }

    /// A vector or a struct of so many bytes: where each part begins, its value, and its type.
    pub fn of_parts(size: usize, parts: &[(usize, f64, Type)]) -> Arg {
        let mut bytes = vec![0; size];
        for (at, value, ty) in parts {
            let part = ty.encode(*value);
            if let Some(place) = bytes.get_mut(*at..*at + part.len()) {
                place.copy_from_slice(&part);
            }
        }
        Arg::Bytes(bytes)
    }
}

impl Session {
    /// A launch of a kernel, which messages call `name`, with these arguments, in order.
    pub fn set_args(
        &self,
        kernel: Kernel,
        name: String,
        range: NdRange,
        args: Vec<Arg>,
    ) -> Result<Launch> {
        for (i, arg) in args.iter().enumerate() {
            let index = i as u32;
            // As far as the driver keeps it.
            let told = |what: opencl3::Result<String>| {
                diagnostics::terminal::plain_name(what.unwrap_or_default().trim_matches('\0'))
            };
            let number = match arg {
                Arg::Number(value, ty) => {
                    let told = told(kernel.get_arg_type_name(index));
                    let told = Type::named(if told == "bool" { "uchar" } else { &told });
                    Some(told.unwrap_or(*ty).encode(*value))
                }
                Arg::Bytes(bytes) => Some(bytes.clone()),
                _ => None,
            };
            let handle = match arg {
                Arg::Buffer(buffer) => buffer.memory.get(),
                Arg::Sampler(sampler) => sampler.get(),
                _ => ptr::null_mut(),
            };
            let (bytes, from) = match (arg, &number) {
                (Arg::Local(bytes), _) => (*bytes, ptr::null()),
                (_, Some(number)) => (number.len(), number.as_ptr().cast::<c_void>()),
                _ => (size_of::<cl_mem>(), ptr::from_ref(&handle).cast()),
            };
            // SAFETY: `from` points to as many bytes as are told, or is null for local memory;
            // they have the type that the driver tells of the argument, or that
            // Program::kernel has held against its signature, and where the driver keeps
            // none, it refuses a value of another size (CL_INVALID_ARG_SIZE). The driver
            // copies it. The launch keeps the buffers.
            let set = unsafe { set_kernel_arg(kernel.get(), index, bytes, from) };
            let set = set.during(format!("setting argument {i} of {name}"));
            self.listener.call(set.as_ref().err(), &|| {
                let value = match arg {
                    Arg::Number(value, _) => (*value as f32).to_string(),
                    Arg::Bytes(bytes) => format!("{} bytes", bytes.len()),
                    Arg::Local(bytes) => format!("{bytes} bytes of local memory"),
                    Arg::Buffer(buffer) => buffer.name.to_string(),
                    Arg::Sampler(_) => "sampler".into(),
                };
                let (ty, name) = (kernel.get_arg_type_name(index), kernel.get_arg_name(index));
                let (ty, name) = (told(ty), told(name));
                let gap = if ty.ends_with('*') { "" } else { " " };
                let label = format!("{ty}{gap}{name}");
                let value = match label.trim() {
                    "" => value,
                    label => format!("{label} = {value}"),
                };
                let arguments = ["~kernel", &i.to_string(), &format!("~{bytes} bytes"), &value];
                Call::new("clSetKernelArg", &arguments)
            });
            set?;
        }
        Ok(Launch { kernel, name, range, _args: args })
    }

    /// Enqueues a kernel whose arguments are set, to begin when these events of other queues have
    /// ended. Nothing has run when this returns: wait for the event.
    pub fn launch(&self, launch: &Launch, after: &[cl_event]) -> Result<Event> {
        let Launch { kernel, name, range, .. } = launch;
        let (global, local) = (range.global(), range.local());
        self.printed.take();
        let begin = Instant::now();
        // SAFETY: the sizes' pointers live through the call, and all lists of an NdRange that
        // are passed have as many entries as the dimension says. The launch keeps its buffers, and the
        // driver those of what is enqueued. What the kernel itself does is its author's
        // word; the guards beside its buffers and Oclgrind watch over it.
        let event = unsafe {
            self.queue.enqueue_nd_range_kernel(
                kernel.get(),
                global.len() as u32,
                range.offset_pointer(),
                global.as_ptr(),
                local.as_ptr(),
                after,
            )
        }
        .during(format!("launching {name} with global size {global:?} and local size {local:?}"))
        .map_err(|error| self.with_limits(error, launch));
        if event.is_err() {
            self.printed.pass_on(&self.device);
        }
        let took = begin.elapsed().as_secs_f64();
        self.listener.call(event.as_ref().err(), &|| {
            let dimensions = format!("~{}D", global.len());
            let [global, local] = [("global", global), ("local", local)]
                .map(|(what, of)| format!("{what} = {}", sides(of)));
            let arguments = ["~queue", &**name, &dimensions, &global, &local];
            let call = Call::new("clEnqueueNDRangeKernel", &arguments);
            call.gave(format!("event, after {}", seconds(took)))
        });
        event
    }

    /// Runs all launches so many times in a row, the first and the last with an event, which it
    /// gives when the last has ended. Those between have none: it costs as much as a short kernel
    /// takes, and opencl3 asks for it in any case.
    pub fn run_in_a_row(&self, launches: &[Launch], times: usize) -> Result<Vec<Event>> {
        let all = launches.len() * times;
        let mut events = Vec::new();
        for (i, launch) in launches.iter().cycle().take(all).enumerate() {
            if i == 0 || i + 1 == all {
                events.push(self.launch(launch, &[])?);
                continue;
            }
            let Launch { kernel, range, .. } = launch;
            let status = cl3::load_library().as_ref().ok().and_then(|library| {
                library.clEnqueueNDRangeKernel(
                    self.queue.get(),
                    kernel.get(),
                    range.global().len() as u32,
                    range.offset_pointer(),
                    range.global().as_ptr(),
                    range.local().as_ptr(),
                    0,
                    ptr::null(),
                    ptr::null_mut(),
                )
            });
            match status.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE) {
                0 => {}
                status => Err(status).during(format!("launching {}", launch.name))?,
            }
        }
        self.wait(launches, &events)?;
        Ok(events)
    }

    /// A failed launch, with the limits that it may have run into.
    fn with_limits(&self, error: Error, launch: &Launch) -> Error {
        error
            .with_limits(|code| limits_of_launch(&self.device, &launch.kernel, &launch.range, code))
    }

    /// Waits until the last of several launches, and so all of them, have ended. It fails where a
    /// kernel did, with the limits that it may have met.
    pub fn wait(&self, launches: &[Launch], events: &[Event]) -> Result<()> {
        let Some((launch, event)) = launches.last().zip(events.last()) else { return Ok(()) };
        let begin = Instant::now();
        let ended = event.wait().during(format!("running {}", launch.name));
        let ended = ended.map_err(|error| self.with_limits(error, launch));
        let took = begin.elapsed().as_secs_f64();
        self.printed.pass_on(&self.device);
        self.listener.call(ended.as_ref().err(), &|| {
            let call = Call::new("clWaitForEvents", &["1 event"]);
            call.gave(format!("ok, after {}", seconds(took)))
        });
        ended
    }

    /// Tells the four times of a launch that has ended, where they are asked for.
    pub fn tell_times(&self, event: &Event) {
        if self.listener.listens() {
            let times = crate::timing::Profile::of(event);
            self.listener.call(times.as_ref().err(), &|| {
                let call = Call::new("clGetEventProfilingInfo", &["~event", "the four times"]);
                let Ok(t) = &times else { return call };
                let since = |to: u64| seconds(to.saturating_sub(t.queued) as f64 * 1e-9);
                let [submit, start, end] = [t.submit, t.start, t.end].map(since);
                call.gave(format!("QUEUED 0, SUBMIT +{submit}, START +{start}, END +{end}"))
            });
        }
    }

    /// Launches these one after another. The queue is in order: none begins before
    /// the one before it ends.
    pub fn launch_all(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        launches.iter().map(|one| self.launch(one, &[])).collect()
    }

    /// Launches these one after another, waits until the last has ended, and gives
    /// their events.
    pub fn run(&self, launches: &[Launch]) -> Result<Vec<Event>> {
        let events = self.launch_all(launches)?;
        self.wait(launches, &events)?;
        Ok(events)
    }

    /// Puts a launch into groups that its kernel asks for, and has room for on this device, unless
    /// they are `fixed`; why it cannot be launched, where it has none.
    pub fn fit_groups(&self, kernel: &Kernel, range: &mut NdRange, fixed: bool) -> Option<String> {
        let (id, limits) = (self.device.cl.id(), &self.device.limits);
        let told = kernel.get_compile_work_group_size(id).unwrap_or_default();
        let required = told.get(..range.local().len()).filter(|sides| sides[0] > 0);
        if let Some(sides) = required.filter(|_| !fixed) {
            range.regroup(sides);
        }
        let most = limits.max_work_group_size;
        // Some drivers tell a default for the kernel although it names its group.
        let room = match required == Some(range.local()) {
            true => most,
            false => kernel.get_work_group_size(id).unwrap_or(most).min(most),
        };
        if !fixed {
            range.shrink_groups(room);
        }
        range.refusal(limits, room)
    }
}
