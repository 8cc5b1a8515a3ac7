//! Steps 2 to 11, each told, timed and shown by `--step` as it is made. `examples/saxpy`
//! makes the same calls without a word.

use std::ptr;
use std::time::Instant;

use common::error::During;
use common::ndrange::NdRange;
use common::program::{diagnose, misfit};
use common::timing::Profile;
use common::{Error, Result};
use lesson::Lesson;
use narrate::{Beat, Narrator};
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, ClMem};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};

use super::problem::{CANARY, GROUP, Saxpy};
use super::{check, tell};

/// What one device took, in seconds.
pub struct Times {
    pub build: f64,
    pub write: f64,
    pub read: f64,
    pub launches: Launches,
}

/// What the launches took, in seconds.
pub struct Launches {
    /// The first one, which may include the driver's last compilation.
    pub first: Profile,
    pub timed: Vec<Profile>,
    /// Until the enqueue call returned, and until the kernel had ended, by the
    /// host's clock.
    pub enqueue: Vec<f64>,
    pub wall: Vec<f64>,
}

/// A, B, C. Each has the type that the kernel's argument has.
type Buffers = [Buffer<cl_float>; 3];

/// Who makes the steps.
struct Steps<'a> {
    lesson: &'a mut Lesson,
    narrator: Narrator,
    saxpy: &'a Saxpy,
    /// Whether each step is announced.
    aloud: bool,
}

/// Steps 2 to 11 on one device. With `aloud` each is announced.
pub fn eleven_steps(
    lesson: &mut Lesson,
    device: &Device,
    saxpy: &Saxpy,
    aloud: bool,
) -> Result<Times> {
    let mut steps = Steps {
        narrator: tell::narrator(lesson, aloud),
        lesson,
        saxpy,
        aloud,
    };
    let context = steps.context(device)?;
    let (program, build) = steps.program(&context, device)?;
    let kernel = steps.kernel(&program, build)?;
    let mut buffers = steps.buffers(&context)?;
    let queue = steps.queue(&context, &buffers)?;
    let write = steps.write(&queue, &mut buffers)?;
    steps.arguments(&kernel, &buffers)?;
    let launches = steps.launch(&queue, &kernel)?;
    let (result, read) = steps.read(&queue, &buffers[2])?;
    steps.check(&queue, &buffers, &result)?;
    // Dropping queue, buffers, kernel, program and context releases them.
    steps.say("  11  release: each object when it goes out of scope".into())?;
    Ok(Times {
        build,
        write,
        read,
        launches,
    })
}

