//! What a kernel keeps.
//!
//! Ten launches, and each takes what the one before it made: the two buffers take turns. The
//! result is that of the first launch.

use std::process::ExitCode;
use std::ptr;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::memory::ClMem;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_int};

const SOURCE: &str = "
kernel void scale(int n, float factor, global const float *from, global float *to)
{
    const int i = get_global_id(0);
    if (i < n)
        to[i] = factor * from[i];
}";
const N: usize = 10_007;

fn main() -> ExitCode {
    end(run())
}

fn run() -> Result<bool> {
    let (_, context) = device()?;
    let scale = kernel(&context, SOURCE, "scale")?;
    let queue = queue(&context)?;
    let (mut from, mut to) = (buffer(&context, N)?, buffer(&context, N)?);
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    // SAFETY: each argument has its parameter's type, in their order; the host's memory
    // outlives the reading, and with it all that is in the queue before.
    unsafe {
        queue.enqueue_write_buffer(&mut from, CL_NON_BLOCKING, 0, &input, &[])?;
        scale.set_arg(0, &(N as cl_int))?;
        scale.set_arg(1, &2.0_f32)?;
        let (items, group) = ([N.next_multiple_of(GROUP)], [GROUP]);
        scale.set_arg(2, &from.get())?;
        scale.set_arg(3, &to.get())?;
        for _ in 0..10 {
            let (items, group) = (items.as_ptr(), group.as_ptr());
            queue.enqueue_nd_range_kernel(scale.get(), 1, ptr::null(), items, group, &[])?;
            std::mem::swap(&mut from, &mut to);
        }
        // The last launch's result, since they were swapped after it.
        queue.enqueue_read_buffer(&from, CL_BLOCKING, 0, &mut result, &[])?;
    }
    is_right(&result, |i| 1024.0 * input[i])
}
