//! What lesson 2 makes of the times: is the result right, when did what happen,
//! what do wrong ways of timing say, and how do the other devices do?

use std::hint::black_box;
use std::time::Instant;

use common::device::Candidate;
use common::matrix::Shape;
use common::report::{Work, seconds, significant, table};
use common::timing::{Profile, Timing, median, settle};
use common::{Error, Lesson, Result};
use opencl3::device::Device;

use super::{Saxpy, Times, eleven_steps};

/// Compares every element with the sum in f64. Product and sum are rounded once
/// each, or together once: two roundings bound the error. NaN is not right, except
/// behind the vector, where it must have survived.
pub fn must_be_right(saxpy: &Saxpy, result: &[f32]) -> Result<()> {
    let d = f64::from(saxpy.d);
    let (result, behind) = result.split_at(saxpy.a.len());
    if behind.iter().any(|x| !x.is_nan()) {
        return Err(Error::Wrong(
            "overrun: the kernel wrote past the end of C".into(),
        ));
    }
    for (i, &got) in result.iter().enumerate() {
        let (a, b) = (f64::from(saxpy.a[i]), f64::from(saxpy.b[i]));
        let want = d * a + b;
        let bound = f64::from(f32::EPSILON) * ((d * a).abs() + b.abs());
        let right = (f64::from(got) - want).abs() <= bound;
        if !right {
            return Err(Error::Wrong(format!(
                "C[{i}] must be {want}, the kernel wrote {got} (NaN: it wrote nothing)"
            )));
        }
    }
    Ok(())
}

/// The four times of the first and a later launch, the right time and three
/// wrong ones, and the loop on the host.
pub fn report(lesson: &mut Lesson, saxpy: &Saxpy, times: &Times, device: &Candidate) -> Result<()> {
    let n = saxpy.a.len();
    let timing = kernel_time(times);
    if !times.launches.is_empty() {
        lesson.narrator.predict("saxpy", None)?;
    }
    if let Some(last) = times.launches.last() {
        four_times(lesson, times.first, *last)?;
        wrong_ways(lesson, times, &timing)?;
    }
    let limit = {
        let narrator = lesson.narrator.clone();
        let _hush = narrator.hush();
        lesson.peak()?.map(|peak| peak.gbytes_per_second)
    };
    lesson.table("GB/s")?;
    let shape = Shape { m: 1, n, k: 1 };
    let mut record = lesson.record("saxpy", "two reads and one write for each element", shape)?;
    record.device = device.name.clone();
    record.build_seconds = times.build;
    record.write_seconds = Some(times.write);
    record.read_seconds = Some(times.read);
    record.verified = true;
    record.elements_compared = Some(n);
    if !times.launches.is_empty() {
        record.timed(&timing, Work::Bytes(traffic(n)), limit);
    }
    lesson.row(record)?;
    if !times.launches.is_empty() {
        let host = sequential_seconds(saxpy);
        lesson.say(format!(
            "\n  the plain loop on one core of the host: {}, {} GB/s",
            seconds(host),
            significant(traffic(n) / host / 1e9)
        ))?;
        lesson.say(format!(
            "  A and B to the device: {}; C back: {}. Count them, and the host may win",
            seconds(times.write),
            seconds(times.read)
        ))?;
    }
    Ok(())
}

/// START to END of each launch; the host's clock where the driver's cannot be
/// believed.
fn kernel_time(times: &Times) -> Timing {
    let launches: Vec<Vec<Profile>> = times.launches.iter().map(|p| vec![*p]).collect();
    settle(&times.wall, &launches)
}

/// Bytes that saxpy must move: A and B in, C out.
fn traffic(n: usize) -> f64 {
    3.0 * 4.0 * n as f64
}

fn four_times(lesson: &Lesson, first: Profile, last: Profile) -> Result<()> {
    lesson.say("\n  When the launch happened, in microseconds after QUEUED")?;
    let since = |from: u64, to: u64| format!("{:.1}", to.saturating_sub(from) as f64 / 1e3);
    let row = |name: &str, p: Profile| {
        vec![
            name.to_string(),
            "0".into(),
            since(p.queued, p.submit),
            since(p.queued, p.start),
            since(p.queued, p.end),
            since(p.start, p.end),
        ]
    };
    let rows = [row("first launch", first), row("last launch", last)];
    let head = ["", "QUEUED", "SUBMIT", "START", "END", "START to END"];
    lesson.say(table(&head, &rows))
}

/// Three ways to fool oneself, beside the right one. Each gives a bandwidth.
fn wrong_ways(lesson: &Lesson, times: &Times, timing: &Timing) -> Result<()> {
    let right = timing.median();
    let row = |name: &str, value: f64, why: &str| {
        vec![
            name.to_string(),
            seconds(value),
            format!("{}x", significant(right / value)),
            why.to_string(),
        ]
    };
    let enqueue = median(&times.enqueue);
    let rows = [
        row("START to END of the event", right, "right"),
        row("the enqueue call alone", enqueue, "nothing has run yet"),
        row(
            "build and first launch",
            times.build + times.first.seconds(),
            "compiles once, computes for ever",
        ),
        row(
            "launch and read back",
            median(&times.wall) + times.read,
            "measures the bus",
        ),
    ];
    lesson.say("\n  One kernel, timed in four ways, and the speed each would claim")?;
    lesson.say(table(&["", "time", "claims", ""], &rows))
}

/// The same on one core, the way everybody would write it.
fn sequential_seconds(saxpy: &Saxpy) -> f64 {
    let mut c = vec![0.0f32; saxpy.a.len()];
    let mut samples = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        for ((c, a), b) in c.iter_mut().zip(&saxpy.a).zip(&saxpy.b) {
            *c = saxpy.d * a + b;
        }
        black_box(&mut c);
        samples.push(start.elapsed().as_secs_f64());
    }
    median(&samples)
}

/// The same program on every device of the machine.
pub fn every_device(
    lesson: &mut Lesson,
    saxpy: &Saxpy,
    devices: &[Device],
    candidates: &[Candidate],
) -> Result<()> {
    if devices.len() < 2 || saxpy.runs == 0 || lesson.flags.json {
        return Ok(());
    }
    lesson.say("\n  The same on every device of this machine")?;
    let mut rows = Vec::new();
    for (device, candidate) in devices.iter().zip(candidates) {
        let name = format!("{} ({})", candidate.name, candidate.platform);
        if candidate.platform.contains("Oclgrind") {
            rows.push(vec![name, "a simulator: not timed".into()]);
            continue;
        }
        // Another device's failure must not hide this one's result.
        rows.push(match eleven_steps(lesson, device, saxpy, false) {
            Ok(times) => vec![
                name,
                seconds(kernel_time(&times).median()),
                seconds(times.write),
                seconds(times.read),
            ],
            Err(error) => vec![name, format!("failed: {error}")],
        });
    }
    rows.push(vec![
        "plain loop, one core".into(),
        seconds(sequential_seconds(saxpy)),
    ]);
    lesson.say(table(&["", "kernel", "A and B in", "C out"], &rows))
}
