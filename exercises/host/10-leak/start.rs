//! A leak.
//!
//! A buffer for each of ten rounds, made by the bare call of OpenCL. The result is right, and after
//! ten thousand rounds the device would have no memory left.

use std::process::ExitCode;
use std::ptr;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::kernel::ExecuteKernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, create_buffer};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_int, cl_mem};

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
    let to = buffer(&context, N)?;
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    let bytes = N * size_of::<f32>();
    for _ in 0..10 {
        // SAFETY: no memory of the host is passed to the buffer; each argument has its
        // parameter's type, in their order; the host's memory outlives the wait.
        unsafe {
            let flags = CL_MEM_READ_WRITE;
            let part: cl_mem = create_buffer(context.get(), flags, bytes, ptr::null_mut())?;
            let mut from = Buffer::<f32>::new(part);
            queue.enqueue_write_buffer(&mut from, CL_NON_BLOCKING, 0, &input, &[])?;
            ExecuteKernel::new(&scale)
                .set_arg(&(N as cl_int))
                .set_arg(&2.0_f32)
                .set_arg(&from)
                .set_arg(&to)
                .set_global_work_size(N.next_multiple_of(GROUP))
                .set_local_work_size(GROUP)
                .enqueue_nd_range(&queue)?;
            queue.finish()?;
            // The number stays ours: the wrapper is not to release it as well.
            std::mem::forget(from);
        }
    }
    // SAFETY: the vector is as long as the buffer, and outlives the reading, which blocks.
    unsafe { queue.enqueue_read_buffer(&to, CL_BLOCKING, 0, &mut result, &[])? };
    is_right(&result, |i| 2.0 * input[i])
}
