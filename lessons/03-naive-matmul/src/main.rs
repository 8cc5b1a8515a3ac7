//! Lesson 3: the naive matrix product. One work-item computes one element of C.

use common::Result;
use lesson::{Flags, Lesson, lesson};
use verify::{Shape, matrix::Fill, problem::Problem, reference::LoopOrder};

/// What is launched, and how. Two loads for each multiply-add; with the sum in C a third, and a
/// store.
const KERNELS: &str = r#"
[[step]]
function = "matmul_local_ids"
says = "one work-group; local ids name the elements"
global = ["N", "M"]
local = ["N", "M"]
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }

[[step]]
function = "matmul_global_sum"
says = "many groups; the running sum lives in C"
traffic = { global-loads = "3*M*N*K", global-stores = "M*N*(K + 1)" }

[[step]]
function = "matmul_naive"
says = "the running sum in a private variable"
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }

[[step]]
function = "matmul_naive_column_major"
says = "the same for column-major matrices"
global = ["M", "N"]
product = "column-major"
traffic = { global-loads = "2*M*N*K", global-stores = "M*N" }
"#;

fn main() -> std::process::ExitCode {
    lesson(3, "naive matmul", &["03-naive-matmul.cl"], |lesson| {
        lesson.session()?;
        small_enough_to_print(lesson)?;
        let problem = lesson.problem()?;
        loop_orders(lesson, &problem)?;
        // One item per element, on matrices of the size that was asked for.
        lesson.measure_table(KERNELS, "step", &problem)?;
        lesson.compare_with_host(&problem)
    })
}

/// Two products that can be followed by hand: 3 x 3 in one group, and 3 x 4
/// times 4 x 5 in a group that is larger than C, so that the guard is needed.
fn small_enough_to_print(lesson: &mut Lesson) -> Result<()> {
    if !lesson.flags.only.is_empty() || lesson.flags.json {
        return Ok(());
    }
    let ty = lesson.flags.ty;
    let tasks = |lesson: &mut Lesson, shape| {
        lesson.tasks(KERNELS, "step", &Problem::new(shape, ty, Fill::Count, 0))
    };
    let square = tasks(lesson, Shape::cube(3))?;
    lesson.say("\n  By hand, 1: one work-group of 3 x 3, local ids")?;
    lesson.demonstrate(&square[0])?;
    let flat = tasks(lesson, Shape { m: 3, n: 5, k: 4 })?;
    lesson.say("\n  By hand, 2: 3 x 4 times 4 x 5, global ids and a guard")?;
    lesson.demonstrate(&flat[2])
}

/// The same three loops on one core of the host, in all six orders, with `--long` or `--json`.
fn loop_orders(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let Flags { long, json, all_devices, ref only, .. } = lesson.flags;
    if !(long || json || all_devices) || !only.is_empty() || lesson.runs()?.is_none() {
        return Ok(());
    }
    // Enough to leave the caches, and still a matter of seconds.
    let problem = problem.clipped(512);
    lesson
        .say(format!("\n  On the host, one core, {}: outer, middle, inner loop", problem.shape))?;
    for order in LoopOrder::ALL {
        let record = lesson.host_loop(order, &problem)?;
        let gflops = verify::numbers::significant(record.gflops.unwrap_or(0.0));
        lesson.say(format!("    {:<24}{gflops:>8} GFLOP/s", order.name()))?;
    }
    Ok(())
}
