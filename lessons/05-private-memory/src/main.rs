//! Lesson 5: private memory. What an item keeps to itself costs no traffic, as
//! long as it fits its registers.

use std::process::ExitCode;

use common::numbers::bytes;
use common::record::Record;
use common::shape::Shape;
use common::{Result, Traffic};
use runner::{Axes, Lesson, Step, lesson};

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
        Step::new("matmul_global_sum", "the running sum lives in C")
            .traffic(Traffic::global("3*M*N*K", "M*N*(K + 1)")),
        Step::new("matmul_private_sum", "the running sum lives in a register")
            .traffic(Traffic::global("2*M*N*K", "M*N")),
        Step::new("matmul_row_per_item", "one item computes a row of C")
            .axes(Axes::Rows)
            .group([64, 1])
            .traffic(Traffic::global("2*M*N*K", "M*N")),
    ]
}

/// Elements of a row of A that an item keeps at a time, as in the kernel file.
const ROW: usize = 1024;

/// The last step in groups of several sizes. One of them is what a source chose
/// after asking for the compute units: as many groups as units, each as large
/// as the rows divide into (4 groups of 250 for 1000 rows on 4 units).
fn group_sizes(lesson: &mut Lesson, shape: Shape) -> Result<Vec<Step>> {
    let limits = &lesson.session()?.device.limits;
    let group_for_each_unit = shape.m.div_ceil(limits.compute_units.max(1));
    let row_private = |size: usize| {
        Step::new("matmul_row_private", "row of A in private memory")
            .axes(Axes::Rows)
            .exact_group([size, 1])
            .constant("ROW", ROW)
            .traffic(Traffic::global(
                "M*K + M*N*K + M*N*(ceil(K/ROW) - 1)",
                "M*N*ceil(K/ROW)",
            ))
            .variant(format!("x{size}"))
    };
    let mut steps: Vec<Step> = [1, 8, 64, 250, 256].map(row_private).into();
    let mut per_unit = row_private(group_for_each_unit.min(1024)).variant("M/units");
    per_unit.says = format!("a group for each compute unit: x{}", per_unit.group[0]);
    steps.push(per_unit);
    Ok(steps)
}

/// What the compiler set aside for one item: more than registers hold is a spill.
fn private_sizes(lesson: &mut Lesson) -> Result<()> {
    let mut sizes: Vec<(String, u64)> = Vec::new();
    for Record {
        kernel,
        private_bytes,
        ..
    } in lesson.console.report.rows()
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
    lesson.say(
        "\n  CL_KERNEL_PRIVATE_MEM_SIZE: private memory of one item, as the driver counts it",
    )?;
    for (kernel, size) in sizes {
        lesson.say(format!("    {kernel:<28}{:>10}", bytes(size)))?;
    }
    Ok(())
}
