//! Lesson 5: private memory. What an item keeps to itself costs no traffic, as
//! long as it fits its registers.

use std::process::ExitCode;

use common::numbers::bytes;
use common::problem::Problem;
use common::record::Record;
use common::shape::Shape;
use common::{Result, Traffic};
use lesson::{Axes, Lesson, Step, lesson};

fn main() -> ExitCode {
    lesson(
        5,
        "private memory",
        Some("05-private-memory.cl"),
        |lesson| {
            let problem = lesson.problem()?;
            lesson.measure_all(&steps(), &problem)?;
            private_sizes(lesson)?;
            lesson.compare_with_host(&problem)?;
            rows(lesson, &problem)
        },
    )
}

/// First one sum per item, then several, until they no longer fit the registers.
fn steps() -> Vec<Step> {
    let one_sum = [
        Step::new("matmul_global_sum", "the running sum lives in C")
            .traffic(Traffic::global("3*M*N*K", "M*N*(K + 1)")),
        Step::new("matmul_private_sum", "the running sum lives in a register")
            .traffic(Traffic::global("2*M*N*K", "M*N")),
    ];
    let several = [2, 4, 8, 16, 64, 128].map(|sums| {
        Step::new("matmul_private_sums", &format!("{sums} sums of a column"))
            .variant(format!("x{sums}"))
            .per_item([1, sums])
            .define("SUMS", sums)
            .made_from("matmul_private_sum")
            .traffic(Traffic::global("K*N*ceil(M/SUMS)*(1 + SUMS)", "M*N"))
    });
    one_sum.into_iter().chain(several).collect()
}

/// Elements of a row of A that an item keeps at a time, as in the kernel file.
const ROW: usize = 1024;

/// The other way to use private memory, which two of the sources took: a row of C per item.
fn rows(lesson: &mut Lesson, problem: &Problem) -> Result<()> {
    let units = lesson.session()?.device.limits.compute_units;
    let steps = row_steps(units, problem.shape);
    if !steps.iter().any(|step| lesson.flags().wants_step(step)) {
        return Ok(());
    }
    lesson.say("\n  A row of C per item: few items, each with much to keep")?;
    lesson.measure_all(&steps, problem)
}

/// The last kernel in groups of several sizes. One of them is what a source chose
/// after asking for the compute units: as many groups as units, each as large
/// as the rows divide into (4 groups of 250 for 1000 rows on 4 units).
fn row_steps(units: usize, shape: Shape) -> Vec<Step> {
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
            .made_from("matmul_row_per_item")
    };
    let group_for_each_unit = shape.m.div_ceil(units.max(1)).min(1024);
    let mut per_unit = row_private(group_for_each_unit).variant("M/units");
    per_unit.says = format!("a group for each compute unit: x{group_for_each_unit}");
    vec![
        Step::new("matmul_row_per_item", "one item computes a row of C")
            .axes(Axes::Rows)
            .group([64, 1])
            .traffic(Traffic::global("2*M*N*K", "M*N")),
        row_private(1),
        row_private(64),
        row_private(250),
        per_unit,
    ]
}

/// What the compiler set aside for one item: more than registers hold is a spill.
fn private_sizes(lesson: &Lesson) -> Result<()> {
    let size = |row: &Record| Some((row.kernel.clone(), row.private_bytes?));
    let rows = lesson.console.report.rows().iter();
    let sizes: Vec<(String, u64)> = rows.filter_map(size).collect();
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
