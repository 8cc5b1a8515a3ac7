//! Lesson 2: saxpy, C = d * A + B. The program of `examples/plain.rs`, told: the same
//! eleven steps on opencl3, each announced, timed and shown by `--step`. Then the same
//! with a kernel that comes to the memory's limit, and what the transfers cost.

mod check;
mod compare;
mod problem;
mod stream;
mod tell;
mod transfer;
mod vector;

use std::process::ExitCode;
use std::ptr;
use std::time::Instant;

use common::device::{Candidate, Kind, choose_as_told};
use common::error::During;
use common::ndrange::NdRange;
use common::program::{diagnose, misfit};
use common::timing::Profile;
use common::{Error, Result};
use narrate::Beat;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device};
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, ClMem};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};
use runner::{Lesson, lesson};
use text::plain_name;

use problem::Saxpy;

/// Items of a work-group: a multiple of what every GPU runs in lockstep, and no
/// more than what every device allows.
const GROUP: usize = 256;
/// Floats behind C that the kernel must leave alone.
const CANARY: usize = 64;

/// What one device took, in seconds.
struct Times {
    build: f64,
    write: f64,
    read: f64,
    /// The first launch, which may include the driver's last compilation.
    first: Profile,
    launches: Vec<Profile>,
    /// Until the enqueue call returned, and until the kernel had ended, by the
    /// host's clock.
    enqueue: Vec<f64>,
    wall: Vec<f64>,
}

fn main() -> ExitCode {
    lesson(2, "saxpy", Some("02-saxpy.cl"), |lesson| {
        // Step 1: every device of every platform.
        lesson.console.narrator.beat(Beat::Device)?;
        lesson.console.doing("looking for devices")?;
        let platforms = get_platforms().unwrap_or_default();
        let mut devices = Vec::new();
        let mut candidates = Vec::new();
        for platform in &platforms {
            // A platform may have no device; that is no error here.
            for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
                let device = Device::new(id);
                candidates.push(describe(&device, &platform.name().unwrap_or_default()));
                devices.push(device);
            }
        }
        if devices.is_empty() {
            // Why there is none is told by the library: no loader, no driver, or no device.
            common::device::list()?;
        }
        lesson.console.narrator.platforms();
        let choice = choose_as_told(&candidates, lesson.flags().selector().as_deref())?;
        let chosen = &candidates[choice.index];
        lesson.say(format!(
            "   1  {} platform(s), {} device(s); using {}, {}",
            platforms.len(),
            devices.len(),
            chosen.name,
            choice.reason
        ))?;
        let saxpy = problem::problem(lesson, chosen, &devices[choice.index])?;
        if lesson.flags().wants("saxpy") {
            by_hand(lesson, &saxpy, &devices[choice.index], chosen)?;
        }
        vector::measure(lesson, &saxpy)?;
        compare::host(lesson, &saxpy)?;
        compare::every_device(lesson, &saxpy, &devices, &candidates)
    })
}

/// The eleven steps, unless the learner's own file holds the other kernel only.
fn by_hand(
    lesson: &mut Lesson,
    saxpy: &Saxpy,
    device: &Device,
    candidate: &Candidate,
) -> Result<()> {
    let narrator = lesson.console.narrator.clone();
    narrator.kernel(|| tell::card(saxpy))?;
    lesson.once(compare::begun(saxpy, candidate), |lesson| {
        if let Some(reason) = lesson.left_out("saxpy")? {
            lesson.table("GB/s")?;
            let record = lesson.record("saxpy", "", saxpy.shape())?;
            return lesson.console.row(record.skip(reason));
        }
        narrator.again(|| {
            let times = eleven_steps(lesson, device, saxpy, true)?;
            compare::report(lesson, saxpy, &times)
        })
    })
}

