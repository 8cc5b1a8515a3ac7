//! At the memory's limit: a second kernel for the same vectors. Its eleven steps are
//! those of `main`, taken by `common`, as in every lesson from here on.

use common::Result;
use common::element::Type;
use common::formula::Formula;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use lesson::Lesson;

use super::problem::{GROUP, Saxpy, TRAFFIC};

/// Its name.
pub const KERNEL: &str = "saxpy_vector";

/// Verifies, times and prints it, unless `--only` asks for the other.
pub fn measure(lesson: &mut Lesson, saxpy: &Saxpy) -> Result<()> {
    let flags = lesson.flags();
    let (fill, seed) = (flags.fill, flags.seed);
    if !flags.wants(KERNEL) {
        return Ok(());
    }
    // Below the row of saxpy, if that came to its end.
    let above = lesson.console.report.rows().last();
    if !flags.wants("saxpy") || above.is_none_or(|row| row.died.is_some()) {
        lesson.table("GB/s")?;
    }
    let vector = |name, role| Buffer::vector(name, Type::Float, "N", role);
    let numbers = |seed| Role::In(Fill::Numbers(fill, seed));
    let number = |name: &str, ty, value| Arg::Number(name.into(), ty, value);
    let buffers = ["A", "B", "C"].map(|name| Arg::Buffer(name.into()));
    let mut args = vec![
        number("n", "int", Formula::of("N")),
        number("d", "float", Formula::of("d")),
    ];
    args.extend(buffers);
    lesson.measure_task(&Task {
        kernel: KERNEL.into(),
        variant: String::new(),
        says: "four elements for each item, as one float4".into(),
        made_from: None,
        chosen: false,
        ty: Type::Float,
        sizes: [("M", 1), ("N", saxpy.a.len()), ("K", 1)]
            .map(|(name, size)| (name.into(), size))
            .into(),
        defines: Vec::new(),
        names: vec![("d".into(), f64::from(saxpy.d).to_string().into())],
        buffers: vec![
            vector("A", numbers(seed)),
            vector("B", numbers(seed.wrapping_add(1))),
            vector("C", Role::Out),
        ],
        launches: vec![Launch {
            kernel: KERNEL.into(),
            // One item for each whole vector, and one for each float behind them.
            over: vec![Formula::of("floor(N/4) + N % 4")],
            each: Vec::new(),
            group: vec![GROUP.into()],
            fixed: false,
            args,
            traffic: Some(TRAFFIC),
        }],
        right: Right::Each(vec![("C".into(), Formula::of("d*A[i] + B[i]"))]),
        work: Work::Bytes(Formula::of("12*N")),
        needs: Vec::new(),
        vendor_specific: false,
    })
}
