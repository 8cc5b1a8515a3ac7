//! Equal shares.
//!
//! Two queues stand for two devices, of which the first was measured to be three times as fast.
//! Each has half of the vector. Share it out by their rates; every element belongs to one of them.

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
/// What each of the two was measured to do, in elements of a microsecond.
const RATES: [usize; 2] = [300, 100];

fn main() -> ExitCode {
    end(run())
}

/// Where the share of each of the two ends; the last ends with the vector.
fn ends() -> [usize; 2] {
    [N / 2, N]
}

fn run() -> Result<bool> {
    let (_, context) = device()?;
    let scale = kernel(&context, SOURCE, "scale")?;
    let queues = [queue(&context)?, queue(&context)?];
    let input = numbers(N);
    let mut result = vec![f32::NAN; N];
    let (mut begin, mut longest) = (0, 0.0_f64);
    for (device, end) in ends().into_iter().enumerate() {
        let length = end - begin;
        let (mut from, to) = (buffer(&context, length)?, buffer(&context, length)?);
        // SAFETY: each argument has its parameter's type, in their order; the host's memory
        // outlives the reading, which blocks.
        unsafe {
            let (queue, share) = (&queues[device], begin..end);
            queue.enqueue_write_buffer(
                &mut from,
                CL_NON_BLOCKING,
                0,
                &input[share.clone()],
                &[],
            )?;
            ExecuteKernel::new(&scale)
                .set_arg(&(length as cl_int))
                .set_arg(&2.0_f32)
                .set_arg(&from)
                .set_arg(&to)
                .set_global_work_size(length.next_multiple_of(GROUP))
                .set_local_work_size(GROUP)
                .enqueue_nd_range(queue)?;
            queue.enqueue_read_buffer(&to, CL_BLOCKING, 0, &mut result[share], &[])?;
        }
        longest = longest.max(length as f64 / RATES[device] as f64);
        begin = end;
    }
    let right = is_right(&result, |i| 2.0 * input[i])?;
    let best = N as f64 / RATES.iter().sum::<usize>() as f64;
    if longest > best + 1.0 {
        println!("WRONG: both take {longest:.0} us, and could take {best:.0} us");
    }
    Ok(right && longest <= best + 1.0)
}
