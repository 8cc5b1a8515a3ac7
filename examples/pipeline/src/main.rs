//! Data that pass through the device: each chunk is uploaded, worked on and downloaded. In
//! plain order one engine works and two wait. Here each engine has a queue of its own, events
//! keep a chunk's three commands in order, and the engines work at the same time, each on
//! another chunk. The host's memory is pinned, or the driver would copy it by itself first.
//! `cargo course new pipeline DIR` makes it a package of your own.
//!
//!     cargo run --release                  16 chunks of 1 MiB, 64 rounds in the kernel
//!     cargo run --release -- 32 16 1000    32 chunks of 16 MiB, 1000 rounds
//!
//! `cargo course calls --svg FILE PROGRAM` draws when each queue's commands ran.

use std::{process::ExitCode, ptr, slice};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR};
use opencl3::memory::{CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_uint, cl_ulong};
use opencl3::{Result, context::Context, platform::get_platforms, program::Program};

/// A generator of random numbers, so many rounds: work for the device that the host can check
/// without doing it, since all rounds together are one multiplication and one addition.
const SOURCE: &str = "
kernel void generate(uint rounds, global uint *numbers)
{
    const size_t i = get_global_id(0);
    uint number = numbers[i];
    for (uint round = 0; round < rounds; round++)
        number = number * 1664525 + 1013904223;
    numbers[i] = number;
}";
const GROUP: usize = 64;

/// What both orders work on.
struct Work {
    kernel: Kernel,
    rounds: cl_uint,
    /// Of each chunk: its buffer on the device.
    chunks: Vec<Buffer<cl_uint>>,
    input: Pinned,
    output: Pinned,
}

/// Memory of the host that stays where it is: a mapped buffer.
struct Pinned {
    buffer: Buffer<cl_uint>,
    address: *mut cl_uint,
    length: usize,
}

impl Pinned {
    fn new(context: &Context, queue: &CommandQueue, length: usize) -> Result<Pinned> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        let mut address = ptr::null_mut();
        // SAFETY: no memory of the host is passed; the mapping blocks, so the address is valid
        // from here on, until it is given back.
        let buffer = unsafe {
            let buffer = Buffer::create(context, flags, length, ptr::null_mut())?;
            let bytes = length * size_of::<cl_uint>();
            let (access, map) = (CL_MAP_READ | CL_MAP_WRITE, &mut address);
            queue.enqueue_map_buffer(&buffer, CL_BLOCKING, access, 0, bytes, map, &[])?;
            buffer
        };
        Ok(Pinned { buffer, address: address.cast(), length })
    }

    fn numbers(&mut self) -> &mut [cl_uint] {
        // SAFETY: the mapping is so long, and no command uses it while the slice lives.
        unsafe { slice::from_raw_parts_mut(self.address, self.length) }
    }

    fn give_back(&self, queue: &CommandQueue) -> Result<()> {
        // SAFETY: the address came from mapping this buffer, and nobody uses it from here on.
        unsafe { queue.enqueue_unmap_mem_object(self.buffer.get(), self.address.cast(), &[])? };
        queue.finish()
    }
}

impl Work {
    /// Puts all commands into these queues; they are three, or three times the same one.
    fn enqueue(&mut self, [up, work, down]: [&CommandQueue; 3]) -> Result<Vec<[Event; 3]>> {
        let length = self.input.length / self.chunks.len();
        let mut events = Vec::new();
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let part = number * length..(number + 1) * length;
            // SAFETY: the pinned memory outlives the commands, since the caller waits for
            // them; input is only read, and each chunk has a part of output to itself. The
            // arguments have their parameters' types. Events keep the three in order.
            events.push(unsafe {
                let (from, to) = (self.input.address, self.output.address);
                let from = slice::from_raw_parts(from.add(part.start), length);
                let to = slice::from_raw_parts_mut(to.add(part.start), length);
                let written = up.enqueue_write_buffer(chunk, CL_NON_BLOCKING, 0, from, &[])?;
                let worked = ExecuteKernel::new(&self.kernel)
                    .set_arg(&self.rounds)
                    .set_arg(chunk)
                    .set_global_work_size(length)
                    .set_local_work_size(GROUP)
                    .set_wait_event(&written)
                    .enqueue_nd_range(work)?;
                let wait = [worked.get()];
                let read = down.enqueue_read_buffer(chunk, CL_NON_BLOCKING, 0, to, &wait)?;
                // A driver may keep commands back until somebody asks for their end.
                up.flush()?;
                work.flush()?;
                down.flush()?;
                [written, worked, read]
            });
        }
        for queue in [up, work, down] {
            queue.finish()?;
        }
        Ok(events)
    }

    /// Whether the output is what so many rounds make of the input; forgets it.
    fn is_right(&mut self) -> bool {
        let (mut factor, mut summand) = (1u32, 0u32);
        for _ in 0..self.rounds {
            factor = factor.wrapping_mul(1_664_525);
            summand = summand.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        let input = self.input.numbers().iter();
        let expected = input.map(|number| number.wrapping_mul(factor).wrapping_add(summand));
        let right = expected.eq(self.output.numbers().iter().copied());
        self.output.numbers().fill(0);
        right
    }
}

