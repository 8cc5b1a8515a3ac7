//! Saxpy beside the host. Its own loops are the triad of John McCalpin's STREAM
//! (<https://www.cs.virginia.edu/stream/>), by one core and by all. As there, each thread touches
//! its part of the vectors first, so that it lies in the thread's own memory, where a machine has
//! several; and a float counts when the loop names it: before a CPU writes part of a line it reads
//! the line, which nobody counts. Then what the way to the device costs: from pageable memory,
//! which the system may move, and from pinned memory, which the device can fetch by itself.

use std::{hint::black_box, sync::Barrier, thread, time::Instant};

use bytemuck::{cast_slice, cast_slice_mut};
use common::memory::Pinned;
use common::outcome::Outcome;
use common::record::{Record, Work};
use common::session::Session;
use common::stage::Stage;
use common::timing::Timing;
use common::{Error, Result, host};
use lesson::Lesson;
use verify::Shape;
use verify::numbers::{factor, median, seconds, significant};

/// Times both on vectors of this length, and says how the kernels compare.
pub fn compare(lesson: &mut Lesson, n: usize) -> Result<[Record; 2]> {
    // Two floats in, one out.
    let (cores, bytes) = (cores(), 12.0 * n as f64);
    let mut by = |cores: usize, name: &str, says: &str| {
        lesson.on_host(name, says, Shape { m: 1, n, k: 1 }, |record| {
            record.timed(&triad(n, cores)?, Work::Bytes(bytes), None);
            record.outcome = Outcome::RIGHT;
            Ok(())
        })
    };
    let one = by(1, "host plain loop", "one core")?;
    let says = format!("{cores} cores, each on its own part");
    let all = by(cores, "host triad", &says)?;
    let speed = |record: &Record| {
        let time = seconds(record.seconds_median.unwrap_or_default());
        let rate = significant(record.rate().unwrap_or_default());
        format!("{time}, {rate} GB/s")
    };
    let best = all.seconds.iter().copied().fold(f64::INFINITY, f64::min);
    lesson.say(format!(
        "\n  the plain loop on one core of the host: {}\n  \
         STREAM's triad on all cores of the host ({cores}): {}, best {}",
        speed(&one),
        speed(&all),
        significant(bytes / best / 1e9)
    ))?;
    let mut rows = lesson.rows().iter();
    let vector = rows.rfind(|row| row.kernel == "saxpy_vector");
    if let Some((ours, theirs)) = vector.and_then(Record::rate).zip(all.rate()) {
        let times = factor(ours / theirs);
        lesson.say(format!("  saxpy_vector reaches {times} of the triad"))?;
    }
    Ok([one, all])
}

/// One for each core, where the system gives so many.
fn cores() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if host::gives_threads(cores) { cores } else { 1 }
}

/// C = d * A + B, several times after once that does not count.
///
/// # Errors
/// When an element is wrong in the end.
fn triad(n: usize, cores: usize) -> Result<Timing> {
    const ROUNDS: usize = 20;
    const A: f32 = 0.25;
    const B: f32 = 3.0;
    const D: f32 = 1.5;
    let together = Barrier::new(cores);
    let part = |core: usize| {
        let n = n * (core + 1) / cores - n * core / cores;
        let (a, b, mut c) = (vec![A; n], vec![B; n], vec![f32::NAN; n]);
        let mut seconds = Vec::new();
        for _ in 0..=ROUNDS {
            together.wait();
            let begin = Instant::now();
            for ((c, a), b) in c.iter_mut().zip(black_box(&a)).zip(black_box(&b)) {
                *c = D * a + b;
            }
            black_box(&mut c);
            together.wait();
            seconds.push(begin.elapsed().as_secs_f64());
        }
        // All four numbers are short in binary, so nothing is rounded.
        let is_right = c.iter().all(|c| *c == D * A + B);
        is_right.then(|| seconds.split_off(1))
    };
    let seconds = thread::scope(|scope| {
        // This thread has the first part: alone, it needs no other.
        let others = (1..cores).map(|core| scope.spawn(move || part(core)));
        let others = Vec::from_iter(others).into_iter();
        let first = part(0);
        let others = others.map(|other| other.join().expect("a loop does not panic"));
        others.fold(first, |seconds, other| other.and(seconds))
    });
    let wrong = || Error::Wrong("STREAM's triad is wrong on the host".into());
    seconds.map(Timing::by_the_wall).ok_or_else(wrong)
}

