//! Lesson 8: tiling. An item that computes several elements of C uses each
//! number that it loads several times.

use lesson::{AblateFlag, lesson_with};

/// What is launched, and how. 8 x 8 elements per item, over a local tile of 64 rows and 128
/// columns.
const KERNELS: &str = r#"
[[step]]
function = "matmul_register_tile"
says = "8x8 elements per item, over a local tile"
local = ["TN/RN", "TM/RM"]
global = ["ceil(N/RN)", "ceil(M/RM)"]
pad = ["TM", "TN", "TK"]
# TK is how deep the local tiles are: elements twice as wide need half as many.
define = { TM = 64, TN = 128, TK = "if(BYTES == 8, 8, 16)", RM = 8, RN = 8 }
traffic.global-loads = "M*N*K/TN + M*N*K/TM"
traffic.global-stores = "M*N"
traffic.local-loads = "M*N*K/RN + M*N*K/RM"
traffic.local-stores = "M*N*K/TN + M*N*K/TM"

[[step]]
like = "matmul_register_tile"
function = "matmul_register_tile_vector"
variant = "PAD {PAD}"
says = "four elements a load"
define = { PAD = 0 }

[[step]]
like = "matmul_register_tile_vector PAD {PAD}"
variant = "PAD {PAD}"
says = "rows of A's tile 4 elements longer"
define = { PAD = 4 }
"#;

fn main() -> std::process::ExitCode {
    let file = &["08-tiling.cl"];
    lesson_with(8, "tiling", file, |lesson, flags: &AblateFlag| {
        let problem = lesson.problem()?;
        let tasks = lesson.tasks(KERNELS, "step", &problem)?;
        if flags.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        lesson.compare_with_host(&problem)
    })
}
