//! Lesson 12: three other kernels, a sum, a histogram and softmax of rows. M x N of the size
//! are rows and columns; the sum and the histogram have as many elements.

mod right;

use std::process::ExitCode;

use common::Result;
use common::device::Kind;
use common::element::Type::{Float, Uchar, Uint};
use common::formula::Formula;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use lesson::{Lesson, lesson};

use right::Numbers;

fn main() -> ExitCode {
    let file = &["12-three-other-kernels.cl"];
    lesson(12, "three other kernels", file, |lesson| {
        let shape = lesson.shape()?;
        let numbers = Numbers {
            rows: shape.m,
            columns: shape.n,
            seed: lesson.flags().seed as usize % 1000,
        };
        let is_gpu = lesson.session()?.device.kind == Kind::Gpu;
        let groups = if is_gpu { 1024 } else { 64 };
        let n = numbers.count();
        show(
            lesson,
            &format!("A sum of {n} floats"),
            sums(&numbers, groups),
        )?;
        if !lesson.flags().json && lesson.flags().wants("sum_tree") {
            lesson.say(numbers.rounding())?;
        }
        for input in ["scattered", "constant"] {
            let title = format!("A histogram of {n} bytes, {input}");
            show(lesson, &title, histograms(&numbers, groups, input))?;
        }
        let title = format!("Softmax of {} rows of {}", shape.m, shape.n);
        show(lesson, &title, softmaxes(&numbers))
    })
}

/// A table of tasks, unless `--only` leaves out all of them.
fn show(lesson: &mut Lesson, title: &str, tasks: Vec<Task>) -> Result<()> {
    if !tasks.iter().any(|task| lesson.flags().wants(&task.kernel)) {
        return Ok(());
    }
    lesson.say(format!("\n  {title}"))?;
    lesson.table("GB/s")?;
    let mut tasks = tasks.iter();
    tasks.try_for_each(|task| lesson.measure_task(task))
}

/// Items of a group, as in the kernel file.
const ITEMS: usize = 256;
/// Groups where a group is one item.
const ALONE: usize = 16;

fn sums(numbers: &Numbers, groups: usize) -> Vec<Task> {
    let right = numbers.sum();
    let x = || Buffer::vector("x", Float, "n", Role::In(fill(right::FLOATS)));
    let sum = |role| Buffer::vector("sum", Float, "1", role);
    // A number for each group, and a second launch.
    let two = |(kernel, says, groups, items): (&str, _, usize, _)| {
        let part = Buffer::vector("part", Float, groups, Role::Between);
        let launches = vec![
            launch(kernel, groups * items, items, ["n", "x", "part"]),
            launch(
                "sum_first",
                ITEMS,
                ITEMS,
                [&groups.to_string(), "part", "sum"],
            ),
        ];
        let buffers = vec![x(), part, sum(Role::Out)];
        task(numbers, (kernel, says), buffers, launches, &right, "4*n")
    };
    let mut tasks = vec![
        two((
            "sum_tree",
            "a tree for 256 elements",
            numbers.count().div_ceil(ITEMS),
            ITEMS,
        )),
        two((
            "sum_first",
            "a tree for an item's whole share",
            groups,
            ITEMS,
        )),
        two((
            "sum_sub_groups",
            "the tree within sub-groups",
            groups,
            ITEMS,
        )),
        two(("sum_alone", "for a CPU: groups of one item", ALONE, 1)),
    ];
    // Where the compiler has none, the row says so.
    tasks[2].defines.push(("SUB_GROUPS".into(), 1));
    tasks[2].vendor_specific = true;

    let says = ("sum_atomic", "one launch, an atomic for each group");
    let once = launch(says.0, groups * ITEMS, ITEMS, ["n", "x", "sum"]);
    let buffers = vec![x(), sum(Role::InOut(fill("0")))];
    let atomic = task(numbers, says, buffers, vec![once], &right, "4*n");
    tasks.insert(3, atomic);
    tasks
}

