//! Saxpy on the host: the triad of John McCalpin's STREAM (<https://www.cs.virginia.edu/stream/>),
//! by one core and by all. As there, each thread touches its part of the vectors first, so that
//! it lies in the thread's own memory, where a machine has several; and a float counts when the
//! loop names it: before a CPU writes part of a line it reads the line, which nobody counts.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use common::outcome::Outcome;
use common::record::{Record, Work};
use common::timing::Timing;
use common::{Error, Result, host};
use lesson::Lesson;
use verify::numbers::{factor, seconds, significant};
use verify::shape::Shape;

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
pub fn cores() -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_its_turn_whatever_the_threads() {
        for (n, cores) in [(0, 1), (1, 2), (7, 3), (100_003, 2)] {
            assert_eq!(triad(n, cores).expect("right").seconds.len(), 20, "{n}");
        }
    }
}
