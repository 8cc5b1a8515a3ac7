//! What lesson 2 makes of the times: when did what happen, what do wrong ways of timing
//! say, how do the host and the other devices do, and what does the way to the device cost?

use std::hint::black_box;
use std::time::Instant;

use common::device::Candidate;
use common::formula::Scope;
use common::numbers::{factor, seconds, significant};
use common::record::Record;
use common::timing::{Profile, Timing, median, settle};
use common::{Error, Result};
use lesson::Lesson;
use opencl3::device::Device;
use text::table;

use super::check::must_be_right;
use super::problem::{GROUP, Saxpy, TRAFFIC};
use super::steps::{Launches, Times, eleven_steps};
use super::transfer::{self, Seconds};
use super::{stream, vector};

/// What saxpy does.
const SAYS: &str = "two reads and one write for each element";
/// Rounds of the triad: as many as a short kernel is run.
const TRIADS: usize = 20;

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
    let mut rows = lesson.console.report.rows().iter();
    let row = rows.rfind(|row| row.kernel == "saxpy");
    row.filter(|row| row.verified)
}

/// The four times of the first and a later launch, the right time and three wrong
/// ones; then the kernel's row, the first of the table.
pub fn report(lesson: &mut Lesson, saxpy: &Saxpy, times: &Times) -> Result<()> {
    let n = saxpy.a.len();
    let timing = kernel_time(&times.launches);
    if let Some(last) = times.launches.timed.last() {
        lesson.console.narrator.predict("saxpy", None)?;
        four_times(lesson, times.launches.first, *last)?;
        wrong_ways(lesson, times, &timing)?;
    }
    let limit = {
        let narrator = lesson.console.narrator.clone();
        let _hush = narrator.hush();
        lesson.peak()?.map(|peak| peak.gbytes_per_second)
    };
    lesson.table("GB/s")?;
    let mut record = lesson.record("saxpy", SAYS, saxpy.shape())?;
    record.traffic_formulas = Some(TRAFFIC);
    let mut scope = Scope::default();
    scope.set("N", n as f64);
    record.traffic_elements = Some(TRAFFIC.count(&scope)?);
    record.group = vec![GROUP];
    record.build_seconds = times.build;
    record.write_seconds = Some(times.write);
    record.read_seconds = Some(times.read);
    record.verified = true;
    record.elements_compared = Some(n);
    if !times.launches.timed.is_empty() {
        record.timed(&timing, saxpy.work(), limit);
    }
    lesson.console.row(record)
}

/// The host on the same vectors, with one core and with all; and what the transfers
/// took, where somebody timed them.
pub fn host(lesson: &mut Lesson, saxpy: &Saxpy) -> Result<()> {
    if lesson.runs()?.is_none() {
        return Ok(());
    }
    let speed = |record: &Record| {
        let time = seconds(record.seconds_median.unwrap_or_default());
        let rate = significant(record.rate().unwrap_or_default());
        format!("{time}, {rate} GB/s")
    };
    let right = |record: &mut Record, timing: Timing| {
        record.verified = true;
        record.timed(&timing, saxpy.work(), None);
        Ok(())
    };
    let plain = lesson.on_host("host plain loop", "one core", saxpy.shape(), |record| {
        right(record, sequential(saxpy)?)
    })?;
    lesson.say(format!(
        "\n  the plain loop on one core of the host: {}",
        speed(&plain)
    ))?;

    let threads = stream::threads();
    let says = format!("{threads} cores, each on its own part");
    let triad = lesson.on_host("host triad", &says, saxpy.shape(), |record| {
        right(record, stream::triad(saxpy.a.len(), TRIADS)?)
    })?;
    let best = triad.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    lesson.say(format!(
        "  STREAM's triad on all cores of the host ({threads}): {}, best {}",
        speed(&triad),
        significant(stream::bytes(saxpy.a.len()) / best / 1e9)
    ))?;
    let rows = lesson.console.report.rows().iter();
    let vector = rows.rev().find(|row| row.kernel == vector::KERNEL);
    if let Some((ours, theirs)) = vector.and_then(Record::rate).zip(triad.rate()) {
        let times = factor(ours / theirs);
        lesson.say(format!("  {} reaches {times} of the triad", vector::KERNEL))?;
    }
    match row_by_hand(lesson) {
        Some(_) => bus(lesson, saxpy, [&plain, &triad]),
        None => Ok(()),
    }
}

