//! A kernel in the executable, as text and as a binary for one device. The binary is tried
//! first, since loading it takes less time than compiling; it fits only the device and the
//! driver that it was built for, and then the text is compiled. The course's `oclcc` builds it:
//!
//!     cargo run -p oclcc -- DIR/src/kernel.cl -o DIR/src/kernel.bin
//!
//! kernel.bin comes empty, which no driver takes. `cargo course new embedded DIR` makes it a
//! package of your own.

use std::{process::ExitCode, ptr, time::Instant};

use opencl3::command_queue::CommandQueue;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_WRITE_ONLY};
use opencl3::types::{CL_BLOCKING, cl_int};
use opencl3::{Result, context::Context, platform::get_platforms, program::Program};

const SOURCE: &str = include_str!("kernel.cl");
const BINARY: &[u8] = include_bytes!("kernel.bin");
const N: usize = 100_000;
const GROUP: usize = 64;

fn main() -> ExitCode {
    match collatz() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (), // It has said what is wrong.
        Err(error) => eprintln!("OpenCL answers {}, {error}", error.0),
    }
    ExitCode::FAILURE
}

/// The program for this device, and what it was made from.
fn program(context: &Context, device: &Device) -> Result<(Program, &'static str)> {
    if !BINARY.is_empty() {
        // SAFETY: a driver refuses a binary that is not its own; that the bytes are those of
        // a kernel is up to whoever built this program.
        let program = unsafe { Program::create_from_binary(context, &[device.id()], &[BINARY]) };
        // Some drivers refuse it here, others when it is built: a binary must be built, too.
        let built = program.and_then(|mut program| {
            program.build(&[device.id()], "")?;
            Ok(program)
        });
        match built {
            Ok(program) => return Ok((program, "the binary")),
            Err(error) => eprintln!("the binary does not fit here: {}, {error}", error.0),
        }
    }
    let mut program = Program::create_from_source(context, SOURCE)?;
    if let Err(error) = program.build(&[device.id()], "") {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    Ok((program, "its source"))
}

/// Runs the kernel on the first GPU, or the first device; whether the result is right.
fn collatz() -> Result<bool> {
    let platforms = get_platforms()?;
    // A platform that has no such device answers with an error, and is passed over.
    let devices = |kind| platforms.iter().flat_map(move |one| one.get_devices(kind)).flatten();
    let device = devices(CL_DEVICE_TYPE_GPU).chain(devices(CL_DEVICE_TYPE_ALL)).next();
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    let context = Context::from_device(&device)?;
    let begin = Instant::now();
    let (program, from) = program(&context, &device)?;
    let took = begin.elapsed();
    let kernel = Kernel::create(&program, "collatz")?;
    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = CommandQueue::create_default(&context, 0)?;
    let mut result = vec![-1; N];
    // SAFETY: no memory of the host is passed to the buffer; both arguments have their
    // parameter's type; the guard stops the items beyond N, and the reading blocks.
    unsafe {
        let none = ptr::null_mut();
        let steps = Buffer::<cl_int>::create(&context, CL_MEM_WRITE_ONLY, N, none)?;
        ExecuteKernel::new(&kernel)
            .set_arg(&(N as cl_int))
            .set_arg(&steps)
            .set_global_work_size(N.next_multiple_of(GROUP))
            .set_local_work_size(GROUP)
            .enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&steps, CL_BLOCKING, 0, &mut result, &[])?;
    }
    let mut all = (1..).zip(&result);
    let right = all.all(|(number, steps)| on_the_host(number) == *steps);
    let (name, says) = (device.name()?, if right { "right" } else { "WRONG" });
    println!("{name}: {N} numbers {says}; from {from}, ready after {took:.1?}");
    Ok(right)
}

fn on_the_host(mut number: u64) -> cl_int {
    let mut count = 0;
    while number != 1 {
        let is_odd = number % 2 == 1;
        number = if is_odd { 3 * number + 1 } else { number / 2 };
        count += 1;
    }
    count
}
