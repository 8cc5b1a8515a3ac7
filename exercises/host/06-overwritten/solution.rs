//! Overwritten input.
//!
//! Two results from one input: twice the input, and three times. The first is right, the second is
//! six times.

use std::process::ExitCode;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::kernel::ExecuteKernel;
use opencl3::memory::Buffer;
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
    let mut input = buffer(&context, N)?;
    let (twice, thrice) = (buffer(&context, N)?, buffer(&context, N)?);
    let values = numbers(N);
    let (mut first, mut second) = (vec![f32::NAN; N], vec![f32::NAN; N]);
    let launch = |factor: f32, from: &Buffer<f32>, to: &Buffer<f32>| {
        let mut launch = ExecuteKernel::new(&scale);
        launch
            .set_global_work_size(N.next_multiple_of(GROUP))
            .set_local_work_size(GROUP);
        // SAFETY: each argument has its parameter's type, in their order.
        unsafe {
            launch
                .set_arg(&(N as cl_int))
                .set_arg(&factor)
                .set_arg(from)
                .set_arg(to);
            launch.enqueue_nd_range(&queue)
        }
    };
    // SAFETY: the host's memory outlives the readings, and with them all that is in the queue
    // before.
    unsafe {
        queue.enqueue_write_buffer(&mut input, CL_NON_BLOCKING, 0, &values, &[])?;
        launch(2.0, &input, &twice)?;
        launch(3.0, &input, &thrice)?;
        queue.enqueue_read_buffer(&twice, CL_BLOCKING, 0, &mut first, &[])?;
        queue.enqueue_read_buffer(&thrice, CL_BLOCKING, 0, &mut second, &[])?;
    }
    Ok(is_right(&first, |i| 2.0 * values[i])? && is_right(&second, |i| 3.0 * values[i])?)
}
