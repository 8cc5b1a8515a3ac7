//! Lesson 7: vector types. One value with several lanes, for devices that have
//! wide registers, and for wide loads.

use common::Result;
use lesson::{Lesson, lesson};

/// What is launched, and how. Each lane computes an element of C: first from global memory, then
/// from a tile.
const KERNELS: &str = r#"
[[columns]]
function = "matmul_vload"
variant = "{WIDTH}"
says = "neighbouring columns in the lanes"
global = ["ceil(N/WIDTH)", "M"]
define = { WIDTH = [4, 8, 16] }
# Whole vectors share an element of A; the last columns do not.
traffic.global-loads = "M*K*(N + floor(N/WIDTH) + N - WIDTH*floor(N/WIDTH))"
traffic.global-stores = "M*N"

[[columns]]
function = "matmul_tiled_vector"
variant = "{TS}x{TS}"
says = "lesson 6's tile, four elements a load"
from = "matmul_vload 4"
local = ["TS/4", "TS"]
global = ["ceil(N/4)", "M"]
pad = ["TS", "TS", "TS"]
define = { TS = 8 }
traffic.global-loads = "2*M*N*K/TS"
traffic.global-stores = "M*N"
traffic.local-loads = "M*N*K + M*N*K/4"
traffic.local-stores = "2*M*N*K/TS"

[[columns]]
like = "matmul_tiled_vector {TS}x{TS}"
variant = "{TS}x{TS}"
define = { TS = [16, 32] }

# The other way to use lanes: a row of C per item, in vectors of W terms; zeros fill the last
# vector of a row.
[[terms]]
function = "matmul_dot4_from_scalars"
says = "dot() of float4 put together from scalars"
needs = [{ that = "FLOATING", else = "OpenCL's dot() exists for floating types only" }]
global = ["M"]
local-hint = [64]
# PIECE is how many elements of a row of A, and of a column of B, are kept at a time, as in the
# kernel file.
names = { W = 4, PIECE = 1024 }
traffic.global-loads = "M*K + ceil(M/G)*K*N + M*N*(ceil(K/PIECE) - 1)"
traffic.global-stores = "M*N*ceil(K/PIECE)"
traffic.local-loads = "M*N*W*ceil(K/W)"
traffic.local-stores = "ceil(M/G)*N*W*ceil(K/W)"

[[terms]]
like = "matmul_dot4_from_scalars"
function = "matmul_dot4"
says = "the private row is an array of float4"

[[terms]]
like = "matmul_dot4_from_scalars"
function = "matmul_dot8"
says = "float8, with a dot product of our own"
needs = []
names.W = 8
"#;

fn main() -> std::process::ExitCode {
    lesson(7, "vectorization", &["07-vectorization.cl"], |lesson| {
        let problem = lesson.problem()?;
        widths(lesson)?;
        lesson.measure_table(KERNELS, "columns", &problem)?;
        lesson.compare_with_host(&problem)?;
        let heading = "The other way to use lanes: terms of one sum, added up by dot()";
        lesson.measure_below(heading, KERNELS, "terms", &problem)
    })
}

/// What the driver says about vectors, to hold against the table.
fn widths(lesson: &mut Lesson) -> Result<()> {
    let limits = &lesson.session()?.device.limits;
    lesson.say(format!(
        "  vectors  preferred width {} floats, native width {} (1 means: write scalars)",
        limits.preferred_float_width, limits.native_float_width
    ))
}
