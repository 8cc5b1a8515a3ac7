//! Saxpy, C = d * A + B: a whole OpenCL program in eleven steps, on opencl3 alone.
//! `cargo course new saxpy DIR` makes it a package of your own.

use std::{process::ExitCode, ptr};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};
use opencl3::{Result, kernel::Kernel, platform::get_platforms, program::Program};

const SOURCE: &str = "
kernel void saxpy(int n, float d, global const float *A, global const float *B, global float *C)
{
    const int i = get_global_id(0);
    if (i < n)
        C[i] = d * A[i] + B[i];
}";
const N: usize = 1_000_000;
const D: cl_float = 2.0;
const GROUP: usize = 64;

fn main() -> ExitCode {
    match saxpy() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (), // It has said what is wrong.
        Err(error) => eprintln!("OpenCL answers {}, {error}", error.0),
    }
    ExitCode::FAILURE
}

/// All eleven steps, and whether the result is right.
fn saxpy() -> Result<bool> {
    // 1. Find a device: the first GPU of any platform; the first device where there is none.
    let platforms = get_platforms()?;
    // A platform that has no such device answers with an error, and is passed over.
    let devices = |kind| platforms.iter().flat_map(move |one| one.get_devices(kind)).flatten();
    let device = devices(CL_DEVICE_TYPE_GPU).chain(devices(CL_DEVICE_TYPE_ALL)).next();
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    // 2. A context for it: programs and buffers will belong to this.
    let context = Context::from_device(&device)?;
    // 3. Compile the text for this device, and take the kernel from it.
    let mut program = Program::create_from_source(&context, SOURCE)?;
    if let Err(error) = program.build(&[device.id()], "") {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    let kernel = Kernel::create(&program, "saxpy")?;
    // 4. Buffers in the device's memory, of N floats each.
    // SAFETY: no memory of the host is passed, so none has to outlive the buffer.
    let buffer =
        || unsafe { Buffer::<cl_float>::create(&context, CL_MEM_READ_WRITE, N, ptr::null_mut()) };
    let (mut a, mut b, c) = (buffer()?, buffer()?, buffer()?);
    // 5. A queue to the device, which notes when each command runs.
    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)?;
    // 6. Write A = 0, 1, 2, ... and B = N, N - 1, N - 2, ...
    let up: Vec<_> = (0..N).map(|i| i as cl_float).collect();
    let down: Vec<_> = (0..N).map(|i| (N - i) as cl_float).collect();
    // SAFETY: both calls block, so the vectors outlive the copying.
    unsafe {
        queue.enqueue_write_buffer(&mut a, CL_BLOCKING, 0, &up, &[])?;
        queue.enqueue_write_buffer(&mut b, CL_BLOCKING, 0, &down, &[])?;
    }
    // 7. Set the arguments, by position.
    // SAFETY: each has the type of the kernel's parameter at its position.
    unsafe {
        kernel.set_arg(0, &(N as cl_int))?;
        kernel.set_arg(1, &D)?;
        kernel.set_arg(2, &a.get())?;
        kernel.set_arg(3, &b.get())?;
        kernel.set_arg(4, &c.get())?;
    }
    // 8. Launch: so many items, in groups of so many. The call does not wait.
    let (items, group) = ([N.next_multiple_of(GROUP)], [GROUP]);
    let (items, group) = (items.as_ptr(), group.as_ptr());
    // SAFETY: both sizes have one dimension, and the guard stops the items beyond N.
    let event =
        unsafe { queue.enqueue_nd_range_kernel(kernel.get(), 1, ptr::null(), items, group, &[])? };
    // 9. Read C. The call waits until the kernel has ended and C has been copied.
    let mut result = vec![cl_float::NAN; N];
    // SAFETY: the vector has as many floats as C, and outlives the copying.
    unsafe { queue.enqueue_read_buffer(&c, CL_BLOCKING, 0, &mut result, &[])? };
    // 10. Use it. All numbers are whole and below 2^24, so nothing is rounded.
    let right = (0..N).all(|i| result[i] == D * up[i] + down[i]);
    let says = if right { "right" } else { "WRONG" };
    let nanoseconds = event.profiling_command_end()? - event.profiling_command_start()?;
    let name = device.name()?;
    println!("{name}: {N} elements {says}, in {nanoseconds} ns");
    // 11. Release everything: each object's owner goes out of scope here.
    Ok(right)
}
