//! Lesson 8: tiling. An item that computes several elements of C uses each
//! number that it loads several times.

use std::process::ExitCode;

use common::Traffic;
use common::element::Type;
use lesson::{AblateFlag, Step, lesson_with};

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

fn steps(ty: Type) -> [Step; 3] {
    // How deep the local tiles are: elements twice as wide need half as many.
    let depth = if ty == Type::Double { 8 } else { 16 };
    let tile = |kernel, says| register_tile(kernel, depth, says);
    let vector = |says| tile("matmul_register_tile_vector", says);
    [
        tile(
            "matmul_register_tile",
            "8x8 elements per item, over a local tile",
        ),
        vector("four elements a load")
            .variant("PAD 0")
            .define("PAD", 0),
        vector("rows of A's tile 4 elements longer")
            .variant("PAD 4")
            .define("PAD", 4),
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
