//! Lesson 15: what stands around a product. What comes behind it, many small ones, weights in
//! four bits, many launches, and memory that both sides see.

mod memory;
mod parts;
mod right;

use std::process::ExitCode;

use common::Result;
use common::record::Work;
use lesson::{Lesson, lesson};
use task::Task;
use verify::problem::Problem;

use parts::Way;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    let file = &["15-around-the-product.cl"];
    lesson(15, "around the product", file, |lesson| {
        lesson.must_be_of_floats()?;
        let problem = lesson.problem()?;
        let plain = |_: &mut [Task]| Ok(());
        show(
            lesson,
            &problem,
            "fused",
            "A product, bias, GELU and a residual",
            |task| right::fused(task, &problem),
        )?;
        show(lesson, &problem, "small", "Products of 32 x 32 x 32", plain)?;
        show(lesson, &problem, "quantise", "Weights in four bits", plain)?;
        show(
            lesson,
            &problem,
            "weights",
            "A few rows times weights",
            right::few_rows,
        )?;
        show(lesson, &problem, "windows", "Many launches", plain)?;
        if lesson.flags().only.is_empty() && !lesson.flags().json {
            memory::show(lesson, problem.shape.m * problem.shape.n)?;
        }
        Ok(())
    })
}

/// A table below its heading, unless `--only` leaves out all of it.
fn show(
    lesson: &mut Lesson,
    problem: &Problem,
    table: &str,
    heading: &str,
    right: impl Fn(&mut [Task]) -> Result<()>,
) -> Result<()> {
    let mut tasks = lesson.tasks(STEPS, table, problem)?;
    tasks.retain(|task| lesson.flags().wants_task(task));
    let Some(first) = tasks.first() else {
        return Ok(());
    };
    lesson.say(format!("\n  {heading}"))?;
    lesson.peak()?;
    lesson.table(match first.work {
        Work::Flop(_) => "GFLOP/s",
        Work::Bytes(_) => "GB/s",
    })?;
    right(&mut tasks)?;
    for task in &mut tasks {
        match &*task.variant {
            "one a launch" => parts::row(lesson, task, Way::InOrder)?,
            "out of order" => parts::row(lesson, task, Way::OutOfOrder)?,
            "command buffer" => parts::row(lesson, task, Way::CommandBuffer)?,
            _ => lesson.measure_task(task)?,
        }
    }
    Ok(())
}
