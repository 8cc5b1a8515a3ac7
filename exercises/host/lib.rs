//! What every exercise needs, so that its file shows what it is about.

use std::process::ExitCode;
use std::ptr;

use opencl3::Result;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::cl_float;

/// Items of a group.
pub const GROUP: usize = 64;

/// The first GPU, or the first device where there is none, and a context for it.
pub fn device() -> Result<(Device, Context)> {
    let platforms = get_platforms()?;
    let first = |kind| {
        let mut platforms = platforms.iter();
        platforms.find_map(|platform| platform.get_devices(kind).ok()?.first().copied())
    };
    let device = first(CL_DEVICE_TYPE_GPU).or_else(|| first(CL_DEVICE_TYPE_ALL));
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    let context = Context::from_device(&device)?;
    Ok((device, context))
}

/// A queue that runs its commands in order, and notes when.
pub fn queue(context: &Context) -> Result<CommandQueue> {
    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    CommandQueue::create_default(context, CL_QUEUE_PROFILING_ENABLE)
}

/// The kernel of this name in a source text.
pub fn kernel(context: &Context, source: &str, name: &str) -> Result<Kernel> {
    let mut program = Program::create_from_source(context, source)?;
    if let Err(error) = program.build(context.devices(), "") {
        for device in context.devices() {
            eprintln!("{}", program.get_build_log(*device)?);
        }
        return Err(error);
    }
    Kernel::create(&program, name)
}

/// A buffer of so many floats on the device.
pub fn buffer(context: &Context, length: usize) -> Result<Buffer<cl_float>> {
    // SAFETY: no memory of the host is passed, so none has to outlive the buffer.
    unsafe { Buffer::create(context, CL_MEM_READ_WRITE, length, ptr::null_mut()) }
}

/// 0, 1, 2, ... and so on.
pub fn numbers(length: usize) -> Vec<cl_float> {
    (0..length).map(|number| number as cl_float).collect()
}

/// Whether each number of a result is what is expected; tells the first that is not.
pub fn is_right(result: &[cl_float], expected: impl Fn(usize) -> cl_float) -> Result<bool> {
    let wrong = (0..result.len()).find(|number| result[*number] != expected(*number));
    if let Some(number) = wrong {
        let (is, should) = (result[number], expected(number));
        println!(
            "WRONG: element {number} of {} is {is}, and should be {should}",
            result.len()
        );
    } else {
        println!("right: {} elements", result.len());
    }
    Ok(wrong.is_none())
}

/// The program's end: 0 if its result is right.
pub fn end(right: Result<bool>) -> ExitCode {
    match right {
        Ok(right) => ExitCode::from(u8::from(!right)),
        Err(error) => {
            println!("OpenCL answers {}, {error}", error.0);
            ExitCode::FAILURE
        }
    }
}