/// What the way to the device costs, from either kind of the host's memory; and how often
/// the device must use what it was sent before it is done sooner than each of the hosts.
fn bus(lesson: &mut Lesson, saxpy: &Saxpy, hosts: [&Record; 2]) -> Result<()> {
    if lesson.flags().json {
        return Ok(());
    }
    lesson
        .console
        .doing("moving a vector to the device and back")?;
    let rows = lesson.console.report.rows().iter();
    let on_device = rows.filter(|row| row.platform != "host" && row.verified);
    let kernels = on_device.filter_map(|row| row.seconds_median);
    let kernel = kernels.fold(f64::INFINITY, f64::min);
    let session = lesson.session()?;
    let bytes = size_of_val(&saxpy.a[..]);
    let row = |name: &str, measured: Result<Seconds>| {
        let Seconds { there, back } = match measured {
            Ok(seconds) => seconds,
            Err(error) => return vec![name.into(), format!("not here: {error}")],
        };
        let rate = |time: f64| format!("{} GB/s", significant(bytes as f64 / time / 1e9));
        let all = 2.0 * there + back;
        let [one, every] = hosts.map(|host| uses_until_it_pays(all, kernel, host));
        vec![
            name.into(),
            rate(there),
            rate(back),
            seconds(all),
            one,
            every,
        ]
    };
    let rows = [
        row("pageable memory", transfer::pageable(&session, &saxpy.a)),
        row("pinned memory", transfer::pinned(&session, &saxpy.a)),
    ];
    lesson.say(format!(
        "\n  To the device and back, {bytes} bytes at a time, and uses until that pays"
    ))?;
    let cores = format!("{} cores", stream::threads());
    let head = ["", "there", "back", "A, B and C", "one core", &cores];
    lesson.say(table(&head, &rows))
}

/// A use takes `kernel` seconds on the device and `host`'s on the host, the transfers
/// come once: `all + uses * kernel = uses * host`.
fn uses_until_it_pays(all: f64, kernel: f64, host: &Record) -> String {
    let gain = host.seconds_median.unwrap_or_default() - kernel;
    if gain > 0.0 {
        significant(all / gain)
    } else {
        "never".into()
    }
}

/// START to END of each launch; the host's clock where the driver's cannot be
/// believed.
fn kernel_time(launches: &Launches) -> Timing {
    let profiles: Vec<Vec<Profile>> = launches.timed.iter().map(|p| vec![*p]).collect();
    settle(&launches.wall, &profiles)
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
    let enqueue = median(&times.launches.enqueue);
    let cold = times.build + times.launches.first.seconds();
    let there_and_back = median(&times.launches.wall) + times.read;
    let rows = [
        row("START to END of the event", right, "right"),
        row("the enqueue call alone", enqueue, "nothing has run yet"),
        row(
            "build and first launch",
            cold,
            "compiles once, computes for ever",
        ),
        row("launch and read back", there_and_back, "measures the bus"),
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
                seconds(kernel_time(&times.launches).median()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bus_pays_once_the_kernels_have_won_back_what_it_took() {
        let host = Record {
            seconds_median: Some(5e-3),
            ..Record::default()
        };
        assert_eq!(uses_until_it_pays(20e-3, 1e-3, &host), "5.00");
        assert_eq!(uses_until_it_pays(20e-3, 6e-3, &host), "never");
    }
}
