//! A matrix product, C = A * B: lesson 8's register tile on a GPU, lesson 9's on a CPU, for
//! matrices of any size. `cargo course new matmul DIR` makes it a package of your own.
//!
//!     cargo run                      500 x 300 times 300 x 700
//!     cargo run -- 4096              4096 x 4096 times 4096 x 4096
//!     cargo run -- 500 700 300       M, N and K

use std::process::ExitCode;
use std::ptr;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::CL_DEVICE_NOT_FOUND;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, cl_mem_flags};
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};
use opencl3::{Result, platform::get_platforms, program::Program};

/// A group computes ROWS x COLUMNS elements of C, 8 x 8 in each item, from tiles of A and B in
/// local memory that are DEPTH deep. No bound is checked: the host pads with zeros.
const FOR_A_GPU: &str = "
#define GX (COLUMNS / 8) // items side by side
#define GY (ROWS / 8)    // items one below the other
kernel __attribute__((reqd_work_group_size(GX, GY, 1)))
void matmul(int N, int K, global const float *restrict A, global const float *restrict B,
            global float *restrict C)
{
    local float a_tile[ROWS][DEPTH], b_tile[DEPTH][COLUMNS];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint item = y * GX + x;
    const int column0 = get_group_id(0) * COLUMNS, row0 = get_group_id(1) * ROWS;
    float sum[8][8] = {{0}};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        // The loops' lengths are constants, so that all loads are sent at once.
        for (uint round = 0; round < ROWS * DEPTH / (GX * GY); round++) {
            const uint i = round * GX * GY + item;
            a_tile[i / DEPTH][i % DEPTH] = A[(row0 + i / DEPTH) * K + k0 + i % DEPTH];
        }
        for (uint round = 0; round < DEPTH * COLUMNS / (GX * GY); round++) {
            const uint i = round * GX * GY + item;
            b_tile[i / COLUMNS][i % COLUMNS] = B[(k0 + i / COLUMNS) * N + column0 + i % COLUMNS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++) {
            float b[8];
            for (int c = 0; c < 8; c++)
                b[c] = b_tile[k][x + c * GX];
            for (int r = 0; r < 8; r++) {
                const float a = a_tile[y + r * GY][k];
                for (int c = 0; c < 8; c++)
                    sum[r][c] += a * b[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            C[(row0 + y + r * GY) * N + column0 + x + c * GX] = sum[r][c];
}";

/// An item computes 8 rows of two vectors, as wide as the CPU's registers, without local
/// memory; a group is ROWS / 8 items, one below the other.
const FOR_A_CPU: &str = "
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define vector CAT(float, WIDTH)
#define load CAT(vload, WIDTH)
#define store CAT(vstore, WIDTH)
kernel __attribute__((reqd_work_group_size(1, ROWS / 8, 1)))
void matmul(int N, int K, global const float *restrict A, global const float *restrict B,
            global float *restrict C)
{
    const int column0 = get_global_id(0) * COLUMNS, row0 = get_global_id(1) * 8;
    vector sum[8][2];
    _Pragma(\"unroll\") for (int r = 0; r < 8; r++)
        sum[r][0] = sum[r][1] = (vector)(0);
    for (int k = 0; k < K; k++) {
        const vector left = load(0, B + k * N + column0), right = load(1, B + k * N + column0);
        _Pragma(\"unroll\") for (int r = 0; r < 8; r++) {
            const float a = A[(row0 + r) * K + k];
            sum[r][0] += a * left;
            sum[r][1] += a * right;
        }
    }
    _Pragma(\"unroll\") for (int r = 0; r < 8; r++) {
        store(sum[r][0], 0, C + (row0 + r) * N + column0);
        store(sum[r][1], 1, C + (row0 + r) * N + column0);
    }
}";

/// What the host must know of a kernel.
struct Tile {
    source: &'static str,
    /// Elements of C of a group, which M and N are padded to; K is padded to `depth`.
    rows: usize,
    columns: usize,
    depth: usize,
    /// Items of a group, along a row of C and down a column.
    group: [usize; 2],
    options: String,
}

impl Tile {
    fn of(device: &Device) -> Result<Tile> {
        let is_gpu = device.dev_type()? & CL_DEVICE_TYPE_GPU != 0;
        let (rows, columns, depth, source, group, width);
        if is_gpu {
            (rows, columns, depth, width) = (64, 128, 16, 1);
            (source, group) = (FOR_A_GPU, [columns / 8, rows / 8]);
        } else {
            // What a driver calls a vector: 4, 8 or 16 floats. Some say 1, and still have them.
            width = device.native_vector_width_float()?.clamp(4, 16) as usize;
            (rows, columns, depth) = (128, 2 * width, 1);
            (source, group) = (FOR_A_CPU, [1, rows / 8]);
        }
        let options = format!("-DROWS={rows} -DCOLUMNS={columns} -DDEPTH={depth} -DWIDTH={width}");
        Ok(Tile {
            source,
            rows,
            columns,
            depth,
            group,
            options,
        })
    }
}

/// A matrix of whole numbers from -2 to 2 in `rows` x `columns`, zeros around it: `width`
/// elements a row. Sums of their products are exact in a float up to K = 4 million.
struct Matrix {
    rows: usize,
    columns: usize,
    width: usize,
    elements: Vec<cl_float>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, height: usize, width: usize, seed: usize) -> Matrix {
        let mut elements = vec![0.0; height * width];
        for row in 0..rows {
            for column in 0..columns {
                let mixed = (row * columns + column + seed).wrapping_mul(0x9E37_79B9) >> 16;
                elements[row * width + column] = (mixed % 5) as cl_float - 2.0;
            }
        }
        Matrix {
            rows,
            columns,
            width,
            elements,
        }
    }

    /// The matrix times a vector, without rounding.
    fn times(&self, x: &[i64]) -> Vec<i64> {
        let row = |row: usize| &self.elements[row * self.width..][..self.columns];
        let product = |row: &[cl_float]| row.iter().zip(x).map(|(a, x)| *a as i64 * x).sum();
        (0..self.rows).map(|number| product(row(number))).collect()
    }
}

fn main() -> ExitCode {
    let sides: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|side| side.parse().ok())
        .collect();
    let (m, n, k) = match sides[..] {
        [] => (500, 700, 300),
        [side] => (side, side, side),
        [m, n, k] => (m, n, k),
        _ => {
            eprintln!("none, one or three sides: M, N and K");
            return ExitCode::FAILURE;
        }
    };
    match matmul(m, n, k) {
        Ok(right) => ExitCode::from(u8::from(!right)),
        Err(error) => {
            eprintln!("OpenCL answers {}, {error}", error.0);
            ExitCode::FAILURE
        }
    }
}

/// The product on the first GPU, or the first device; whether it is right.
fn matmul(m: usize, n: usize, k: usize) -> Result<bool> {
    let platforms = get_platforms()?;
    let first = |kind| {
        let mut platforms = platforms.iter();
        platforms.find_map(|platform| platform.get_devices(kind).ok()?.first().copied())
    };
    let device = first(CL_DEVICE_TYPE_GPU).or_else(|| first(CL_DEVICE_TYPE_ALL));
    let device = Device::new(device.ok_or(CL_DEVICE_NOT_FOUND)?);
    let tile = Tile::of(&device)?;
    let context = Context::from_device(&device)?;
    let mut program = Program::create_from_source(&context, tile.source)?;
    if let Err(error) = program.build(&[device.id()], &tile.options) {
        eprintln!("{}", program.get_build_log(device.id())?);
        return Err(error);
    }
    let kernel = Kernel::create(&program, "matmul")?;

    // Padded sides, so that no group reaches over an edge. Zeros add nothing to a sum.
    let [height, width, depth] = [(m, tile.rows), (n, tile.columns), (k, tile.depth)]
        .map(|(side, multiple)| side.next_multiple_of(multiple));
    let a = Matrix::new(m, k, height, depth, 1);
    let b = Matrix::new(k, n, depth, width, 2);
    // Whatever the kernel does not write stays NaN.
    let mut c = Matrix {
        rows: m,
        columns: n,
        width,
        elements: vec![cl_float::NAN; height * width],
    };

    #[allow(deprecated)] // the newer call is missing from drivers of OpenCL 1.x
    let queue = CommandQueue::create_default(&context, CL_QUEUE_PROFILING_ENABLE)?;
    let buffer = |flags: cl_mem_flags, length| {
        // SAFETY: no memory of the host is passed, so none has to outlive the buffer.
        unsafe { Buffer::<cl_float>::create(&context, flags, length, ptr::null_mut()) }
    };
    let mut device_a = buffer(CL_MEM_READ_ONLY, a.elements.len())?;
    let mut device_b = buffer(CL_MEM_READ_ONLY, b.elements.len())?;
    let mut device_c = buffer(CL_MEM_READ_WRITE, c.elements.len())?;
    // SAFETY: the three matrices outlive the reading of C, which blocks, and the queue is in
    // order: what was put into it before has ended then.
    unsafe {
        use opencl3::types::CL_NON_BLOCKING;
        queue.enqueue_write_buffer(&mut device_a, CL_NON_BLOCKING, 0, &a.elements, &[])?;
        queue.enqueue_write_buffer(&mut device_b, CL_NON_BLOCKING, 0, &b.elements, &[])?;
        queue.enqueue_write_buffer(&mut device_c, CL_NON_BLOCKING, 0, &c.elements, &[])?;
    }
    // Five launches: the first may still compile.
    let items = [
        width / tile.columns * tile.group[0],
        height / tile.rows * tile.group[1],
    ];
    let mut events = Vec::new();
    for _ in 0..5 {
        let mut launch = ExecuteKernel::new(&kernel);
        // SAFETY: each argument has its parameter's type, in their order, and the padded
        // matrices hold every element that these items touch.
        events.push(unsafe {
            launch
                .set_arg(&(width as cl_int))
                .set_arg(&(depth as cl_int));
            launch
                .set_arg(&device_a)
                .set_arg(&device_b)
                .set_arg(&device_c);
            launch
                .set_global_work_sizes(&items)
                .set_local_work_sizes(&tile.group);
            launch.enqueue_nd_range(&queue)?
        });
    }
    // SAFETY: the vector is as long as the buffer, and outlives the copying, which blocks.
    unsafe { queue.enqueue_read_buffer(&device_c, CL_BLOCKING, 0, &mut c.elements, &[])? };

    // C x = A (B x) for some x: without rounding, every element of C decides, and the host is
    // done in a moment. A NaN counts as 0 here, and so is looked for.
    let x: Vec<i64> = (0..n)
        .map(|i| (i.wrapping_mul(0x9E37_79B9) >> 8 & 0xFFFF) as i64)
        .collect();
    let in_c = |row: usize| &c.elements[row * width..][..n];
    let right = (0..m).all(|row| in_c(row).iter().all(|c| !c.is_nan()))
        && c.times(&x) == a.times(&b.times(&x));
    let says = if right { "right" } else { "WRONG" };
    let mut nanoseconds = Vec::new();
    for event in &events[1..] {
        nanoseconds.push(event.profiling_command_end()? - event.profiling_command_start()?);
    }
    nanoseconds.sort_unstable();
    let median = nanoseconds[nanoseconds.len() / 2].max(1);
    let speed = 2.0 * (m * n * k) as f64 / median as f64;
    println!(
        "{}: {m} x {n} from {k}: {says}, {median} ns, {speed:.1} GFLOP/s",
        device.name()?
    );
    Ok(right)
}
