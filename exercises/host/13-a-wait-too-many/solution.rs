//! A wait too many.
//!
//! A vector passes the device in eight slices, so that one could be copied while another is
//! computed. The host waits after every command, and nothing overlaps. Let it wait once, at the end.

use std::process::ExitCode;

use host::{GROUP, buffer, device, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::kernel::ExecuteKernel;
use opencl3::types::{CL_NON_BLOCKING, cl_int};

const SOURCE: &str = "
kernel void scale(int n, float factor, global const float *from, global float *to)
{
    const int i = get_global_id(0);
    if (i < n)
        to[i] = factor * from[i];
}";
const SLICE: usize = 200 * GROUP;
const N: usize = 8 * SLICE;

fn main() -> ExitCode {
    end(run())
}

fn run() -> Result<bool> {
    let (_, context) = device()?;
    let scale = kernel(&context, SOURCE, "scale")?;
    let (uploads, computes, downloads) = (queue(&context)?, queue(&context)?, queue(&context)?);
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    // Each slice has buffers of its own: nothing keeps those of different slices in order.
    let room = || -> Result<_> { Ok([buffer(&context, SLICE)?, buffer(&context, SLICE)?]) };
    let mut buffers = (0..N / SLICE).map(|_| room()).collect::<Result<Vec<_>>>()?;
    let slices = input.chunks(SLICE).zip(result.chunks_mut(SLICE));
    for ((input, output), [from, to]) in slices.zip(&mut buffers) {
        // SAFETY: each argument has its parameter's type, in their order; both vectors live,
        // and nobody uses them, until all queues have ended their commands.
        unsafe {
            let written = uploads.enqueue_write_buffer(from, CL_NON_BLOCKING, 0, input, &[])?;
            uploads.flush()?;
            let computed = ExecuteKernel::new(&scale)
                .set_arg(&(SLICE as cl_int))
                .set_arg(&2.0_f32)
                .set_arg(from)
                .set_arg(to)
                .set_global_work_size(SLICE)
                .set_local_work_size(GROUP)
                .set_wait_event(&written)
                .enqueue_nd_range(&computes)?;
            computes.flush()?;
            let wait = [computed.get()];
            downloads.enqueue_read_buffer(to, CL_NON_BLOCKING, 0, output, &wait)?;
        }
    }
    downloads.finish()?;
    is_right(&result, |i| 2.0 * input[i])
}
