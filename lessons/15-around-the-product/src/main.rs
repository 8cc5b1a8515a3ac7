//! Lesson 15: what stands around a product. What comes behind it, many small ones, weights in
//! four bits, many launches, and memory that both sides see.

mod memory;
mod parts;
mod right;

use common::Result;
use lesson::{Lesson, lesson};
use verify::problem::Problem;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> std::process::ExitCode {
    let file = &["15-around-the-product.cl"];
    lesson(15, "around the product", file, |lesson| {
        lesson.must_be_of_floats()?;
        let problem = lesson.problem()?;
        let fused = lesson.tasks(STEPS, "fused", &problem)?;
        let heading = "A product, bias, GELU and a residual";
        lesson.measure_against(heading, fused, |tasks| right::fused(tasks, &problem))?;
        launches(lesson, &problem, "small", "Products of 32 x 32 x 32")?;
        lesson.measure_below("Weights in four bits", STEPS, "quantise", &problem)?;
        let weights = lesson.tasks(STEPS, "weights", &problem)?;
        lesson.measure_against("A few rows times weights", weights, right::few_rows)?;
        launches(lesson, &problem, "windows", "Many launches")?;
        if lesson.flags.only.is_empty() && !lesson.flags.json {
            memory::show(lesson, problem.shape.m * problem.shape.n)?;
        }
        Ok(())
    })
}

/// A table in which some tasks come to the device in parts, each in its own way.
fn launches(lesson: &mut Lesson, problem: &Problem, table: &str, heading: &str) -> Result<()> {
    let mut tasks = lesson.tasks(STEPS, table, problem)?;
    tasks.retain(|task| lesson.flags.wants_task(task));
    if tasks.is_empty() {
        return Ok(());
    }
    lesson.say(format!("\n  {heading}"))?;
    lesson.table("GB/s")?;
    for task in &mut tasks {
        match &*task.variant {
            "one a launch" | "out of order" | "command buffer" => parts::row(lesson, task)?,
            _ => lesson.measure_task(task)?,
        }
    }
    Ok(())
}
