//! A sum of 16 million numbers by two kernels: the first leaves a part sum for each group, the
//! second adds those. Between them nobody waits: the queue runs its commands in their order.
//! `cargo course new reduction DIR` makes it a package of your own.

use std::{process::ExitCode, ptr};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_int, cl_uint, cl_ulong};
use opencl3::{Result, context::Context, platform::get_platforms, program::Program};

const SOURCE: &str = include_str!("kernel.cl");
const N: usize = 16_000_003;
/// Items of a group, a power of two: kernel.cl halves it.
const GROUP: usize = 64;

fn main() -> ExitCode {
    match reduction() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (), // It has said what is wrong.
        Err(error) => eprintln!("OpenCL answers {}, {error}", error.0),
    }
    ExitCode::FAILURE
}

/// The sum on the first GPU, or the first device; whether it is right.
fn reduction() -> Result<bool> {
    let platforms = get_platforms()?;
    // A platform that has no such device answers with an error, and is passed over.
    let devices = |kind| platforms.iter().flat_map(move |one| one.get_devices(kind)).flatten();
    let device = devices(CL_DEVICE_TYPE_GPU).chain(devices(CL_DEVICE_TYPE_ALL)).next();
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    let context = Context::from_device(&device)?;
    let mut program = Program::create_from_source(&context, SOURCE)?;
    if let Err(error) = program.build(&[device.id()], &format!("-DGROUP={GROUP}")) {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    let part_sums = Kernel::create(&program, "part_sums")?;
    let total = Kernel::create(&program, "total")?;
    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)?;

    // Enough groups to fill the device, however many numbers there are: 32 for each unit.
    let groups = 32 * device.max_compute_units()? as usize;
    // SAFETY: no memory of the host is passed, so none has to outlive a buffer.
    let (mut numbers, parts, result) = unsafe {
        let none = ptr::null_mut();
        (
            Buffer::<cl_uint>::create(&context, CL_MEM_READ_ONLY, N, none)?,
            Buffer::<cl_ulong>::create(&context, CL_MEM_READ_WRITE, groups, none)?,
            Buffer::<cl_ulong>::create(&context, CL_MEM_READ_WRITE, 1, none)?,
        )
    };
    let input = (0..N as cl_uint).map(|i| i.wrapping_mul(0x9E37_79B9));
    let input: Vec<cl_uint> = input.collect();
    let mut sum = [0];
    // Five commands, one after the other: a queue that is not asked to do otherwise begins
    // none before the one in front of it has ended. Only the last one blocks the host.
    // SAFETY: `input` and `sum` outlive the reading, and so all that was put into the queue
    // before it; each argument has its parameter's type, in their order.
    let events = unsafe {
        queue.enqueue_write_buffer(&mut numbers, CL_NON_BLOCKING, 0, &input, &[])?;
        let first = ExecuteKernel::new(&part_sums)
            .set_arg(&(N as cl_int))
            .set_arg(&numbers)
            .set_arg(&parts)
            .set_global_work_size(groups * GROUP)
            .set_local_work_size(GROUP)
            .enqueue_nd_range(&queue)?;
        let second = ExecuteKernel::new(&total)
            .set_arg(&(groups as cl_int))
            .set_arg(&parts)
            .set_arg(&result)
            .set_global_work_size(GROUP)
            .set_local_work_size(GROUP)
            .enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&result, CL_BLOCKING, 0, &mut sum, &[])?;
        [first, second]
    };
    let expected: cl_ulong = input.iter().map(|number| cl_ulong::from(*number)).sum();
    let (name, [sum]) = (device.name()?, sum);
    let says = if sum == expected { "right" } else { "WRONG" };
    println!("{name}: the sum {sum} of {N} numbers is {says}");
    let begin = events[0].profiling_command_start()?;
    for (event, name) in events.iter().zip(["part_sums", "total"]) {
        let start = event.profiling_command_start()? - begin;
        let end = event.profiling_command_end()? - begin;
        println!("  {name:<9} from {start:>9} to {end:>9} ns");
    }
    Ok(sum == expected)
}