fn histograms(numbers: &Numbers, groups: usize, input: &str) -> Vec<Task> {
    let is_constant = input == "constant";
    let right = numbers.histogram(is_constant);
    let bytes = if is_constant { "7" } else { right::BYTES };
    let kernels = [
        (
            "histogram_global",
            "an atomic in global memory for each",
            groups,
            ITEMS,
        ),
        ("histogram_local", "atomics in local memory", groups, ITEMS),
        (
            "histogram_copies",
            "eight copies for each group",
            groups,
            ITEMS,
        ),
        ("histogram_alone", "for a CPU: groups of one item", ALONE, 1),
    ];
    let one = |(kernel, says, groups, items)| {
        let buffers = vec![
            Buffer::vector("in", Uchar, "n", Role::In(fill(bytes))),
            Buffer::vector("count", Uint, "256", Role::InOut(fill("0"))),
        ];
        let launches = vec![launch(kernel, groups * items, items, ["n", "in", "count"])];
        let mut task = task(numbers, (kernel, says), buffers, launches, &right, "n");
        task.variant = input.into();
        task
    };
    kernels.map(one).into()
}

fn softmaxes(numbers: &Numbers) -> Vec<Task> {
    let right = numbers.softmax();
    let formula = format!("{}*({})", right::SPREAD, right::FLOATS);
    let rows = numbers.rows;
    let kernels = [
        (
            "softmax_rows",
            "a row for each item, three passes",
            rows,
            64,
        ),
        ("softmax_group", "a row for each group", rows * ITEMS, ITEMS),
        (
            "softmax_online",
            "maximum and sum in one pass",
            rows * ITEMS,
            ITEMS,
        ),
        (
            "softmax_kept",
            "the row stays in local memory",
            rows * ITEMS,
            ITEMS,
        ),
        ("softmax_alone", "for a CPU: groups of one item", rows, 1),
    ];
    let one = |(kernel, says, items, group)| {
        let buffers = vec![
            Buffer::vector("in", Float, "n", Role::In(fill(&formula))),
            Buffer::vector("out", Float, "n", Role::Out),
        ];
        let launches = vec![launch(
            kernel,
            items,
            group,
            ["rows", "columns", "in", "out"],
        )];
        task(numbers, (kernel, says), buffers, launches, &right, "8*n")
    };
    kernels.map(one).into()
}

fn fill(formula: &str) -> Fill {
    Fill::Each(Formula::from(formula))
}

/// One launch of so many items; an argument is a buffer's name, or a number.
fn launch<const N: usize>(kernel: &str, items: usize, group: usize, args: [&str; N]) -> Launch {
    let arg = |name: &str| match name {
        "x" | "part" | "sum" | "in" | "out" | "count" => Arg::Buffer(name.into()),
        number => Arg::int(number, number),
    };
    Launch {
        kernel: kernel.into(),
        over: vec![items.into()],
        each: Vec::new(),
        offset: Vec::new(),
        group: vec![group.into()],
        fixed: true,
        args: args.map(arg).into(),
        traffic: None,
    }
}

fn task(
    numbers: &Numbers,
    (kernel, says): (&str, &str),
    buffers: Vec<Buffer>,
    launches: Vec<Launch>,
    right: &Right,
    bytes: &'static str,
) -> Task {
    let Numbers {
        rows,
        columns,
        seed,
    } = *numbers;
    let sizes = [("M", rows), ("N", columns), ("K", 1)];
    let names = [("rows", "M"), ("columns", "N"), ("n", "rows*columns")];
    let mut names: Vec<(String, Formula)> = names
        .map(|(name, formula)| (name.into(), formula.into()))
        .into();
    names.push(("seed".into(), seed.into()));
    Task {
        kernel: kernel.into(),
        variant: String::new(),
        says: says.into(),
        made_from: None,
        chosen: false,
        ty: Float,
        sizes: sizes.map(|(name, size)| (name.into(), size)).into(),
        defines: Vec::new(),
        names,
        buffers,
        launches,
        right: right.clone(),
        work: Work::Bytes(bytes.into()),
        needs: Vec::new(),
        vendor_specific: false,
    }
}
