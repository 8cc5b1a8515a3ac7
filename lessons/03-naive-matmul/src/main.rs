//! Lesson 3: the naive matrix product. One work-item computes one element of C.

use std::process::ExitCode;

use common::numbers::significant;
use common::problem::Problem;
use common::reference::LoopOrder;
use common::shape::Shape;
use common::{Result, Traffic};
use lesson::{Axes, Layout, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(3, "naive matmul", Some("03-naive-matmul.cl"), |lesson| {
        lesson.session()?;
        small_enough_to_print(lesson)?;
        let problem = lesson.problem()?;
        loop_orders(lesson, &problem)?;
        // One item per element, on matrices of the size that was asked for.
        lesson.measure_all(&steps(), &problem)?;
        lesson.compare_with_host(&problem)
    })
}

fn steps() -> [Step; 4] {
    // Two loads for each multiply-add; with the sum in C a third, and a store.
    let sum_in_register = || Traffic::global("2*M*N*K", "M*N");
    let sum_in_c = Traffic::global("3*M*N*K", "M*N*(K + 1)");
    [
        Step::new(
            "matmul_local_ids",
            "one work-group; local ids name the elements",
        )
        .axes(Axes::OneGroup)
        .traffic(sum_in_register()),
        Step::new(
            "matmul_global_sum",
            "many groups; the running sum lives in C",
        )
        .traffic(sum_in_c),
        Step::new("matmul_naive", "the running sum in a private variable")
            .traffic(sum_in_register()),
        Step::new(
            "matmul_naive_column_major",
            "the same for column-major matrices",
        )
        .axes(Axes::RowsFirst)
        .layout(Layout::ColumnMajor)
        .traffic(sum_in_register()),
    ]
}

/// Two products that can be followed by hand: 3 x 3 in one group, and 3 x 4
/// times 4 x 5 in a group that is larger than C, so that the guard is needed.
fn small_enough_to_print(lesson: &mut Lesson) -> Result<()> {
    if !lesson.flags().only.is_empty() || lesson.flags().json {
        return Ok(());
    }
    let [local_ids, _, naive, _] = steps();
    lesson.say("\n  By hand, 1: one work-group of 3 x 3, local ids")?;
    lesson.demonstrate(&local_ids, Shape::cube(3))?;
    lesson.say("\n  By hand, 2: 3 x 4 times 4 x 5, global ids and a guard")?;
    lesson.demonstrate(&naive, Shape { m: 3, n: 5, k: 4 })
}

/// The same three loops on one core of the host, in all six orders.
fn loop_orders(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    if lesson.runs()?.is_none() || !lesson.flags().only.is_empty() {
        return Ok(());
    }
    // Enough to leave the caches, and still a matter of seconds.
    let problem = lesson.clipped(problem, 512);
    lesson.say(format!(
        "\n  On the host, one core, {}: outer, middle, inner loop",
        problem.shape
    ))?;
    for order in LoopOrder::ALL {
        let record = lesson.host_loop(order, &problem)?;
        let gflops = significant(record.gflops.unwrap_or(0.0));
        lesson.say(format!("    {:<24}{gflops:>8} GFLOP/s", order.name()))?;
    }
    Ok(())
}
