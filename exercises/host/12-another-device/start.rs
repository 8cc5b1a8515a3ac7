//! The device that is asked for.
//!
//! Called with a word, the program is to run on the first device whose name holds that word, and to
//! fail with CL_DEVICE_NOT_FOUND where there is none. It takes the first device, whatever is asked.

use std::process::ExitCode;

use host::{GROUP, buffer, end, is_right, kernel, numbers, queue};
use opencl3::Result;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::ExecuteKernel;
use opencl3::platform::get_platforms;
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

/// The device that is wanted; any without a word.
fn chosen(_wanted: &str) -> Result<Device> {
    let platforms = get_platforms()?;
    let of_platform =
        |platform: &opencl3::platform::Platform| platform.get_devices(CL_DEVICE_TYPE_ALL);
    let all = platforms
        .iter()
        .flat_map(|platform| of_platform(platform).unwrap_or_default());
    let mut all = all.map(Device::new);
    let found = all.next();
    Ok(found.ok_or(CL_DEVICE_NOT_FOUND)?)
}

fn run() -> Result<bool> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let device = chosen(&wanted)?;
    println!("on {}", device.name()?);
    let context = Context::from_device(&device)?;
    let scale = kernel(&context, SOURCE, "scale")?;
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
