//! What lesson 2 makes of the times: is the result right, when did what happen,
//! what do wrong ways of timing say, and how do the other devices do?

use std::hint::black_box;
use std::time::Instant;

use common::device::Candidate;
use common::numbers::{factor, seconds, significant};
use common::record::{Record, Work};
use common::shape::Shape;
use common::timing::{Profile, Timing, median, settle};
use common::{Error, Result, Traffic};
use opencl3::device::Device;
use runner::Lesson;
use text::table;

use super::stream::{self, Triad};
use super::{GROUP, Saxpy, Times, eleven_steps, vector};

/// Elements that either kernel loads and stores.
const TRAFFIC: Traffic = Traffic::global("2*N", "N");
/// What saxpy does.
const SAYS: &str = "two reads and one write for each element";
/// Rounds of the triad: as many as a short kernel is run.
const TRIADS: usize = 20;

/// That what lies behind C has changed.
const OVERRUN: &str = "overrun: the kernel wrote past the end of C";

/// What [`must_be_right`] asks for, in a line.
pub fn bound(n: usize) -> String {
    format!("{n} elements: |c - (d a + b)| <= eps (|d a| + |b|); NaN fails")
}

/// Compares every element with the sum in f64; if one is wrong, says how. Product and
/// sum are rounded once each, or together once: two roundings bound the error. NaN is
/// not right, except behind the vector, where it must have survived.
pub fn must_be_right(saxpy: &Saxpy, result: &[f32]) -> Result<(), String> {
    let d = f64::from(saxpy.d);
    let (result, behind) = result.split_at(saxpy.a.len());
    if behind.iter().any(|x| !x.is_nan()) {
        return Err(OVERRUN.into());
    }
    for (i, &got) in result.iter().enumerate() {
        let (a, b) = (f64::from(saxpy.a[i]), f64::from(saxpy.b[i]));
        let want = d * a + b;
        let bound = f64::from(f32::EPSILON) * ((d * a).abs() + b.abs());
        let right = (f64::from(got) - want).abs() <= bound;
        if !right {
            return Err(format!(
                "C[{i}] must be {want}, the kernel wrote {got} (NaN: it wrote nothing)"
            ));
        }
    }
    Ok(())
}

/// The record as far as it is known before the first of the eleven steps.
pub fn begun(saxpy: &Saxpy, device: &Candidate) -> Record {
    Record {
        lesson: 2,
        kernel: "saxpy".into(),
        says: SAYS.into(),
        platform: device.platform.clone(),
        device: device.name.clone(),
        m: 1,
        n: saxpy.a.len(),
        k: 1,
        ..Record::default()
    }
}

/// The row of the eleven steps, where they came to their end.
fn row_by_hand(lesson: &Lesson) -> Option<&Record> {
    let row = lesson
        .console
        .report
        .rows()
        .iter()
        .rfind(|row| row.kernel == "saxpy");
    row.filter(|row| row.verified)
}

/// The four times of the first and a later launch, the right time and three wrong
/// ones; then the kernel's row, the first of the table.
pub fn report(lesson: &mut Lesson, saxpy: &Saxpy, times: &Times, device: &Candidate) -> Result<()> {
    let n = saxpy.a.len();
    let timing = kernel_time(times);
    if !times.launches.is_empty() {
        lesson.console.narrator.predict("saxpy", None)?;
    }
    if let Some(last) = times.launches.last() {
        four_times(lesson, times.first, *last)?;
        wrong_ways(lesson, times, &timing)?;
    }
    let limit = {
        let narrator = lesson.console.narrator.clone();
        let _hush = narrator.hush();
        lesson.peak()?.map(|peak| peak.gbytes_per_second)
    };
    lesson.table("GB/s")?;
    let mut record = lesson.record("saxpy", SAYS, shape(n))?;
    count(&mut record, n)?;
    record.device = device.name.clone();
    record.group = vec![GROUP];
    record.build_seconds = times.build;
    record.write_seconds = Some(times.write);
    record.read_seconds = Some(times.read);
    record.verified = true;
    record.elements_compared = Some(n);
    if !times.launches.is_empty() {
        record.timed(&timing, Work::Bytes(stream::bytes(n)), limit);
    }
    lesson.console.row(record)
}

