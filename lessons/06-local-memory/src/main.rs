//! Lesson 6: local memory. The items of a group fetch together what all of them
//! need.

use std::process::ExitCode;

use common::Result;
use common::element::Type;
use common::shape::Shape;
use lesson::{Copy, Lesson, lesson};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    lesson(6, "local memory", &["06-local-memory.cl"], |lesson| {
        watch_tiles_fill(lesson)?;
        let problem = lesson.problem()?;
        lesson.measure_table(STEPS, "tiles", &problem)?;
        lesson.compare_with_host(&problem)?;
        let heading = "\n  A column instead of tiles";
        lesson.measure_below(heading, STEPS, "column", &problem)?;
        transpositions(lesson)
    })
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
    lesson.session()?;
    let tiny = |size: &Shape| size.m.max(size.n).max(size.k) <= TOLD;
    let shape = lesson.size.filter(tiny);
    let shape = shape.unwrap_or(Shape { m: 3, n: 3, k: 4 });
    let Shape { m, n, k } = shape;
    lesson.say(format!(
        "\n  How tiles fill: 2x2 tiles, {m} x {k} times {k} x {n}, the first group speaks"
    ))?;
    let steps = lesson.steps(STEPS, "trace", shape)?;
    lesson.demonstrate(&steps[0], shape)
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
