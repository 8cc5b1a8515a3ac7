//! Lesson 15: what stands around a product. What comes behind it, many small ones, weights in
//! four bits, many launches, and memory that both sides see.

mod memory;
mod parts;

use std::rc::Rc;

use common::Result;
use lesson::{Lesson, lesson};
use task::{Right, Task};
use verify::element::{Elements, Type};
use verify::{Same, matrix::Matrix, problem::Problem};

const STEPS: &str = include_str!("../steps.toml");

fn main() -> std::process::ExitCode {
    let file = &["15-around-the-product.cl"];
    lesson(15, "around the product", file, |lesson| {
        lesson.must_be_of_floats()?;
        let problem = lesson.problem()?;
        let tasks = lesson.tasks(STEPS, "fused", &problem)?;
        let heading = "A product, bias, GELU and a residual";
        lesson.measure_against(heading, tasks, |tasks| fused(tasks, &problem))?;
        launches(lesson, &problem, "small", "Products of 32 x 32 x 32")?;
        lesson.measure_below("Weights in four bits", STEPS, "quantise", &problem)?;
        let weights = lesson.tasks(STEPS, "weights", &problem)?;
        lesson.measure_against("A few rows times weights", weights, few_rows)?;
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

/// What must come out, which the host computes in f64: D = residual + gelu(A * B + bias), by tanh as
/// the kernel's.
fn fused(tasks: &mut [Task], problem: &Problem) -> Result<()> {
    let n = problem.shape.n;
    let [bias, residual] = held(&tasks[0], ["bias", "residual"])?;
    let right = same("D", problem.shape.m * n, |i| {
        let (row, column) = (i / n, i % n);
        let x = problem.want(row, column) + bias.get(column);
        let gelu = 0.5 * x * (1.0 + (0.79788456 * (x + 0.044715 * x.powi(3))).tanh());
        let size = problem.bound(row, column) / OFF;
        [residual.get(i) + gelu, 1.2 * size + x.abs() + 1.0]
    });
    tasks.iter_mut().for_each(|task| task.right = right.clone());
    Ok(())
}

/// Y = X * W, of weights that are floats, or four bits with a scale. X's rows are the same, however
/// many a task has: so the one with the most says it for all with its weights.
fn few_rows(tasks: &mut [Task]) -> Result<()> {
    let bits = |task: &Task| task.defines.iter().find(|one| one.0 == "BITS").cloned();
    for group in tasks.chunk_by_mut(|one, next| bits(one) == bits(next)) {
        let rows = |task: &Task| task.plan().ok()?.scope.get("m").map(|m| m as usize);
        let largest = group.iter().max_by_key(|task| rows(task));
        let all = product(largest.expect("a group has one"))?;
        for task in group {
            task.right = same("Y", task.plan()?.shapes[3][0][1], |i| all[i]);
        }
    }
    Ok(())
}

/// The elements of Y and their sizes.
fn product(task: &Task) -> Result<Vec<[f64; 2]>> {
    let scope = task.plan()?.scope;
    let count = |name: &str| scope.get(name).unwrap_or_default() as usize;
    let [m, stride, width, n] = ["m", "stride", "width", "columns"].map(count);
    let [x, w, scale] = held(task, ["X", "W", "scale"])?;
    let weight = |k: usize, column: usize| match w.ty() {
        Type::Float => w.get(k * width + column),
        _ => {
            let eight = w.get(k / 8 * width + column) as u32;
            let level = f64::from(eight >> (k % 8 * 4) & 15) - 8.0;
            level * scale.get(k / 128 * width + column)
        }
    };
    let w = Elements::from_fn(Type::Float, stride * n, |i| weight(i / n, i % n));
    let matrix = |rows, cols, data| Matrix { rows, cols, data };
    let operands = [matrix(m, stride, x), matrix(stride, n, w)];
    let problem = Problem::of(operands, Type::Float);
    // Its bound is the one for sums that are no random walk, which these are.
    let norms = 2.0 * (stride as f64 + 4.0) * Type::Float.unit_roundoff();
    let element = |i: usize| {
        let (row, column) = (i / n, i % n);
        [problem.want(row, column), problem.bound(row, column) / norms]
    };
    Ok((0..m * n).map(element).collect())
}

/// What these inputs hold.
fn held<const COUNT: usize>(task: &Task, names: [&str; COUNT]) -> Result<[Elements; COUNT]> {
    let mut all = task.held()?;
    Ok(names.map(|name| {
        let at = all.iter().position(|one| one.0 == name);
        all.swap_remove(at.expect("a row has its inputs")).1
    }))
}

/// By how much a sum may be off, in units of the norms of its factors: as of any product.
const OFF: f64 = 6.0 / (1 << 24) as f64;

/// Each element is to be this number, within roundings of terms of this size.
fn same(name: &str, count: usize, element: impl Fn(usize) -> [f64; 2]) -> Right {
    let want = Elements::from_fn(Type::Float, count, |i| element(i)[0]);
    let moved = Elements::from_fn(Type::Float, count, |i| element(i).iter().sum());
    let same = Same::of(want, Some(OFF), 1.0, &[&moved], 4.0);
    Right::Same(vec![(name.into(), Rc::new(same))])
}