/// Moves a vector there and back, and says how often the device must use what it was sent
/// before it is done sooner than the host's loop, on one core and on all.
pub fn transfers(lesson: &mut Lesson, n: usize, hosts: &[Record; 2]) -> Result<()> {
    let doing = "moving a vector to the device and back";
    lesson.console.doing(Stage::Working(doing.into()))?;
    let _hush = lesson.console.hush();
    let rows = lesson.rows().iter();
    let right = rows.filter(|row| row.is_right());
    let kernels = right.filter_map(|row| row.seconds_median);
    let kernel = kernels.fold(f64::INFINITY, f64::min);
    let session = lesson.session()?;
    let bytes = n * size_of::<f32>();
    let pageable = there_and_back(&session, &mut vec![0.0; n]);
    // Its address is then an ordinary one, from which another buffer is written.
    let pinned = Pinned::zeros(&session.context, &session.device.cl, n);
    let pinned = pinned.and_then(|mut pinned| there_and_back(&session, pinned.as_mut()));
    let rows = [("pageable memory", pageable), ("pinned memory", pinned)];
    let rows = rows.map(|(name, measured)| {
        let [there, back] = match measured {
            Ok(seconds) => seconds,
            Err(error) => return vec![name.into(), format!("not here: {error}")],
        };
        let rate = |time: f64| format!("{} GB/s", significant(bytes as f64 / time / 1e9));
        let all = 2.0 * there + back;
        let mut row = vec![name.into(), rate(there), rate(back), seconds(all)];
        row.extend(hosts.iter().map(|host| uses_to_pay(all, kernel, host)));
        row
    });
    lesson.say(format!(
        "\n  To the device and back, {bytes} bytes at a time, and uses until that pays"
    ))?;
    let cores = format!("{} cores", cores());
    let head = ["", "there", "back", "A, B and C", "one core", &cores];
    lesson.say(diagnostics::terminal::table(&head, &rows))
}

/// A use takes `kernel` seconds on the device and `host`'s on the host, the transfers
/// come once: `all + uses * kernel = uses * host`.
fn uses_to_pay(all: f64, kernel: f64, host: &Record) -> String {
    let gain = host.seconds_median.unwrap_or_default() - kernel;
    if gain > 0.0 { significant(all / gain) } else { "never".into() }
}

/// Moves `host` to a buffer of the device and back, several times after once that does not
/// count: the median seconds of each way.
fn there_and_back(session: &Session, host: &mut [f32]) -> Result<[f64; 2]> {
    let number = |i: usize| (i % 1000) as f32;
    for (i, x) in host.iter_mut().enumerate() {
        *x = number(i);
    }
    let buffer = session.buffer("x", size_of_val(host))?;
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for _ in 0..=5 {
        let begin = Instant::now();
        session.write(&buffer, cast_slice(host))?;
        // A driver may return as soon as it has the bytes, and they are not there yet.
        session.finish()?;
        there.push(begin.elapsed().as_secs_f64());

        host.fill(f32::NAN);
        let begin = Instant::now();
        session.read_into(&buffer, cast_slice_mut(host))?;
        back.push(begin.elapsed().as_secs_f64());
        if !host.iter().enumerate().all(|(i, x)| *x == number(i)) {
            let wrong = "the device gave other bytes back than were written to it";
            return Err(Error::Wrong(wrong.into()));
        }
    }
    Ok([there, back].map(|seconds| median(&seconds[1..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_its_turn_whatever_the_threads() {
        for (n, cores) in [(0, 1), (1, 2), (7, 3), (100_003, 2)] {
            assert_eq!(triad(n, cores).expect("right").seconds.len(), 20, "{n}");
        }
    }

    #[test]
    fn the_bus_pays_once_the_kernels_have_won_back_what_it_took() {
        let host = Record { seconds_median: Some(5e-3), ..Record::default() };
        assert_eq!(uses_to_pay(20e-3, 1e-3, &host), "5.00");
        assert_eq!(uses_to_pay(20e-3, 6e-3, &host), "never");
    }
}