fn describe(device: &Device, platform: &str) -> Candidate {
    let bits = device.dev_type().unwrap_or(0);
    let kind = match bits {
        _ if bits & CL_DEVICE_TYPE_GPU != 0 => Kind::Gpu,
        _ if bits & CL_DEVICE_TYPE_CPU != 0 => Kind::Cpu,
        _ => Kind::Other,
    };
    Candidate {
        name: plain_name(&device.name().unwrap_or_default()),
        platform: plain_name(platform),
        kind,
        compute_units: device.max_compute_units().unwrap_or(1) as usize,
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

/// Steps 2 to 11 on one device. With `aloud` each is announced.
fn eleven_steps(lesson: &mut Lesson, device: &Device, saxpy: &Saxpy, aloud: bool) -> Result<Times> {
    let n = saxpy.a.len();
    let bytes = n * size_of::<f32>();
    let narrator = tell::narrator(lesson, aloud);
    let say = |text: String| if aloud { lesson.say(text) } else { Ok(()) };

    // A context holds what devices share: programs and buffers.
    let context = Context::from_device(device).during("creating a context")?;
    tell::context(&narrator);
    say("   2  context: this device alone".into())?;

    // The program is built now, from text, for this very device. Two calls,
    // because the log of a failed build is kept by the program.
    narrator.beat(Beat::Build)?;
    let start = Instant::now();
    let mut program = Program::create_from_source(&context, &saxpy.source.text)
        .during("loading the program's text")?;
    if program
        .build(&[device.id()], "-cl-kernel-arg-info")
        .is_err()
    {
        let log = program.get_build_log(device.id()).unwrap_or_default();
        let raw = lesson.flags().raw_log;
        return Err(Error::Build(diagnose(&log, &saxpy.source, raw)));
    }
    let build = start.elapsed().as_secs_f64();
    let kernel = Kernel::create(&program, "saxpy").during("creating the kernel")?;
    tell::program(&narrator, &saxpy.source, build);
    let types = ["int", "float", "float*", "float*", "float*"];
    must_take(&kernel, &types, &saxpy.source.text)?;
    say(format!("   3  program: built in {:.1} ms", build * 1e3))?;

    // Buffers live in the device's memory. The size is a count of elements.
    narrator.beat(Beat::Allocate)?;
    // SAFETY: no host pointer is given, so none has to outlive the buffer.
    let buffer = |flags, count| unsafe {
        Buffer::<cl_float>::create(&context, flags, count, ptr::null_mut())
    };
    let mut a = buffer(CL_MEM_READ_ONLY, n).during("allocating A")?;
    let mut b = buffer(CL_MEM_READ_ONLY, n).during("allocating B")?;
    let mut c = buffer(CL_MEM_WRITE_ONLY, n + CANARY).during("allocating C")?;
    tell::buffers(&narrator, n);
    say(format!(
        "   4  buffers: A, B and C of {n} floats, {bytes} bytes each"
    ))?;

    // The queue takes commands in order, and notes when each began and ended.
    #[allow(deprecated)] // the newer call does not exist on OpenCL 1.x drivers
    let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)
        .during("creating a queue")?;
    tell::queue(&narrator, &queue, [&a, &b, &c], n);
    say("   5  queue: in order, with profiling".into())?;

    // C and what lies behind it are filled with NaN: an element that nobody
    // writes is noticed, and a write past the end, too.
    narrator.beat(Beat::Write)?;
    let nothing = vec![f32::NAN; n + CANARY];
    let start = Instant::now();
    for (buffer, data) in [(&mut a, &saxpy.a), (&mut b, &saxpy.b), (&mut c, &nothing)] {
        // SAFETY: the call blocks until `data` has been copied.
        unsafe { queue.enqueue_write_buffer(buffer, CL_BLOCKING, 0, data, &[]) }
            .during("writing a buffer")?;
    }
    // Three vectors travelled, of which saxpy needs two.
    let write = start.elapsed().as_secs_f64() * 2.0 / 3.0;
    tell::writes(&narrator, n);
    say(format!(
        "   6  write: A and B to the device in {:.1} ms",
        write * 1e3
    ))?;

    narrator.beat(Beat::Arguments)?;
    // Each argument by its position; its size is that of the value's type.
    // SAFETY: position, type and number agree with the kernel's signature:
    // (int, float, float *, float *, float *).
    unsafe {
        kernel.set_arg(0, &(n as cl_int)).during("setting n")?;
        kernel
            .set_arg(1, &(saxpy.d as cl_float))
            .during("setting d")?;
        kernel.set_arg(2, &a.get()).during("setting A")?;
        kernel.set_arg(3, &b.get()).during("setting B")?;
        kernel.set_arg(4, &c.get()).during("setting C")?;
    }
    tell::arguments(&narrator, n, saxpy.d);
    say(format!(
        "   7  arguments: n = {n}, d = {}, A, B, C",
        saxpy.d
    ))?;

    // The global size counts items, not groups, and is rounded up to whole groups.
    let global = [n.next_multiple_of(GROUP)];
    let local = [GROUP];
    narrator.beat(Beat::Launch)?;
    lesson.console.doing("running saxpy")?;
    let (mut launches, mut enqueue, mut wall) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..=saxpy.runs {
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
        launches.push(Profile::of(&event)?);
    }
    let first = launches.remove(0);
    enqueue.remove(0);
    wall.remove(0);
    tell::launch(&narrator, &NdRange::cover(&[n], &[GROUP]), first);
    let say = |text: String| if aloud { lesson.say(text) } else { Ok(()) };
    say(format!(
        "   8  launch: {} items in groups of {GROUP}, {} times",
        global[0],
        saxpy.runs + 1
    ))?;

    narrator.beat(Beat::Read)?;
    // Filled, not merely reserved: the first touch of a page costs time, too.
    let mut result = vec![0.0f32; n + CANARY];
    result.fill(f32::INFINITY);
    let start = Instant::now();
    // SAFETY: the call blocks until `result` has been filled.
    unsafe { queue.enqueue_read_buffer(&c, CL_BLOCKING, 0, &mut result, &[]) }
        .during("reading C")?;
    let read = start.elapsed().as_secs_f64();
    tell::read(&narrator, n, read);
    say(format!(
        "   9  read: C back to the host in {:.1} ms",
        read * 1e3
    ))?;

    narrator.beat(Beat::Check)?;
    check::must_be_kept(&queue, "A", &a, &saxpy.a)?;
    check::must_be_kept(&queue, "B", &b, &saxpy.b)?;
    check::must_be_right(saxpy, &result).map_err(Error::Wrong)?;
    tell::right(&narrator, n);
    say(format!("  10  use: all {n} elements are right"))?;

    // Dropping queue, buffers, kernel, program and context releases them.
    say("  11  release: each object when it goes out of scope".into())?;
    Ok(Times {
        build,
        write,
        read,
        first,
        launches,
        enqueue,
        wall,
    })
}
