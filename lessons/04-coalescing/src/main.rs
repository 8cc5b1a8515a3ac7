//! Lesson 4: coalescing. Neighbouring work-items should ask for neighbouring
//! addresses.

use common::{Result, device::Kind};
use lesson::{Flags, Lesson, lesson};
use verify::{Shape, element::Type, problem::Problem};

/// What is launched, and how. Groups are 32 wide, so that the 32 items that a GPU runs in
/// lockstep differ in id0 alone and one of the two mappings is seen pure. The number of loads is
/// the same throughout: what differs is who asks for what when.
const KERNELS: &str = r#"
[[step]]
function = "matmul_id0_rows"
says = "id(0) counts rows: neighbours read A a row apart"
global = ["M", "N"]
local-hint = [32, 8]
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }

[[step]]
like = "matmul_id0_rows"
function = "matmul_id0_rows_bt"
says = "B transposed: for neighbours nothing changes"
product = "b-transposed"

[[step]]
like = "matmul_id0_rows"
function = "matmul_id0_columns"
says = "id(0) counts columns: neighbours read neighbours of B"
from = "matmul_id0_rows"
global = ["N", "M"]

[[step]]
like = "matmul_id0_columns"
function = "matmul_id0_columns_bt"
says = "B transposed: neighbours read B a row apart again"
product = "b-transposed"

[[step]]
like = "matmul_id0_rows"
function = "matmul_id0_rows_sum_in_c"
says = "as published: the sum lives in C"
from = "matmul_id0_rows"
traffic = { global-loads = "3*M*N*K", global-stores = "M*N*(K + 1)" }

[[step]]
like = "matmul_id0_rows_sum_in_c"
function = "matmul_id0_rows_bt_sum_in_c"
says = "as published: B transposed, \"coalesced\""
product = "b-transposed"

# Copies of N floats: the same elements in worse and worse order. There are 64 more to be read
# than are copied, so that a copy may begin at any offset.
[[stride]]
function = "copy_stride"
variant = "{stride}"
says = "neighbours read {4*stride} bytes apart"
global = ["columns", "stride"]
local-hint = [256, 1]
names = { stride = [1, 2, 4, 8, 16, 32, 64], columns = "N/stride", elements = "N" }
args = [
    "columns",
    "stride",
    { name = "in", in = "elements + 64", fill = "random" },
    { name = "out", out = "elements" },
]
check = { out = "in[i % columns * stride + floor(i/columns)]" }
bytes = "8*elements"

[[vector]]
like = "copy_stride {stride}"
function = "copy_stride_vector"
variant = "{stride}"
says = "neighbours read {16*stride} bytes apart"
names = { stride = [1, 2, 4], columns = "N/4/stride" }
check = { out = "in[(floor(i/4) % columns * stride + floor(i/4/columns))*4 + i % 4]" }

[[offset]]
function = "copy_offset"
variant = "{offset}"
says = "neighbours, beginning {4*offset} bytes further on"
global = ["columns"]
local-hint = [256]
names = { offset = [0, 1, 7, 8, 16, 32], columns = "N" }
args = [
    "columns",
    "offset",
    { name = "in", in = "columns + 64", fill = "random" },
    { name = "out", out = "columns" },
]
check = { out = "in[i + offset]" }
bytes = "8*columns"
"#;

fn main() -> std::process::ExitCode {
    lesson(4, "coalescing", &["04-coalescing.cl"], |lesson| {
        // Kernels that read a row apart take seconds at the size of other lessons.
        if lesson.size.is_none() && lesson.session()?.device.kind == Kind::Gpu {
            lesson.size = Some(Shape::cube(1024));
        }
        let problem = lesson.problem()?;
        lesson.measure_table(KERNELS, "step", &problem)?;
        lesson.compare_with_host(&problem)?;
        copies(lesson, problem.shape)
    })
}

/// The same elements, copied in worse and worse order.
fn copies(lesson: &mut Lesson, size: Shape) -> Result<()> {
    let kernels = ["copy_stride", "copy_stride_vector", "copy_offset"];
    if !kernels.iter().any(|kernel| lesson.flags.wants(kernel)) {
        return Ok(());
    }
    let n = copied_elements(lesson, size)?;
    lesson.say(format!("\n  Copies of {n} floats: bandwidth of the bytes that are used"))?;
    let Flags { fill, seed, .. } = lesson.flags;
    let all = Problem::new(Shape { m: 1, n, k: 1 }, Type::Float, fill, seed);
    let mut tables = ["stride", "vector", "offset"].into_iter();
    tables.try_for_each(|table| lesson.measure_table(KERNELS, table, &all))
}

/// More than the caches of the device hold, where its memory allows. A GPU does
/// not tell the size of its last cache, so there it is 64 MiB, from where to where
/// together what the largest hold. A virtual machine tells the cache of a whole
/// socket, of which it has a part: so a CPU copies 128 MiB at most, which the cache of the
/// largest sockets does hold. A small product is copied 64 times over at most, and
/// at least 32 MiB: a small size is a short run.
fn copied_elements(lesson: &mut Lesson, size: Shape) -> Result<usize> {
    if lesson.runs()?.is_none() {
        // Several groups of whole warps, the last one not full, also where vectors are copied.
        return Ok(3 << 10);
    }
    let device = &lesson.session()?.device;
    let limits = &device.limits;
    let want = match device.kind {
        Kind::Gpu => 64 << 20,
        _ => (2 * limits.cache_bytes).clamp(32 << 20, 128 << 20),
    };
    let room = limits.max_alloc_bytes.min(limits.global_mem_bytes / 8);
    let asked = (64 * size.m * size.n).max(8 << 20);
    let elements = (want.min(room / 2) as usize / 4).min(asked);
    // A power of two, so that every stride divides it.
    Ok(1 << elements.ilog2())
}