/// When each chunk's three commands began and ended, in seconds from the first begin.
type Times = Vec<[(f64, f64); 3]>;

fn times(events: &[[Event; 3]]) -> Result<Times> {
    let begin = events[0][0].profiling_command_start()?;
    let seconds = |time: cl_ulong| time.saturating_sub(begin) as f64 * 1e-9;
    let time = |event: &Event| -> Result<(f64, f64)> {
        let (start, end) = (event.profiling_command_start()?, event.profiling_command_end()?);
        Ok((seconds(start), seconds(end)))
    };
    let all = events.iter().map(|[up, work, down]| Ok([time(up)?, time(work)?, time(down)?]));
    all.collect()
}

/// From the first begin to the last end.
fn span(times: &Times) -> f64 {
    let ends = times.iter().flatten().map(|(_, end)| *end);
    ends.fold(0.0, f64::max)
}

fn main() -> ExitCode {
    let words = std::env::args().skip(1).map(|word| word.parse().ok());
    let (chunks, mebibytes, rounds) = match words.collect::<Option<Vec<usize>>>().as_deref() {
        Some([]) => (16, 1, 64),
        Some(&[chunks @ (1..), mebibytes @ (1..), rounds]) => (chunks, mebibytes, rounds),
        _ => {
            eprintln!("nothing, or chunks, the MiB of each, and rounds");
            return ExitCode::FAILURE;
        }
    };
    match pipeline(chunks, mebibytes << 20, rounds as cl_uint) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (), // It has said what is wrong.
        Err(error) => eprintln!("OpenCL answers {}, {error}", error.0),
    }
    ExitCode::FAILURE
}

/// Both orders on the first GPU, or the first device; whether their results are right.
fn pipeline(chunks: usize, bytes: usize, rounds: cl_uint) -> Result<bool> {
    let platforms = get_platforms()?;
    // A platform that has no such device answers with an error, and is passed over.
    let devices = |kind| platforms.iter().flat_map(move |one| one.get_devices(kind)).flatten();
    let device = devices(CL_DEVICE_TYPE_GPU).chain(devices(CL_DEVICE_TYPE_ALL)).next();
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    let context = Context::from_device(&device)?;
    let mut program = Program::create_from_source(&context, SOURCE)?;
    if let Err(error) = program.build(&[device.id()], "") {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = || CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE);
    let (up, work, down) = (queue()?, queue()?, queue()?);
    let length = bytes / size_of::<cl_uint>();
    let buffer = |_| {
        // SAFETY: no memory of the host is passed, so none has to outlive the buffer.
        unsafe { Buffer::create(&context, CL_MEM_READ_WRITE, length, ptr::null_mut()) }
    };
    let mut both = Work {
        kernel: Kernel::create(&program, "generate")?,
        rounds,
        chunks: (0..chunks).map(buffer).collect::<Result<_>>()?,
        input: Pinned::new(&context, &up, chunks * length)?,
        output: Pinned::new(&context, &up, chunks * length)?,
    };
    for (number, place) in both.input.numbers().iter_mut().enumerate() {
        *place = number as cl_uint;
    }

    // First all of it untimed: compiling, and pages that nobody has touched yet.
    let (plain, overlapped) = ([&work, &work, &work], [&up, &work, &down]);
    let mut right = true;
    for queues in [plain, overlapped] {
        both.enqueue(queues)?;
        right &= both.is_right();
    }
    let plain = times(&both.enqueue(plain)?)?;
    right &= both.is_right();
    let overlapped = times(&both.enqueue(overlapped)?)?;
    right &= both.is_right();
    both.input.give_back(&up)?;
    both.output.give_back(&up)?;

    println!("{}: {chunks} chunks of {} MiB", device.name()?, bytes >> 20);
    let (whole, pipelined) = (span(&plain), span(&overlapped));
    println!("plain order, {:.3} ms", whole * 1e3);
    println!("overlapped, {:.3} ms", pipelined * 1e3);
    println!("{:.2} times as fast.", whole / pipelined);
    if device.dev_type()? & CL_DEVICE_TYPE_GPU == 0 {
        println!("No gain is to be expected here: a CPU copies by the cores that compute.");
    } else {
        // All engines together are never faster than the one that has most to do.
        let busy = |engine: usize| plain.iter().map(|row| row[engine].1 - row[engine].0).sum();
        let slowest = [0, 1, 2].map(busy).into_iter().fold(0.0, f64::max);
        let hidden = (whole - pipelined) / (whole - slowest) * 100.0;
        println!("The slowest engine works {:.3} ms of the plain order.", slowest * 1e3);
        println!("Of the rest, which could be hidden, {hidden:.0} % was.");
    }
    println!("{chunks} chunks {}", if right { "right" } else { "WRONG" });
    Ok(right)
}
