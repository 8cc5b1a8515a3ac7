//! Lesson 6: local memory. The items of a group fetch together what all of them
//! need.

use common::Result;
use lesson::{Lesson, lesson};
use verify::{Shape, element::Type, matrix::Fill, problem::Problem};

/// What is launched, and how. TS is the side of the tiles.
const KERNELS: &str = r#"
[[tiles]]
function = "matmul_tiled"
variant = "{TS}x{TS}"
says = "{TS}x{TS} tiles of A and B, row-major"
local = ["TS", "TS"]
define = { TS = [8, 16, 32] }
traffic.global-loads = "M*K*ceil(N/TS) + K*N*ceil(M/TS)"
traffic.global-stores = "M*N"
traffic.local-loads = "2*TS*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)"
traffic.local-stores = "2*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)"

[[tiles]]
like = "matmul_tiled {TS}x{TS}"
function = "matmul_tiled_column_major"
variant = "16x16"
says = "16x16 tiles of A and B, column-major"
from = "matmul_tiled 16x16"
global = ["M", "N"]
product = "column-major"
define = { TS = 16 }

[[tiles]]
function = "matmul_column_strip"
says = "8 sums of a column per item, over a tile"
from = "matmul_tiled 32x32"
local = [32, 4]
global = ["N", "ceil(M/STRIP)"]
pad = ["TS", "TS", "TS"]
define = { TS = 32, STRIP = 8 }
traffic.global-loads = "2*M*N*K/TS"
traffic.global-stores = "M*N"
traffic.local-loads = "M*N*K + M*N*K/STRIP"
traffic.local-stores = "2*M*N*K/TS"

# Another thing to share: one column of B at a time, for a row of C per item.
[[column]]
function = "matmul_column_local"
says = "row of A private, column of B shared by the group"
global = ["M"]
local-hint = [64]
# Elements of a row of A, and of a column of B, that are kept at a time, as in the kernel file.
names = { PIECE = 1024 }
traffic.global-loads = "M*K + ceil(M/G)*K*N + M*N*(ceil(K/PIECE) - 1)"
traffic.global-stores = "M*N*ceil(K/PIECE)"
traffic.local-loads = "M*N*K"
traffic.local-stores = "ceil(M/G)*K*N"

# It prints how the tiles fill.
[[trace]]
function = "trace_tiles"
says = "the items of the first group tell what they do"
local = [2, 2]

# A matrix of as many rows and columns as C is transposed. A group of 32 x 8 items moves a tile of
# 32 x 32.
[[transposed]]
function = "transpose_naive"
says = "reads along rows, writes along columns"
global = ["columns", "ceil(rows/32)*8"]
local = [32, 8]
define = { PAD = 0 }
names = { rows = "M", columns = "N" }
args = [
    "rows",
    "columns",
    { name = "in", in = "rows*columns", fill = "random" },
    { name = "out", out = "rows*columns" },
]
check = { out = "in[i % rows * columns + floor(i/rows)]" }
bytes = "8*rows*columns"

[[transposed]]
like = "transpose_naive"
function = "transpose_tile"
variant = "unpadded"
says = "through a tile; its columns share a bank"

[[transposed]]
like = "transpose_tile unpadded"
variant = "padded"
says = "rows of the tile one element longer"
define = { PAD = 1 }
"#;

fn main() -> std::process::ExitCode {
    lesson(6, "local memory", &["06-local-memory.cl"], |lesson| {
        watch_tiles_fill(lesson)?;
        let problem = lesson.problem()?;
        lesson.measure_table(KERNELS, "tiles", &problem)?;
        lesson.compare_with_host(&problem)?;
        lesson.measure_beside("A column instead of tiles", KERNELS, "column", &problem)?;
        let Shape { m, n, .. } = problem.shape;
        let heading = format!("Transposing {m} x {n} floats: what bank conflicts cost");
        lesson.measure_below(&heading, KERNELS, "transposed", &problem)
    })
}

/// A product so small that the items can tell how they fill the tiles: of --size up to 8.
fn watch_tiles_fill(lesson: &mut Lesson) -> Result<()> {
    // What kernels print would spoil JSON, and types other than float their %g.
    let wanted = lesson.flags.wants("trace_tiles");
    if !wanted || lesson.flags.json || lesson.flags.ty != Type::Float {
        return Ok(());
    }
    lesson.session()?;
    let tiny = |size: &Shape| size.m.max(size.n).max(size.k) <= 8;
    let shape = lesson.size.filter(tiny);
    let shape = shape.unwrap_or(Shape { m: 3, n: 3, k: 4 });
    let Shape { m, n, k } = shape;
    lesson.say(format!(
        "\n  How tiles fill: 2x2 tiles, {m} x {k} times {k} x {n}, the first group speaks"
    ))?;
    let counted = Problem::new(shape, Type::Float, Fill::Count, 0);
    let tasks = lesson.tasks(KERNELS, "trace", &counted)?;
    lesson.demonstrate(&tasks[0])
}