impl Steps<'_> {
    fn say(&self, text: String) -> Result<()> {
        if self.aloud {
            self.lesson.say(text)
        } else {
            Ok(())
        }
    }

    /// A context holds what devices share: programs and buffers.
    fn context(&self, device: &Device) -> Result<Context> {
        let context = Context::from_device(device).during("creating a context")?;
        tell::context(&self.narrator);
        self.say("   2  context: this device alone".into())?;
        Ok(context)
    }

    /// The program is built now, from text, for this very device. Two calls, because the
    /// log of a failed build is kept by the program.
    fn program(&self, context: &Context, device: &Device) -> Result<(Program, f64)> {
        let source = &self.saxpy.source;
        self.narrator.beat(Beat::Build)?;
        let start = Instant::now();
        let mut program = Program::create_from_source(context, &source.text)
            .during("loading the program's text")?;
        if program
            .build(&[device.id()], "-cl-kernel-arg-info")
            .is_err()
        {
            let log = program.get_build_log(device.id()).unwrap_or_default();
            let raw = self.lesson.flags().raw_log;
            return Err(Error::Build(diagnose(&log, source, raw)));
        }
        Ok((program, start.elapsed().as_secs_f64()))
    }

    /// One function of the program, which has its own arguments.
    fn kernel(&self, program: &Program, build: f64) -> Result<Kernel> {
        let source = &self.saxpy.source;
        let kernel = Kernel::create(program, "saxpy").during("creating the kernel")?;
        tell::program(&self.narrator, source, build);
        let types = ["int", "float", "float*", "float*", "float*"];
        must_take(&kernel, &types, &source.text)?;
        self.say(format!("   3  program: built in {:.1} ms", build * 1e3))?;
        Ok(kernel)
    }

    /// Buffers live in the device's memory. The size is a count of elements.
    fn buffers(&self, context: &Context) -> Result<Buffers> {
        let n = self.saxpy.a.len();
        self.narrator.beat(Beat::Allocate)?;
        // SAFETY: no host pointer is given, so none has to outlive the buffer.
        let buffer = |flags, count| unsafe {
            Buffer::<cl_float>::create(context, flags, count, ptr::null_mut())
        };
        let a = buffer(CL_MEM_READ_ONLY, n).during("allocating A")?;
        let b = buffer(CL_MEM_READ_ONLY, n).during("allocating B")?;
        let c = buffer(CL_MEM_WRITE_ONLY, n + CANARY).during("allocating C")?;
        tell::buffers(&self.narrator, n);
        let bytes = n * size_of::<f32>();
        self.say(format!(
            "   4  buffers: A, B and C of {n} floats, {bytes} bytes each"
        ))?;
        Ok([a, b, c])
    }

    /// The queue takes commands in order, and notes when each began and ended.
    fn queue(&self, context: &Context, buffers: &Buffers) -> Result<CommandQueue> {
        #[allow(deprecated)] // the newer call does not exist on OpenCL 1.x drivers
        let queue = CommandQueue::create_default(context, CL_QUEUE_PROFILING_ENABLE)
            .during("creating a queue")?;
        let n = self.saxpy.a.len();
        tell::queue(&self.narrator, &queue, buffers.each_ref(), n);
        self.say("   5  queue: in order, with profiling".into())?;
        Ok(queue)
    }

    /// C and what lies behind it are filled with NaN: an element that nobody
    /// writes is noticed, and a write past the end, too.
    fn write(&self, queue: &CommandQueue, buffers: &mut Buffers) -> Result<f64> {
        let Saxpy { a, b, .. } = self.saxpy;
        self.narrator.beat(Beat::Write)?;
        let nothing = vec![f32::NAN; a.len() + CANARY];
        let start = Instant::now();
        for (buffer, data) in buffers.iter_mut().zip([a, b, &nothing]) {
            // SAFETY: the call blocks until `data` has been copied.
            unsafe { queue.enqueue_write_buffer(buffer, CL_BLOCKING, 0, data, &[]) }
                .during("writing a buffer")?;
        }
        // Three vectors travelled, of which saxpy needs two.
        let write = start.elapsed().as_secs_f64() * 2.0 / 3.0;
        tell::writes(&self.narrator, a.len());
        self.say(format!(
            "   6  write: A and B to the device in {:.1} ms",
            write * 1e3
        ))?;
        Ok(write)
    }

    /// Each argument by its position; its size is that of the value's type.
    fn arguments(&self, kernel: &Kernel, [a, b, c]: &Buffers) -> Result<()> {
        let (n, d) = (self.saxpy.a.len(), self.saxpy.d);
        self.narrator.beat(Beat::Arguments)?;
        // SAFETY: position, type and number agree with the kernel's signature:
        // (int, float, float *, float *, float *).
        unsafe {
            kernel.set_arg(0, &(n as cl_int)).during("setting n")?;
            kernel.set_arg(1, &(d as cl_float)).during("setting d")?;
            kernel.set_arg(2, &a.get()).during("setting A")?;
            kernel.set_arg(3, &b.get()).during("setting B")?;
            kernel.set_arg(4, &c.get()).during("setting C")?;
        }
        tell::arguments(&self.narrator, n, d);
        self.say(format!("   7  arguments: n = {n}, d = {d}, A, B, C"))
    }

    /// The global size counts items, not groups, and is rounded up to whole groups.
    fn launch(&mut self, queue: &CommandQueue, kernel: &Kernel) -> Result<Launches> {
        let (n, runs) = (self.saxpy.a.len(), self.saxpy.runs);
        let global = [n.next_multiple_of(GROUP)];
        let local = [GROUP];
        self.narrator.beat(Beat::Launch)?;
        self.lesson.console.doing("running saxpy")?;
        let (mut timed, mut enqueue, mut wall) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..=runs {
            let start = Instant::now();
            // SAFETY: both sizes have one dimension, as the call says.
            let event = unsafe {
                queue.enqueue_nd_range_kernel(
                    kernel.get(),
                    1,
                    ptr::null(),
                    global.as_ptr(),
                    local.as_ptr(),
                    &[],
                )
            }
            .during("launching saxpy")?;
            enqueue.push(start.elapsed().as_secs_f64());
            // Nothing has run until the event says so.
            event.wait().during("running saxpy")?;
            wall.push(start.elapsed().as_secs_f64());
            timed.push(Profile::of(&event)?);
        }
        let first = timed.remove(0);
        enqueue.remove(0);
        wall.remove(0);
        tell::launch(&self.narrator, &NdRange::cover(&[n], &[GROUP]), first);
        self.say(format!(
            "   8  launch: {} items in groups of {GROUP}, {} times",
            global[0],
            runs + 1
        ))?;
        Ok(Launches {
            first,
            timed,
            enqueue,
            wall,
        })
    }

    /// C, back in the memory of the host.
    fn read(&self, queue: &CommandQueue, c: &Buffer<cl_float>) -> Result<(Vec<f32>, f64)> {
        let n = self.saxpy.a.len();
        self.narrator.beat(Beat::Read)?;
        // Filled, not merely reserved: the first touch of a page costs time, too.
        let mut result = vec![0.0f32; n + CANARY];
        result.fill(f32::INFINITY);
        let start = Instant::now();
        // SAFETY: the call blocks until `result` has been filled.
        unsafe { queue.enqueue_read_buffer(c, CL_BLOCKING, 0, &mut result, &[]) }
            .during("reading C")?;
        let read = start.elapsed().as_secs_f64();
        tell::read(&self.narrator, n, read);
        self.say(format!(
            "   9  read: C back to the host in {:.1} ms",
            read * 1e3
        ))?;
        Ok((result, read))
    }

    fn check(&self, queue: &CommandQueue, [a, b, _]: &Buffers, result: &[f32]) -> Result<()> {
        let saxpy = self.saxpy;
        self.narrator.beat(Beat::Check)?;
        check::must_be_kept(queue, "A", a, &saxpy.a)?;
        check::must_be_kept(queue, "B", b, &saxpy.b)?;
        check::must_be_right(saxpy, result).map_err(Error::Wrong)?;
        let n = saxpy.a.len();
        tell::right(&self.narrator, n);
        self.say(format!("  10  use: all {n} elements are right"))
    }
}

/// Refuses a kernel with other arguments, as far as the driver tells them.
fn must_take(kernel: &Kernel, types: &[&str], text: &str) -> Result<()> {
    let signature: Vec<String> = types.iter().map(|ty| ty.to_string()).collect();
    let refuse = |why: String| {
        let wanted = types.join(", ");
        Err(Error::Build(format!(
            "kernel saxpy {why}; the lesson launches saxpy({wanted})"
        )))
    };
    misfit(kernel, &signature, text)?.map_or(Ok(()), refuse)
}
