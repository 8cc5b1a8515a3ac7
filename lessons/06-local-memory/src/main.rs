//! Lesson 6: local memory. The items of a group fetch together what all of them
//! need.

use std::process::ExitCode;

use common::element::Type;
use common::problem::Problem;
use common::shape::Shape;
use common::{Result, Traffic};
use lesson::{Axes, Copy, Layout, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(6, "local memory", Some("06-local-memory.cl"), |lesson| {
        watch_tiles_fill(lesson)?;
        let problem = lesson.problem()?;
        lesson.measure_all(&steps(), &problem)?;
        lesson.compare_with_host(&problem)?;
        shared_column(lesson, &problem)?;
        transpositions(lesson)
    })
}

fn tiled(kernel: &str, side: usize, order: &str) -> Step {
    Step::new(kernel, &format!("{side}x{side} tiles of A and B, {order}"))
        .variant(format!("{side}x{side}"))
        .exact_group([side, side])
        .traffic(
            Traffic::global("M*K*ceil(N/TS) + K*N*ceil(M/TS)", "M*N").local(
                "2*TS*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)",
                "2*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)",
            ),
        )
        .define("TS", side)
}

fn steps() -> Vec<Step> {
    let mut steps = [8, 16, 32]
        .map(|side| tiled("matmul_tiled", side, "row-major"))
        .to_vec();
    let column_major = tiled("matmul_tiled_column_major", 16, "column-major");
    steps.push(
        column_major
            .axes(Axes::RowsFirst)
            .layout(Layout::ColumnMajor)
            .made_from("matmul_tiled 16x16"),
    );
    steps.push(
        Step::new(
            "matmul_column_strip",
            "8 sums of a column per item, over a tile",
        )
        .made_from("matmul_tiled 32x32")
        .exact_group([32, 4])
        .per_item([1, 8])
        .pad(32, 32, 32)
        .define("TS", 32)
        .define("STRIP", 8)
        .traffic(Traffic::global("2*M*N*K/TS", "M*N").local("M*N*K + M*N*K/STRIP", "2*M*N*K/TS")),
    );
    steps
}

/// Elements of a row of A, and of a column of B, that are kept at a time, as in
/// the kernel file.
const PIECE: usize = 1024;

/// Another thing to share: one column of B at a time, for a row of C per item.
fn shared_column(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let step = Step::new(
        "matmul_column_local",
        "row of A private, column of B shared by the group",
    )
    .axes(Axes::Rows)
    .group([64, 1])
    .constant("PIECE", PIECE)
    .traffic(
        Traffic::global(
            "M*K + ceil(M/G)*K*N + M*N*(ceil(K/PIECE) - 1)",
            "M*N*ceil(K/PIECE)",
        )
        .local("M*N*K", "ceil(M/G)*K*N"),
    );
    if !lesson.flags().wants_step(&step) {
        return Ok(());
    }
    lesson.say("\n  A column instead of tiles")?;
    lesson.measure_all(&[step], problem)
}

/// With `--size` up to this many rows and columns, the tiles are filled with a
/// product of that size.
const TOLD: usize = 8;

/// A product so small that the items can tell how they fill the tiles.
fn watch_tiles_fill(lesson: &mut Lesson) -> Result<()> {
    // What kernels print would spoil JSON, and types other than float their %g.
    let wanted = lesson.flags().wants("trace_tiles");
    if !wanted || lesson.flags().json || lesson.flags().ty != Type::Float {
        return Ok(());
    }
    let step = Step::new(
        "trace_tiles",
        "the items of the first group tell what they do",
    )
    .exact_group([2, 2]);
    lesson.session()?;
    let tiny = |size: &Shape| size.m.max(size.n).max(size.k) <= TOLD;
    let shape = lesson.size.filter(tiny);
    let shape = shape.unwrap_or(Shape { m: 3, n: 3, k: 4 });
    let Shape { m, n, k } = shape;
    lesson.say(format!(
        "\n  How tiles fill: 2x2 tiles, {m} x {k} times {k} x {n}, the first group speaks"
    ))?;
    lesson.demonstrate(&step, shape)
}

/// Reads along rows, writes along rows, and transposes the tile in between.
fn transpositions(lesson: &mut Lesson) -> Result<()> {
    if !lesson.flags().wants("transpose_naive") && !lesson.flags().wants("transpose_tile") {
        return Ok(());
    }
    let shape = lesson.shape()?;
    let (rows, columns) = (shape.m, shape.n);
    let elements = rows * columns;
    lesson.say(format!(
        "\n  Transposing {rows} x {columns} floats: what bank conflicts cost"
    ))?;
    lesson.table("GB/s")?;
    for (kernel, variant, pad, says) in [
        (
            "transpose_naive",
            "",
            0,
            "reads along rows, writes along columns",
        ),
        (
            "transpose_tile",
            "unpadded",
            0,
            "through a tile; its columns share a bank",
        ),
        (
            "transpose_tile",
            "padded",
            1,
            "rows of the tile one element longer",
        ),
    ] {
        let copy = Copy {
            kernel,
            variant: variant.into(),
            says: says.into(),
            defines: vec![("PAD".into(), pad)],
            sizes: [("rows", rows), ("columns", columns)],
            // A group of 32 x 8 items moves a tile of 32 x 32.
            items: vec![columns.next_multiple_of(32), rows.div_ceil(32) * 8],
            group: vec![32, 8],
            fixed: true,
            elements,
            length: elements,
            seed: lesson.flags().seed,
            from: "i % rows * columns + floor(i/rows)",
        };
        lesson.measure_task(&copy.task())?;
    }
    Ok(())
}
