//! A device that multiplies blocks of matrices: its context, its program, and what it is
//! asked to do.

use std::iter::repeat_n;
use std::ptr;
use std::sync::Arc;

use common::device::{self, Device, Kind};
use common::error::{During, Error, Result};
use common::source::Source;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_PARTITION_BY_COUNTS, Device as ClDevice, SubDevice};
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{cl_device_id, cl_event};

/// This machine's GPUs and its CPUs, without simulators.
pub fn real_devices() -> Result<[Vec<Device>; 2]> {
    let mut all = device::list()?;
    all.retain(|one| !one.is_simulator() && !one.is_llvmpipe());
    let (gpus, cpus) = all.into_iter().partition(|one| one.kind == Kind::Gpu);
    Ok([gpus, cpus])
}

/// A device to be opened, or a part of one.
#[derive(Clone)]
pub struct Target {
    /// What messages call it.
    pub label: String,
    pub kind: Kind,
    pub platform: String,
    /// Floats of a CPU's vector register.
    width: usize,
    pub id: ClDevice,
    /// Keeps a part of a device alive.
    _part: Option<Arc<SubDevice>>,
}

impl Target {
    /// A whole device.
    pub fn of(device: &Device) -> Target {
        Target {
            label: device.label(),
            kind: device.kind,
            platform: device.platform.name.clone(),
            width: device.limits.register_floats(),
            id: device.cl(),
            _part: None,
        }
    }

    /// The device in `count` parts of as many compute units each; none where its driver cannot
    /// do that.
    pub fn parts(device: &Device, count: usize) -> Option<Vec<Target>> {
        let units = device.limits.compute_units / count;
        if units == 0 {
            return None;
        }
        let mut wish = vec![CL_DEVICE_PARTITION_BY_COUNTS];
        wish.extend(repeat_n(units as isize, count));
        wish.extend([0, 0]); // the end of the counts, the end of the list
        let parts = device.cl().create_sub_devices(&wish).ok()?;
        let whole = Target::of(device);
        let part = |(i, part): (usize, SubDevice)| Target {
            label: format!("part {i} of {}", whole.label),
            id: ClDevice::new(part.id()),
            _part: Some(Arc::new(part)),
            ..whole.clone()
        };
        Some(parts.into_iter().enumerate().map(part).collect())
    }
}

/// A device that is ready to multiply.
pub struct Engine {
    pub target: Target,
    pub context: Arc<Context>,
    program: Arc<Program>,
    /// Floats of a vector, in the program's kernel for a CPU.
    width: usize,
}

impl Engine {
    /// Devices that stand beside each other and have one driver share a context, and a program:
    /// NVIDIA's driver builds for all devices of a context or none.
    pub fn open(targets: &[Target], source: &Source) -> Result<Vec<Arc<Engine>>> {
        let mut engines = Vec::new();
        for group in targets.chunk_by(|one, other| one.platform == other.platform) {
            let ids: Vec<cl_device_id> = group.iter().map(|target| target.id.id()).collect();
            let context = Context::from_devices(&ids, &[], None, ptr::null_mut());
            let context = Arc::new(context.during("creating a context")?);
            // Only the kernel for CPUs asks for it.
            let cpus = group.iter().filter(|target| target.kind == Kind::Cpu);
            let width = cpus.map(|cpu| cpu.width).max().unwrap_or(8);
            let program = Program::create_from_source(&context, &source.text);
            let mut program = program.during("loading the kernels")?;
            if let Err(status) = program.build(&ids, &format!("-D WIDTH={width}")) {
                let log = program.get_build_log(ids[0]).unwrap_or_default();
                let (file, label) = (source.path.display(), &group[0].label);
                return Err(Error::Build(format!("{file} on {label}: {status}\n{log}")));
            }
            let program = Arc::new(program);
            engines.extend(group.iter().map(|target| {
                Arc::new(Engine {
                    target: target.clone(),
                    context: context.clone(),
                    program: program.clone(),
                    width,
                })
            }));
        }
        Ok(engines)
    }

    /// The kernel for this kind of device. Arguments are set in it: one for each thread.
    pub fn kernel(&self) -> Result<Kernel> {
        let name = match self.target.kind {
            Kind::Cpu => "multiply_add_cpu",
            _ => "multiply_add_gpu",
        };
        Kernel::create(&self.program, name).during(format!("creating kernel {name}"))
    }

    /// An in-order queue whose events have times.
    pub fn queue(&self) -> Result<CommandQueue> {
        let (id, profiling) = (self.target.id.id(), CL_QUEUE_PROFILING_ENABLE);
        #[allow(deprecated)] // the call that drivers of every version have
        // SAFETY: the id is one of the context's devices, and lives as long as this engine.
        let queue = unsafe { CommandQueue::create(&self.context, id, profiling) };
        queue.during("creating a queue")
    }

    /// Room for so many floats on the device.
    pub fn buffer(&self, floats: usize) -> Result<Buffer<f32>> {
        // SAFETY: no pointer is given that would have to outlive the buffer.
        unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, floats, ptr::null_mut()) }
            .during(format!("allocating {floats} floats"))
    }

    /// Enqueues C = A * B, or C += A * B, after these events. C has `rows` x `columns`
    /// elements, each a sum of `depth` products.
    pub fn multiply(
        &self,
        kernel: &Kernel,
        queue: &CommandQueue,
        [rows, columns, depth]: [usize; 3],
        [a, b, c]: [&Buffer<f32>; 3],
        add: bool,
        after: &[cl_event],
    ) -> Result<Event> {
        // Columns and rows of an item, and items of a group.
        let (each, group) = match (self.target.kind, self.width) {
            (Kind::Cpu, 16) => ([32, 8], [1, 8]),
            (Kind::Cpu, width) => ([2 * width, 4], [1, 8]),
            _ => ([8, 8], [16, 8]),
        };
        let items = [0, 1].map(|i| [columns, rows][i].div_ceil(each[i] * group[i]) * group[i]);
        let mut launch = ExecuteKernel::new(kernel);
        // SAFETY: these are the kernel's arguments, in number, order and type; each buffer
        // holds its block; callers keep them until the event has ended.
        let enqueued = unsafe {
            for size in [rows, columns, depth] {
                launch.set_arg(&(size as i32));
            }
            for buffer in [a, b, c] {
                launch.set_arg(buffer);
            }
            launch
                .set_arg(&i32::from(add))
                .set_global_work_sizes(&items)
                .set_local_work_sizes(&group)
                .set_event_wait_list(after)
                .enqueue_nd_range(queue)
        };
        let label = &self.target.label;
        enqueued.during(format!(
            "multiplying {rows} x {depth} x {columns} on {label}"
        ))
    }
}

/// Sends off what is in these queues. Without it a queue may keep its commands until somebody
/// waits for it, and where another queue waits for their events nobody does.
pub fn flush(queues: &[CommandQueue]) -> Result<()> {
    let mut queues = queues.iter();
    queues.try_for_each(|queue| queue.flush().during("flushing a queue"))
}

/// Waits until these queues have ended all, also where one failed: what they use goes next.
pub fn finish(queues: &[CommandQueue]) -> Result<()> {
    let finished = |queue: &CommandQueue| queue.finish().during("waiting for a queue");
    queues.iter().map(finished).fold(Ok(()), Result::and)
}
