//! Why sums stay floats: what a sum of ones comes to that is rounded to a half each time.

use common::Result;
use common::element::Type;
use common::formula::Formula;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use lesson::Lesson;

/// A half has 11 bits: the whole numbers up to this one, and beyond it every second one.
const LAST: usize = 2048;
const COUNTS: [usize; 3] = [LAST / 2, LAST, 10 * LAST];

/// Sums of more and more ones, of which it is checked what they come to.
pub fn show(lesson: &mut Lesson) -> Result<()> {
    if !lesson.flags().wants("sum_of_halves") {
        return Ok(());
    }
    lesson.say("\n  Ones, added in floats and in halves")?;
    lesson.table("GB/s")?;
    COUNTS.into_iter().try_for_each(|n| {
        let task = sum(n);
        lesson.measure_task(&task)
    })
}

fn sum(n: usize) -> Task {
    let right = format!("if(i < 1, n, min(n, {LAST}))");
    let half = n.min(LAST);
    let vector = |name, ty, length: &str, role| Buffer::vector(name, ty, length, role);
    Task {
        kernel: "sum_of_halves".into(),
        variant: format!("of {n}"),
        says: format!("in floats {n}, in halves {half}"),
        made_from: Some(String::new()),
        chosen: false,
        ty: Type::Float,
        sizes: vec![("n".into(), n)],
        defines: Vec::new(),
        names: Vec::new(),
        buffers: vec![
            vector(
                "in",
                Type::Half,
                "n",
                Role::In(Fill::Each(Formula::of("1"))),
            ),
            vector("out", Type::Float, "2", Role::Out),
        ],
        launches: vec![Launch {
            kernel: "sum_of_halves".into(),
            over: vec![1.into()],
            each: Vec::new(),
            offset: Vec::new(),
            group: vec![1.into()],
            fixed: true,
            args: vec![
                Arg::int("n", "n"),
                Arg::Buffer("in".into()),
                Arg::Buffer("out".into()),
            ],
            traffic: None,
        }],
        right: Right::Each(vec![("out".into(), right.into())]),
        work: Work::Bytes(Formula::of("2*n")),
        needs: Vec::new(),
        vendor_specific: false,
    }
}