/// The head of the table, and a row that says why saxpy was left out.
pub fn skipped(lesson: &mut Lesson, saxpy: &Saxpy, reason: String) -> Result<()> {
    lesson.table("GB/s")?;
    let record = lesson.record("saxpy", "", shape(saxpy.a.len()))?;
    lesson.console.row(record.skip(reason))
}

/// Vectors of `n` elements, as records tell them.
pub fn shape(n: usize) -> Shape {
    Shape { m: 1, n, k: 1 }
}

/// Notes what either kernel loads and stores.
pub fn count(record: &mut Record, n: usize) -> Result<()> {
    record.traffic_formulas = Some(TRAFFIC);
    record.traffic_elements = Some(TRAFFIC.count(|name| (name == "N").then_some(n as f64))?);
    Ok(())
}

/// Records a loop of the host that was found right, in JSON mode prints it; for people
/// the caller says what it tells.
fn host_moves(
    lesson: &mut Lesson,
    (name, says): (&str, &str),
    n: usize,
    timing: &Timing,
) -> Result<Record> {
    if let Some(record) = lesson.host_of_earlier(name) {
        return Ok(record);
    }
    let mut record = lesson.host_record(name, says, shape(n))?;
    record.verified = true;
    record.timed(timing, Work::Bytes(stream::bytes(n)), None);
    lesson.host_row(record)
}

/// The host on the same vectors, with one core and with all; and what the transfers
/// took, where somebody timed them.
pub fn host(lesson: &mut Lesson, saxpy: &Saxpy) -> Result<()> {
    if lesson.runs()?.is_none() {
        return Ok(());
    }
    let n = saxpy.a.len();
    let bytes = stream::bytes(n);
    let gbytes = |seconds: f64| significant(bytes / seconds / 1e9);
    lesson.console.doing("timing the plain loop on one core")?;
    let plain = sequential(saxpy)?;
    host_moves(lesson, ("host plain loop", "one core"), n, &plain)?;
    let one = plain.median();
    lesson.say(format!(
        "\n  the plain loop on one core of the host: {}, {} GB/s",
        seconds(one),
        gbytes(one)
    ))?;

    lesson.console.doing("timing STREAM's triad on all cores")?;
    let Triad {
        threads,
        timing: all,
        right,
    } = stream::triad(n, TRIADS);
    if !right {
        return Err(Error::Wrong("STREAM's triad is wrong on the host".into()));
    }
    let says = format!("{threads} cores, each on its own part");
    let triad = host_moves(lesson, ("host triad", &says), n, &all)?;
    let best = all.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    lesson.say(format!(
        "  STREAM's triad on all cores of the host ({threads}): {}, {} GB/s, best {}",
        seconds(all.median()),
        gbytes(all.median()),
        gbytes(best)
    ))?;
    let rows = lesson.console.report.rows().iter();
    let vector = rows.rev().find(|row| row.kernel == vector::KERNEL);
    if let Some((ours, theirs)) = vector.and_then(Record::rate).zip(triad.rate()) {
        let times = factor(ours / theirs);
        lesson.say(format!("  {} reaches {times} of the triad", vector::KERNEL))?;
    }
    let transfers = row_by_hand(lesson).and_then(|row| row.write_seconds.zip(row.read_seconds));
    let Some((write, read)) = transfers else {
        return Ok(());
    };
    lesson.say(format!(
        "  A and B to the device: {}; C back: {}. Count them, and the host may win",
        seconds(write),
        seconds(read)
    ))
}

/// START to END of each launch; the host's clock where the driver's cannot be
/// believed.
fn kernel_time(times: &Times) -> Timing {
    let launches: Vec<Vec<Profile>> = times.launches.iter().map(|p| vec![*p]).collect();
    settle(&times.wall, &launches)
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
fn sequential(saxpy: &Saxpy) -> Result<Timing> {
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
    must_be_right(saxpy, &c).map_err(Error::Wrong)?;
    Ok(Timing::by_the_wall(samples))
}

/// The same program on every device of the machine.
pub fn every_device(
    lesson: &mut Lesson,
    saxpy: &Saxpy,
    devices: &[Device],
    candidates: &[Candidate],
) -> Result<()> {
    let right = row_by_hand(lesson).is_some();
    if devices.len() < 2 || saxpy.runs == 0 || lesson.flags().json || !right {
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
        seconds(sequential(saxpy)?.median()),
    ]);
    lesson.say(table(&["", "kernel", "A and B in", "C out"], &rows))
}
