//! Lesson 6: local memory. The items of a group fetch together what all of them
//! need.

use std::process::ExitCode;
use std::rc::Rc;

use common::element::{Elements, Type};
use common::matrix::{Fill, Matrix};
use common::memory::Input;
use common::ndrange::NdRange;
use common::shape::Shape;
use common::{Result, Traffic};
use runner::{Axes, Copy, Layout, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(6, "local memory", Some("06-local-memory.cl"), |lesson| {
        watch_tiles_fill(lesson)?;
        products(lesson)?;
        transpositions(lesson)
    })
}

fn tiled(kernel: &str, side: usize, axes: Axes, layout: Layout) -> Step {
    let order = match layout {
        Layout::ColumnMajor => "column-major",
        _ => "row-major",
    };
    Step::new(kernel, &format!("{side}x{side} tiles of A and B, {order}"))
        .variant(format!("{side}x{side}"))
        .axes(axes)
        .layout(layout)
        .exact_group([side, side])
        .traffic(
            Traffic::global("M*K*ceil(N/TS) + K*N*ceil(M/TS)", "M*N").local(
                "2*TS*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)",
                "2*TS*TS*ceil(M/TS)*ceil(N/TS)*ceil(K/TS)",
            ),
        )
        .define("TS", side)
}

/// Elements of a row of A, and of a column of B, that are kept at a time, as in
/// the kernel file.
const PIECE: usize = 1024;

fn steps() -> Vec<Step> {
    let column = Step::new(
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
    let mut steps = vec![column];
    for side in [8, 16, 32] {
        steps.push(tiled(
            "matmul_tiled",
            side,
            Axes::ColumnsFirst,
            Layout::RowMajor,
        ));
    }
    steps.push(tiled(
        "matmul_tiled_column_major",
        16,
        Axes::RowsFirst,
        Layout::ColumnMajor,
    ));
    steps
}

fn products(lesson: &mut Lesson) -> Result<()> {
    let problem = lesson.problem()?;
    lesson.table("GFLOP/s")?;
    for step in steps() {
        lesson.measure(&step, &problem)?;
    }
    lesson.compare_with_host(&problem)
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
    let shape = lesson.size().filter(tiny);
    let shape = shape.unwrap_or(Shape { m: 3, n: 3, k: 4 });
    let Shape { m, n, k } = shape;
    lesson.say(format!(
        "\n  How tiles fill: 2x2 tiles, {m} x {k} times {k} x {n}, the first group speaks"
    ))?;
    lesson.demonstrate(&step, shape)
}

/// Reads along rows, writes along rows, and turns the tile round in between.
fn transpositions(lesson: &mut Lesson) -> Result<()> {
    if !lesson.flags().wants("transpose_naive") && !lesson.flags().wants("transpose_tile") {
        return Ok(());
    }
    let session = lesson.session()?;
    let shape = lesson.shape()?;
    let (rows, columns) = (shape.m, shape.n);
    let host = Matrix::floats(rows * columns, Fill::Random, lesson.flags().seed);
    let input = Rc::new(Input::new(&session, "in", Elements::Float(host))?);
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
        lesson.measure_task(&Copy {
            kernel,
            variant: variant.into(),
            says: says.into(),
            defines: vec![("PAD".into(), pad)],
            sizes: [rows, columns],
            // A group of 32 x 8 items moves a tile of 32 x 32.
            range: NdRange::cover(
                &[columns.next_multiple_of(32), rows.div_ceil(32) * 8],
                &[32, 8],
            ),
            exact_group: true,
            elements: rows * columns,
            input: input.clone(),
            from: &|i| i % rows * columns + i / rows,
        })?;
    }
    Ok(())
}
