//! Lesson 8: tiling. An item that computes several elements of C uses each
//! number that it loads several times.

use std::process::ExitCode;

use common::Traffic;
use common::element::Type;
use runner::{AblateFlag, Step, lesson_with};

fn main() -> ExitCode {
    let file = Some("08-tiling.cl");
    lesson_with(8, "tiling", file, |lesson, flags: &AblateFlag| {
        let problem = lesson.problem()?;
        let steps = steps(problem.ty);
        if flags.ablate {
            return lesson.ablate(&steps, &problem);
        }
        lesson.measure_all(&steps, &problem)?;
        lesson.compare_with_host(&problem)
    })
}

fn steps(ty: Type) -> [Step; 5] {
    // How deep the local tiles are: numbers twice as wide need half as many.
    let depth = if ty == Type::Double { 8 } else { 16 };
    let tile = |kernel, says| register_tile(kernel, depth, says);
    let of_gpu = Vectors { width: 4, count: 1 };
    let of_cpu = Vectors {
        width: 16,
        count: 3,
    };
    [
        Step::new(
            "matmul_column_strip",
            "8 elements of a column per item, over a local tile",
        )
        .exact_group([32, 4])
        .per_item([1, 8])
        .pad(32, 32, 32)
        .define("TS", 32)
        .define("STRIP", 8)
        .traffic(Traffic::global("2*M*N*K/TS", "M*N").local("M*N*K + M*N*K/STRIP", "2*M*N*K/TS")),
        tile(
            "matmul_register_tile",
            "8x8 elements per item, over a local tile",
        ),
        tile(
            "matmul_register_tile_vector",
            "the same, four numbers at a time",
        ),
        private(of_gpu, [16, 16], "no local memory, shaped for a GPU"),
        private(of_cpu, [1, 16], "no local memory, shaped for a CPU"),
    ]
}

/// 8 x 8 elements per item, over a local tile of 64 rows and 128 columns.
fn register_tile(kernel: &str, depth: usize, says: &str) -> Step {
    Step::new(kernel, says)
        .exact_group([16, 8])
        .per_item([8, 8])
        .pad(64, 128, depth)
        .define("TM", 64)
        .define("TN", 128)
        .define("TK", depth)
        .define("RM", 8)
        .define("RN", 8)
        .traffic(
            Traffic::global("M*N*K/TN + M*N*K/TM", "M*N")
                .local("M*N*K/RN + M*N*K/RM", "M*N*K/TN + M*N*K/TM"),
        )
}

/// The vectors that one item keeps for each of its 8 rows.
struct Vectors {
    width: usize,
    count: usize,
}

/// The kernel without local memory, for one shape of tile and group.
fn private(vectors: Vectors, group: [usize; 2], says: &str) -> Step {
    const ROWS: usize = 8;
    let columns = vectors.width * vectors.count;
    Step::new("matmul_register_tile_private", says)
        .variant(format!("{ROWS}x{columns}"))
        .exact_group(group)
        .per_item([columns, ROWS])
        .pad(group[1] * ROWS, group[0] * columns, 1)
        .define("P_WIDTH", vectors.width)
        .define("P_VECTORS", vectors.count)
        .define("P_ROWS", ROWS)
        .define("P_GROUP_X", group[0])
        .define("P_GROUP_Y", group[1])
        .traffic(Traffic::global(
            "M*N*K/(P_VECTORS*P_WIDTH) + M*N*K/P_ROWS",
            "M*N",
        ))
}
