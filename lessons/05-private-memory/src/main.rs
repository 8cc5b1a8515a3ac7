//! Lesson 5: private memory. What an item keeps to itself costs no traffic, as
//! long as it fits its registers.

use common::Result;
use lesson::{Lesson, lesson};
use verify::numbers::bytes;

/// What is launched, and how. First one sum per item, then several, until they no longer fit the
/// registers.
const KERNELS: &str = r#"
[[sums]]
function = "matmul_global_sum"
says = "the running sum lives in C"
traffic = { global-loads = "3*M*N*K", global-stores = "M*N*(K + 1)" }

[[sums]]
function = "matmul_private_sum"
says = "the running sum lives in a register"
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }

[[sums]]
function = "matmul_private_sums"
variant = "x{SUMS}"
says = "{SUMS} sums of a column"
from = "matmul_private_sum"
global = ["N", "ceil(M/SUMS)"]
define = { SUMS = [2, 4, 8, 16, 64, 128] }
traffic = { global-loads = "K*N*ceil(M/SUMS)*(1 + SUMS)", global-stores = "M*N" }

# The other way to use private memory, which two of the sources took: a row of C per item.
[[rows]]
function = "matmul_row_per_item"
says = "one item computes a row of C"
global = ["M"]
local-hint = [64]
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }

[[rows]]
function = "matmul_row_private"
variant = "x{SIZE}"
says = "row of A in private memory"
from = "matmul_row_per_item"
global = ["M"]
local = ["SIZE"]
# ROW is how many elements of a row of A an item keeps at a time, as in the kernel file.
names = { SIZE = [1, 64, 250], ROW = 1024 }
traffic.global-loads = "M*K + M*N*K + M*N*(ceil(K/ROW) - 1)"
traffic.global-stores = "M*N*ceil(K/ROW)"

# What a source chose after asking for the compute units: as many groups as units, each as large
# as the rows divide into (4 groups of 250 for 1000 rows on 4 units).
[[rows]]
like = "matmul_row_private x{SIZE}"
variant = "M/units"
says = "a group for each compute unit: x{SIZE}"
from = "matmul_row_per_item"
names = { SIZE = "min(ceil(M/max(UNITS, 1)), 1024)" }
"#;

fn main() -> std::process::ExitCode {
    let (title, file) = ("private memory", &["05-private-memory.cl"]);
    lesson(5, title, file, |lesson| {
        let problem = lesson.problem()?;
        lesson.measure_table(KERNELS, "sums", &problem)?;
        private_sizes(lesson)?;
        lesson.compare_with_host(&problem)?;
        let heading = "A row of C per item: few items, each with much to keep";
        lesson.measure_beside(heading, KERNELS, "rows", &problem)
    })
}

/// What the compiler set aside for one item: more than registers hold is a spill.
fn private_sizes(lesson: &Lesson) -> Result<()> {
    let rows = lesson.rows().iter();
    let sizes = rows.filter_map(|row| Some((&row.kernel, row.private_bytes?)));
    // Most drivers say the same of nearly all, and some of all, which tells nothing.
    let least = sizes.clone().map(|(_, size)| size).min().unwrap_or(0);
    let others = sizes.filter(|(_, size)| *size > least);
    let others = others.map(|(kernel, size)| format!("; {kernel} {}", bytes(size)));
    let (least, others) = (bytes(least), others.collect::<String>());
    if others.is_empty() {
        return Ok(());
    }
    lesson.say(format!(
        "\n  private  memory of an item, as CL_KERNEL_PRIVATE_MEM_SIZE counts it: {least}{others}"
    ))
}
