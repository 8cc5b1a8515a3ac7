//! Read too early.
//!
//! The result is wrong on most drivers, and right on some, by chance. The program may crash at its
//! end. It uses a result that may not have come yet.

use std::process::ExitCode;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::kernel::ExecuteKernel;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_int};

const SOURCE: &str = "
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
    let (_, context) = device()?;
    let scale = kernel(&context, SOURCE, "scale")?;
    let queue = queue(&context)?;
    let mut from = buffer(&context, N)?;
    let to = buffer(&context, N)?;
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    // SAFETY: each argument has its parameter's type, in their order; the host's memory
    // outlives the commands.
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
