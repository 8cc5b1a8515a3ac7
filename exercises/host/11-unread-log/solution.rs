//! A log that nobody reads.
//!
//! The program tries a kernel that not every device can build, and goes on with a plain one. Why the
//! first did not build is thrown away. Print it: the compiler's log, to standard error.

use std::process::ExitCode;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_int};

/// Leave it as it is: no device knows this function.
const FAST: &str = "
kernel void scale(int n, float factor, global const float *from, global float *to)
{
    to[get_global_id(0)] = a_function_of_the_future(factor, from[get_global_id(0)]);
}";
const PLAIN: &str = "
kernel void scale(int n, float factor, global const float *from, global float *to)
{
    const int i = get_global_id(0);
    if (i < n)
        to[i] = factor * from[i];
}";
const N: usize = 100_003;

fn main() -> ExitCode {
    end(run())
}

fn run() -> Result<bool> {
    let (device, context) = device()?;
    let mut fast = Program::create_from_source(&context, FAST)?;
    let scale = match fast.build(&[device.id()], "") {
        Ok(()) => Kernel::create(&fast, "scale")?,
        Err(_) => {
            eprintln!("{}", fast.get_build_log(device.id())?);
            kernel(&context, PLAIN, "scale")?
        }
    };
    let queue = queue(&context)?;
    let (mut from, to) = (buffer(&context, N)?, buffer(&context, N)?);
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    // SAFETY: each argument has its parameter's type, in their order; the host's memory
    // outlives the reading, and with it all that is in the queue before.
    unsafe {
        queue.enqueue_write_buffer(&mut from, CL_NON_BLOCKING, 0, &input, &[])?;
        ExecuteKernel::new(&scale)
            .set_arg(&(N as cl_int))
            .set_arg(&2.0_f32)
            .set_arg(&from)
            .set_arg(&to)
            .set_global_work_size(N.next_multiple_of(GROUP))
            .set_local_work_size(GROUP)
            .enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&to, CL_BLOCKING, 0, &mut result, &[])?;
    }
    is_right(&result, |i| 2.0 * input[i])
}
