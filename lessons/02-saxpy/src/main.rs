//! Lesson 2: saxpy, C = d * A + B. The eleven steps of `examples/saxpy`, which makes each call
//! by hand. Here the course makes them, as in every lesson, and each step is announced, timed
//! and shown by `--step`. Then a second kernel, which comes to the memory's limit, the
//! host's own loops, and what the transfers cost.

mod host;
mod launches;
mod length;

mod transfer;

use std::process::ExitCode;
use std::time::Instant;

use bytemuck::cast_slice_mut;
use common::element::{Elements, Type};
use common::record::Record;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};
use common::{Result, Traffic, device, matrix};
use lesson::cli::Flags;
use lesson::{Lesson, lesson};
use narrate::Beat;

use launches::Launches;

fn main() -> ExitCode {
    lesson(2, "saxpy", &["02-saxpy.cl"], |lesson| {
        let n = length::length(lesson)?;
        let says = "two reads and one write for each element";
        let saxpy = task(lesson.flags(), n, "saxpy", says, "N");
        lesson.row(&saxpy, |lesson| eleven_steps(lesson, &saxpy))?;

        // One item for each whole vector, and one for each float behind them.
        let says = "four elements for each item, as one float4";
        let vector = task(
            lesson.flags(),
            n,
            "saxpy_vector",
            says,
            "floor(N/4) + N % 4",
        );
        // Below the row of saxpy, if that came to its end.
        let above = lesson.console.report.rows().last();
        let is_below = above.is_some_and(|row| row.died.is_none()) && lesson.flags().wants("saxpy");
        if lesson.flags().wants("saxpy_vector") && !is_below {
            lesson.table("GB/s")?;
        }
        lesson.measure_task(&vector)?;
        if lesson.runs()?.is_none() {
            return Ok(());
        }
        let hosts = host::compare(lesson, n)?;
        let mut rows = lesson.console.report.rows().iter();
        let is_right = rows.any(|row| row.kernel == "saxpy" && row.verified);
        if lesson.flags().json || !is_right {
            return Ok(());
        }
        transfer::report(lesson, n, &hosts)
    })
}

/// Items of a work-group: a multiple of what every GPU runs in lockstep, and no
/// more than what every device allows.
const GROUP: usize = 256;

/// C = d * A + B on vectors of `n` floats, by a kernel that wants so many items.
fn task(flags: &Flags, n: usize, kernel: &str, says: &str, items: &'static str) -> Task {
    let is_counted = flags.fill == matrix::Fill::Count;
    let d = f64::from(if is_counted { 2.0_f32 } else { 1.7 });
    let vector = |name, role| Buffer::vector(name, Type::Float, "N", role);
    let numbers = |seed| Role::In(Fill::Numbers(flags.fill, seed));
    let (a, b) = (numbers(flags.seed), numbers(flags.seed.wrapping_add(1)));
    let mut args = vec![
        Arg::int("n", "N"),
        Arg::Number("d".into(), "float", "d".into()),
    ];
    args.extend(["A", "B", "C"].map(|name| Arg::Buffer(name.into())));
    Task {
        kernel: kernel.into(),
        variant: String::new(),
        says: says.into(),
        made_from: None,
        chosen: false,
        ty: Type::Float,
        sizes: vec![("M".into(), 1), ("N".into(), n), ("K".into(), 1)],
        defines: Vec::new(),
        names: vec![("d".into(), d.to_string().into())],
        buffers: vec![vector("A", a), vector("B", b), vector("C", Role::Out)],
        launches: vec![Launch {
            kernel: kernel.into(),
            over: vec![items.into()],
            each: Vec::new(),
            group: vec![GROUP.into()],
            fixed: false,
            args,
            offset: Vec::new(),
            traffic: Some(Traffic::global("2*N", "N")),
        }],
        right: Right::Each(vec![("C".into(), "d*A[i] + B[i]".into())]),
        work: Work::Bytes("12*N".into()),
        needs: Vec::new(),
        vendor_specific: false,
    }
}

/// The eleven steps, each announced; the row of the kernel comes below its times.
fn eleven_steps(lesson: &mut Lesson, saxpy: &Task) -> Result<Record> {
    let narrator = lesson.console.narrator.clone();
    let ms = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let n = saxpy.size("N");
    let mut record = lesson.record_of(saxpy)?;

    // 1. Find a device. 2. A context for it. The queue of step 5 comes along.
    let session = lesson.session()?;
    let platforms = device::platforms();
    let devices: usize = platforms.iter().map(|(_, devices)| devices).sum();
    let (platforms, name) = (platforms.len(), &session.device.name);
    lesson.say(format!(
        "   1  {platforms} platform(s), {devices} device(s); using {name}\n   \
         2  context: this device alone"
    ))?;

    // 3. Compile the text for this device, and take the kernel from it.
    let Some((plan, kernels)) = lesson.build(saxpy, &mut record)? else {
        lesson.table("GB/s")?;
        return Ok(record);
    };
    let build = ms(record.build_seconds);
    lesson.say(format!("   3  program: built in {build}"))?;

    // 4. Buffers, 6. what they hold, and 7. the arguments, by position. C is filled with NaN:
    // an element that nobody writes is noticed.
    let ready = lesson.bind(saxpy.clone(), plan, kernels)?;
    let write = timed(|| {
        let mut inputs = ready.inputs();
        inputs.try_for_each(|one| session.write(one.buffer(), one.holds().as_bytes()))
    })?;
    ready.poison(&session)?;
    let (bytes, d) = (n * size_of::<f32>(), ready.plan.scope.get("d"));
    lesson.say(format!(
        "   4  buffers: A, B and C of {n} floats, {bytes} bytes each\n   \
         5  queue: in order, with profiling\n   \
         6  write: A and B to the device in {}\n   \
         7  arguments: n = {n}, d = {}, A, B, C",
        ms(write),
        d.unwrap_or_default() as f32
    ))?;

    // 8. Launch: so many items, in groups of so many. Once, and then to be timed.
    lesson.console.begin(Beat::Launch, "running saxpy")?;
    let launches = Launches::of(lesson, &ready.launches)?;
    let (items, times) = (
        ready.plan.ranges[0].global()[0],
        launches.timing.seconds.len() + 1,
    );
    lesson.say(format!(
        "   8  launch: {items} items in groups of {GROUP}, {times} times"
    ))?;

    // 9. Read C, into memory that has been touched: the first touch of a page costs time.
    narrator.beat(Beat::Read)?;
    let mut result = vec![f32::INFINITY; n];
    let read = timed(|| {
        let mut outputs = ready.outputs();
        outputs.try_for_each(|c| session.read_into(c.buffer(), cast_slice_mut(&mut result)))
    })?;
    lesson.say(format!("   9  read: C back to the host in {}", ms(read)))?;

    // 10. Use it: every element is checked. 11. Release everything: it goes out of scope.
    narrator.beat(Beat::Check)?;
    let results = vec![("C".into(), Elements::Float(result))];
    match ready.check(&session, &results)? {
        Ok(right) => record.right(right),
        Err(wrong) => {
            lesson.table("GB/s")?;
            return Ok(record.fail(wrong));
        }
    }
    narrator.note(|| format!("{}; right", saxpy.bound(None)));
    lesson.say(format!(
        "  10  use: all {n} elements are right\n  \
         11  release: each object when it goes out of scope"
    ))?;
    record.write_seconds = Some(write);
    record.read_seconds = Some(read);
    launches.report(lesson, record, ready.plan.work)
}

/// The seconds that something takes.
fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64())
}
