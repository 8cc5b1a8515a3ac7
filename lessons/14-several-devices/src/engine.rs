//! A device that multiplies blocks of matrices: its context, its kernel, and as many queues
//! as it is asked for.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use common::device::{Device, Kind};
use common::error::{During, Error, Result};
use common::source::Source;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_PARTITION_BY_COUNTS, SubDevice};
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{cl_device_id, cl_event};

/// A block of C and the sum that it needs: `rows` x `columns`, over `depth` products.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
}

/// A device that is ready to multiply.
pub struct Engine {
    /// What messages call it.
    pub label: String,
    pub kind: Kind,
    pub context: Arc<Context>,
    kernel: Kernel,
    id: DeviceId,
    /// Floats of a CPU's vector register.
    width: usize,
    /// Keeps a part of a device alive.
    _part: Option<Arc<SubDevice>>,
}

#[derive(Clone, Copy)]
struct DeviceId(cl_device_id);
// SAFETY: OpenCL's calls on a device id are thread-safe (OpenCL 3.0, appendix A.2); opencl3
// says the same of its own wrappers.
unsafe impl Send for DeviceId {}

/// A device to be opened, or a part of one.
#[derive(Clone)]
pub struct Target {
    /// What messages call it.
    pub label: String,
    kind: Kind,
    width: usize,
    id: cl_device_id,
    part: Option<Arc<SubDevice>>,
}

impl Target {
    /// A whole device.
    pub fn of(device: &Device) -> Target {
        Target {
            label: device.label(),
            kind: device.kind,
            width: device.limits.register_floats(),
            id: device.cl().id(),
            part: None,
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
        wish.extend(std::iter::repeat_n(units as isize, count));
        wish.extend([0, 0]); // the end of the counts, the end of the list
        let parts = device.cl().create_sub_devices(&wish).ok()?;
        let whole = Target::of(device);
        let part = |(i, part): (usize, SubDevice)| Target {
            label: format!("part {i} of {}", whole.label),
            id: part.id(),
            part: Some(Arc::new(part)),
            ..whole.clone()
        };
        Some(parts.into_iter().enumerate().map(part).collect())
    }
}

impl Engine {
    /// A device in a context of its own.
    pub fn open(target: &Target) -> Result<Engine> {
        Engine::within(&context(&[target.id])?, target)
    }

    /// Several devices of one driver in one context.
    pub fn open_together(targets: &[Target]) -> Result<Vec<Engine>> {
        let ids: Vec<cl_device_id> = targets.iter().map(|target| target.id).collect();
        let context = context(&ids)?;
        targets
            .iter()
            .map(|target| Engine::within(&context, target))
            .collect()
    }

    fn within(context: &Arc<Context>, target: &Target) -> Result<Engine> {
        let Target {
            label,
            kind,
            width,
            id,
            part,
        } = target.clone();
        let source = Source::of_course("14-several-devices.cl")?;
        let program = Program::create_from_source(context, &source.text);
        let mut program = program.during("loading the kernels")?;
        if program.build(&[id], &format!("-D WIDTH={width}")).is_err() {
            let log = program.get_build_log(id).unwrap_or_default();
            return Err(Error::Build(format!(
                "{} on {label}:\n{log}",
                source.path.display()
            )));
        }
        let name = match kind {
            Kind::Cpu => "multiply_add_cpu",
            _ => "multiply_add_gpu",
        };
        let kernel = Kernel::create(&program, name).during(format!("creating kernel {name}"))?;
        Ok(Engine {
            label,
            kind,
            context: context.clone(),
            kernel,
            id: DeviceId(id),
            width,
            _part: part,
        })
    }

    /// An in-order queue whose events have times.
    pub fn queue(&self) -> Result<CommandQueue> {
        let (context, profiling) = (&self.context, CL_QUEUE_PROFILING_ENABLE);
        #[allow(deprecated)] // the call that drivers of every version have
        // SAFETY: the id is one of the context's devices, and lives as long as this engine.
        let queue = unsafe { CommandQueue::create(context, self.id.0, profiling) };
        queue.during("creating a queue")
    }

