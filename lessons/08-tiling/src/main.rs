//! Lesson 8: tiling. An item that computes several elements of C uses each
//! number that it loads several times.

use std::process::ExitCode;

use common::{Step, lesson};

fn main() -> ExitCode {
    lesson(8, "tiling", Some("08-tiling.cl"), |lesson| {
        let problem = lesson.problem()?;
        lesson.table("GFLOP/s")?;
        for step in steps() {
            lesson.measure(&step, &problem)?;
        }
        lesson.compare_with_host(&problem)
    })
}

fn steps() -> [Step; 4] {
    [
        Step::new(
            "matmul_column_strip",
            "8 elements of a column per item, over a local tile",
        )
        .group([32, 4])
        .per_item([1, 8])
        .pad(32, 32, 32),
        Step::new(
            "matmul_register_tile",
            "8x8 elements per item, over a local tile",
        )
        .group([16, 8])
        .per_item([8, 8])
        .pad(64, 128, 16),
        Step::new(
            "matmul_register_tile_vector",
            "the same, four numbers at a time",
        )
        .group([16, 8])
        .per_item([8, 8])
        .pad(64, 128, 16),
        Step::new(
            "matmul_register_tile_private",
            "8x48 elements per item, no local memory",
        )
        .group([1, 16])
        .per_item([48, 8])
        .pad(128, 48, 1),
    ]
}
