//! Lesson 5: private memory. What an item keeps to itself costs no traffic, as
//! long as it fits its registers.

use std::process::ExitCode;

use common::matrix::Shape;
use common::report::{Record, bytes};
use common::{Axes, Lesson, Result, Step, lesson};

fn main() -> ExitCode {
    lesson(
        5,
        "private memory",
        Some("05-private-memory.cl"),
        |lesson| {
            let problem = lesson.problem()?;
            lesson.table("GFLOP/s")?;
            for step in steps() {
                lesson.measure(&step, &problem)?;
            }
            for step in group_sizes(lesson, problem.shape)? {
                lesson.measure(&step, &problem)?;
            }
            private_sizes(lesson)?;
            lesson.compare_with_host(&problem)
        },
    )
}

fn steps() -> [Step; 3] {
    [
        Step::new("matmul_global_sum", "the running sum lives in C"),
        Step::new("matmul_private_sum", "the running sum lives in a register"),
        row_step("matmul_row_per_item", "one item computes a row of C", 64),
    ]
}

fn row_step(kernel: &str, says: &str, group: usize) -> Step {
    Step::new(kernel, says)
        .axes(Axes::Rows)
        .group([group, 1])
        .variant(format!("x{group}"))
}

/// The last step in groups of several sizes. One of them is what a source chose
/// after asking for the compute units: as many groups as units, each as large
/// as the rows divide into (4 groups of 250 for 1000 rows on 4 units).
fn group_sizes(lesson: &mut Lesson, shape: Shape) -> Result<Vec<Step>> {
    let limits = &lesson.session()?.device.limits;
    let one_group_per_unit = shape.m.div_ceil(limits.compute_units.max(1));
    let mut sizes = vec![1, 8, 64, 250, 256];
    sizes.push(one_group_per_unit.clamp(1, 1024));
    sizes.sort_unstable();
    sizes.dedup();
    let says = |size: usize| match size {
        size if size == one_group_per_unit => "row of A in private memory; a group for each unit",
        _ => "row of A in private memory",
    };
    Ok(sizes
        .into_iter()
        .map(|size| row_step("matmul_row_private", says(size), size))
        .collect())
}

/// What the compiler set aside for one item: more than registers hold is a spill.
fn private_sizes(lesson: &mut Lesson) -> Result<()> {
    let mut sizes: Vec<(String, u64)> = Vec::new();
    for Record {
        kernel,
        private_bytes,
        ..
    } in lesson.report.rows()
    {
        let kernel = kernel.split(' ').next().unwrap_or(kernel).to_string();
        let known = sizes.iter().any(|(name, _)| *name == kernel);
        if let (Some(bytes), false) = (private_bytes, known) {
            sizes.push((kernel, *bytes));
        }
    }
    if sizes.is_empty() {
        return Ok(());
    }
    lesson.say("\n  CL_KERNEL_PRIVATE_MEM_SIZE: memory of one item, beyond its registers")?;
    for (kernel, size) in sizes {
        lesson.say(format!("    {kernel:<28}{:>10}", bytes(size)))?;
    }
    Ok(())
}