    /// Room for so many floats on the device.
    pub fn buffer(&self, floats: usize) -> Result<Buffer<f32>> {
        // SAFETY: no pointer is given that would have to outlive the buffer.
        unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, floats, ptr::null_mut()) }
            .during(format!("allocating {floats} floats"))
    }

    /// Enqueues C = A * B, or C += A * B, after these events.
    pub fn multiply(
        &self,
        queue: &CommandQueue,
        block: Block,
        [a, b, c]: [&Buffer<f32>; 3],
        add: bool,
        after: &[cl_event],
    ) -> Result<Event> {
        let Block {
            rows,
            columns,
            depth,
        } = block;
        let (each, group) = match self.kind {
            Kind::Cpu => (
                [2 * self.width, if self.width == 16 { 8 } else { 4 }],
                [1, 8],
            ),
            _ => ([8, 8], [16, 8]),
        };
        let items = [0, 1].map(|i| [columns, rows][i].div_ceil(each[i] * group[i]) * group[i]);
        let mut launch = ExecuteKernel::new(&self.kernel);
        // SAFETY: these are the kernel's arguments, in number, order and type; each buffer
        // holds its block; callers keep them until the event has ended.
        let enqueued = unsafe {
            for size in [rows, columns, depth] {
                launch.set_arg(&(size as i32));
            }
            launch
                .set_arg(a)
                .set_arg(b)
                .set_arg(c)
                .set_arg(&i32::from(add));
            launch
                .set_global_work_sizes(&items)
                .set_local_work_sizes(&group)
                .set_event_wait_list(after)
                .enqueue_nd_range(queue)
        };
        enqueued.during(format!(
            "multiplying {rows} x {depth} x {columns} on {}",
            self.label
        ))
    }

    /// Enqueues a copy of `floats.len()` floats to a buffer, after these events.
    ///
    /// # Safety
    /// `floats` must stay as it is until the event has ended.
    pub unsafe fn write(
        queue: &CommandQueue,
        buffer: &mut Buffer<f32>,
        floats: &[f32],
        after: &[cl_event],
    ) -> Result<Event> {
        // SAFETY: the caller keeps the floats.
        unsafe { queue.enqueue_write_buffer(buffer, 0, 0, floats, after) }
            .during("writing a buffer")
    }

    /// The same of a rectangle: `columns` floats of each row of a host matrix whose rows are
    /// `pitch` long, from `first`. The buffer holds the rectangle alone.
    ///
    /// # Safety
    /// As [`Engine::write`]: the rectangle must lie in memory of the host that lives, and is
    /// not changed, until the event has ended.
    pub unsafe fn write_columns(
        queue: &CommandQueue,
        buffer: &mut Buffer<f32>,
        first: *const f32,
        [rows, columns, pitch]: [usize; 3],
    ) -> Result<Event> {
        let region = [4 * columns, rows, 1];
        let origin = [0usize; 3];
        // SAFETY: the buffer holds rows x columns floats; the host's side is the caller's.
        unsafe {
            queue.enqueue_write_buffer_rect(
                buffer,
                0,
                origin.as_ptr(),
                origin.as_ptr(),
                region.as_ptr(),
                4 * columns,
                0,
                4 * pitch,
                0,
                first as *mut c_void,
                &[],
            )
        }
        .during("writing columns of a matrix")
    }

    /// The way back, after these events.
    ///
    /// # Safety
    /// The rectangle must be the caller's alone until the event has ended.
    pub unsafe fn read_columns(
        queue: &CommandQueue,
        buffer: &Buffer<f32>,
        first: *mut f32,
        [rows, columns, pitch]: [usize; 3],
        after: &[cl_event],
    ) -> Result<Event> {
        let region = [4 * columns, rows, 1];
        let origin = [0usize; 3];
        // SAFETY: as above.
        unsafe {
            queue.enqueue_read_buffer_rect(
                buffer,
                0,
                origin.as_ptr(),
                origin.as_ptr(),
                region.as_ptr(),
                4 * columns,
                0,
                4 * pitch,
                0,
                first.cast(),
                after,
            )
        }
        .during("reading a block of C")
    }
}

fn context(ids: &[cl_device_id]) -> Result<Arc<Context>> {
    let made = Context::from_devices(ids, &[], None, std::ptr::null_mut());
    made.during("creating a context").map(Arc::new)
}
