//! Lesson 6: local memory. The items of a group fetch together what all of them
//! need.

use std::process::ExitCode;

use common::Result;
use lesson::{Lesson, lesson};
use verify::element::Type;
use verify::matrix::Fill;
use verify::problem::Problem;
use verify::shape::Shape;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    lesson(6, "local memory", &["06-local-memory.cl"], |lesson| {
        watch_tiles_fill(lesson)?;
        let problem = lesson.problem()?;
        lesson.measure_table(STEPS, "tiles", &problem)?;
        lesson.compare_with_host(&problem)?;
        let heading = "\n  A column instead of tiles";
        lesson.measure_below(heading, STEPS, "column", &problem)?;
        let Shape { m, n, .. } = problem.shape;
        let heading = format!("\n  Transposing {m} x {n} floats: what bank conflicts cost");
        lesson.measure_below(&heading, STEPS, "transposed", &problem)
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
    let counted = Problem::new(shape, Type::Float, Fill::Count, 0);
    let tasks = lesson.tasks(STEPS, "trace", &counted)?;
    lesson.demonstrate(&tasks[0])
}
