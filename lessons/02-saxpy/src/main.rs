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
use common::matrix::Fill;
use common::problem::Problem;
use common::record::Record;
use common::shape::Shape;
use common::task::Task;
use common::{Result, device};
use lesson::cli::Flags;
use lesson::{Lesson, lesson};
use narrate::Beat;

use launches::Launches;

const STEPS: &str = include_str!("../steps.toml");

fn main() -> ExitCode {
    lesson(2, "saxpy", &["02-saxpy.cl"], |lesson| {
        let n = length::length(lesson)?;
        let Flags { fill, seed, .. } = *lesson.flags();
        let shape = Shape { m: 1, n, k: 1 };
        let problem = Problem::new(shape, Type::Float, fill, seed);
        let d: f32 = if fill == Fill::Count { 2.0 } else { 1.7 };
        let mut tasks = lesson.tasks(STEPS, "saxpy", &problem)?;
        for task in &mut tasks {
            task.names
                .push(("d".into(), f64::from(d).to_string().into()));
        }
        let saxpy = tasks.remove(0);
        lesson.row(&saxpy, |lesson| eleven_steps(lesson, &saxpy))?;

        // Below the row of saxpy, if that came to its end.
        let above = lesson.console.report.rows().last();
        let is_below = above.is_some_and(|row| row.died.is_none()) && lesson.flags().wants("saxpy");
        if lesson.flags().wants("saxpy_vector") && !is_below {
            lesson.table("GB/s")?;
        }
        lesson.measure_task(&tasks[0])?;
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
    let range = &ready.plan.ranges[0];
    let (items, group) = (range.global()[0], range.local()[0]);
    let times = launches.timing.seconds.len() + 1;
    lesson.say(format!(
        "   8  launch: {items} items in groups of {group}, {times} times"
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
