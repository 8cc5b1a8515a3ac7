//! A matrix product, C = A * B: lesson 8's register tile on a GPU, lesson 9's on a CPU, for
//! matrices of any size. `cargo course new matmul DIR` makes it a package of your own.
//!
//!     cargo run                      500 x 300 times 300 x 700
//!     cargo run -- 4096              4096 x 4096 times 4096 x 4096
//!     cargo run -- 500 700 300       M, N and K

use std::{process::ExitCode, ptr};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, cl_mem_flags};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_float, cl_int};
use opencl3::{Result, context::Context, platform::get_platforms, program::Program};

/// Lesson 8's register tile, and lesson 9's.
const FOR_A_GPU: &str = include_str!("gpu.cl");
const FOR_A_CPU: &str = include_str!("cpu.cl");

/// Whole numbers from -2 to 2 in `rows` x `columns`, and zeros around it: `width` elements a row.
/// Sums of their products are exact in a float up to K = 4 million.
fn matrix(rows: usize, columns: usize, height: usize, width: usize, seed: usize) -> Vec<cl_float> {
    let mut elements = vec![0.0; height * width];
    for row in 0..rows {
        for column in 0..columns {
            let mixed = (row * columns + column + seed).wrapping_mul(0x9E37_79B9) >> 16;
            elements[row * width + column] = (mixed % 5) as cl_float - 2.0;
        }
    }
    elements
}

/// A matrix, whose rows have `width` elements, times a vector, without rounding.
fn times(matrix: &[cl_float], width: usize, x: &[i64]) -> Vec<i64> {
    let rows = matrix.chunks(width).map(|row| row.iter().zip(x));
    rows.map(|row| row.map(|(a, x)| *a as i64 * x).sum()).collect()
}

fn main() -> ExitCode {
    let sides = std::env::args().skip(1).map(|side| side.parse().ok());
    let (m, n, k) = match sides.collect::<Option<Vec<usize>>>().as_deref() {
        Some([]) => (500, 700, 300),
        Some(&[side]) => (side, side, side),
        Some(&[m, n, k]) => (m, n, k),
        _ => {
            eprintln!("none, one or three sides: M, N and K");
            return ExitCode::FAILURE;
        }
    };
    match matmul(m, n, k) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => (), // It has said what is wrong.
        Err(error) => eprintln!("OpenCL answers {}, {error}", error.0),
    }
    ExitCode::FAILURE
}

/// The product on the first GPU, or the first device; whether it is right.
fn matmul(m: usize, n: usize, k: usize) -> Result<bool> {
    let platforms = get_platforms()?;
    // A platform that has no such device answers with an error, and is passed over.
    let devices = |kind| platforms.iter().flat_map(move |one| one.get_devices(kind)).flatten();
    let device = devices(CL_DEVICE_TYPE_GPU).chain(devices(CL_DEVICE_TYPE_ALL)).next();
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    // Elements of C of a group, which M and N are padded to, as K is to `depth`; and the items of
    // a group, along a row of C and down a column.
    let (source, rows, columns, depth, group) = if device.dev_type()? & CL_DEVICE_TYPE_GPU != 0 {
        (FOR_A_GPU, 64, 128, 16, [16, 8])
    } else {
        // What a driver calls a vector: 4, 8 or 16 floats. Some say 1, and still have them.
        let width = device.native_vector_width_float()?.clamp(4, 16) as usize;
        (FOR_A_CPU, 128, 2 * width, 1, [1, 16])
    };
    let width = columns / 2; // on a CPU, of a vector
    let options = format!("-DROWS={rows} -DCOLUMNS={columns} -DDEPTH={depth} -DWIDTH={width}");
    let context = Context::from_device(&device)?;
    let mut program = Program::create_from_source(&context, source)?;
    if let Err(error) = program.build(&[device.id()], &options) {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    let kernel = Kernel::create(&program, "matmul")?;

    // Padded sides, so that no group reaches over an edge. Zeros add nothing to a sum.
    let (height, width) = (m.next_multiple_of(rows), n.next_multiple_of(columns));
    let depth = k.next_multiple_of(depth);
    let a = matrix(m, k, height, depth, 1);
    let b = matrix(k, n, depth, width, 2);
    // Whatever the kernel does not write stays NaN.
    let mut c = vec![cl_float::NAN; height * width];

    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)?;
    let buffer = |flags: cl_mem_flags, length| {
        // SAFETY: no memory of the host is passed, so none has to outlive the buffer.
        unsafe { Buffer::<cl_float>::create(&context, flags, length, ptr::null_mut()) }
    };
    let mut device_a = buffer(CL_MEM_READ_ONLY, a.len())?;
    let mut device_b = buffer(CL_MEM_READ_ONLY, b.len())?;
    let mut device_c = buffer(CL_MEM_READ_WRITE, c.len())?;
    // SAFETY: the three matrices outlive the reading of C, which blocks, and the queue is in
    // order: what was put into it before has ended then.
    unsafe {
        queue.enqueue_write_buffer(&mut device_a, CL_NON_BLOCKING, 0, &a, &[])?;
        queue.enqueue_write_buffer(&mut device_b, CL_NON_BLOCKING, 0, &b, &[])?;
        queue.enqueue_write_buffer(&mut device_c, CL_NON_BLOCKING, 0, &c, &[])?;
    }
    // Five launches: the first may still compile.
    let mut events = Vec::new();
    for _ in 0..5 {
        // SAFETY: each argument has its parameter's type, in their order, and the padded
        // matrices hold every element that these items touch.
        events.push(unsafe {
            ExecuteKernel::new(&kernel)
                .set_arg(&(width as cl_int))
                .set_arg(&(depth as cl_int))
                .set_arg(&device_a)
                .set_arg(&device_b)
                .set_arg(&device_c)
                .set_global_work_sizes(&[width / columns * group[0], height / rows * group[1]])
                .set_local_work_sizes(&group)
                .enqueue_nd_range(&queue)?
        });
    }
    // SAFETY: the vector is as long as the buffer, and outlives the copying, which blocks.
    unsafe { queue.enqueue_read_buffer(&device_c, CL_BLOCKING, 0, &mut c, &[])? };

    // C x = A (B x) for some x: without rounding, every element of C decides, and the host is
    // done in a moment. A NaN counts as 0 here, and so is looked for.
    let x: Vec<i64> = (0..n).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 8 & 0xFFFF) as i64).collect();
    let is_written = |row: &[cl_float]| row[..n].iter().all(|c| !c.is_nan());
    let right = c.chunks(width).take(m).all(is_written)
        && times(&c, width, &x)[..m] == times(&a, depth, &times(&b, width, &x))[..m];
    let says = if right { "right" } else { "WRONG" };
    let mut nanoseconds = Vec::new();
    for event in &events[1..] {
        nanoseconds.push(event.profiling_command_end()? - event.profiling_command_start()?);
    }
    nanoseconds.sort_unstable();
    let median = nanoseconds[nanoseconds.len() / 2].max(1);
    let speed = 2.0 * (m * n * k) as f64 / median as f64;
    println!("{}: {m} x {n} from {k}: {says}, {median} ns, {speed:.1} GFLOP/s", device.name()?);
    Ok(right)
}
