//! What the host's memory gives to all its cores together: the triad of John
//! McCalpin's STREAM benchmark (<https://www.cs.virginia.edu/stream/>), which is saxpy.
//!
//! As there, each thread touches its part of the vectors first, so that on a machine
//! with several memories the part lies in the thread's own; and a float counts when
//! the loop names it: 12 bytes per element. Before a CPU writes part of a line it
//! reads the line, so more is moved than counted: STREAM does not count that, and
//! neither do the rates of kernels.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use common::timing::Timing;
use common::{Error, Result, threads};

/// What each element of the three vectors holds.
const A: f32 = 0.25;
const B: f32 = 3.0;
const D: f32 = 1.5;

/// Bytes that count in one round on vectors of `n` floats: two in, one out.
pub fn bytes(n: usize) -> f64 {
    3.0 * size_of::<f32>() as f64 * n as f64
}

/// One for each core, where the system gives so many.
pub fn threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if threads::are_given(cores) { cores } else { 1 }
}

/// C = d * A + B on vectors of `n` floats, `rounds` times after one that does not
/// count, by all threads: from the first one's start to the last one's end.
///
/// # Errors
/// When an element is wrong in the end.
pub fn triad(n: usize, rounds: usize) -> Result<Timing> {
    let threads = threads();
    let together = Barrier::new(threads);
    let part = |t: usize| n * (t + 1) / threads - n * t / threads;
    let parts: Option<Vec<Laps>> = thread::scope(|scope| {
        let work = |t| {
            let together = &together;
            move || work(part(t), rounds, together)
        };
        // This thread has the first part: alone, it needs no other.
        let others: Vec<_> = (1..threads).map(|t| scope.spawn(work(t))).collect();
        let first = work(0)();
        let ends = others.into_iter().map(|worker| worker.join());
        let ends = ends.map(|end| end.expect("the loop does not panic"));
        std::iter::once(first).chain(ends).collect()
    });
    let wrong = || Error::Wrong("STREAM's triad is wrong on the host".into());
    let parts = parts.ok_or_else(wrong)?;
    let seconds = |round: usize| {
        let begin = parts.iter().map(|laps| laps[round].0).min();
        let end = parts.iter().map(|laps| laps[round].1).max();
        let lap = begin.zip(end).map(|(begin, end)| end - begin);
        lap.unwrap_or_default().as_secs_f64()
    };
    Ok(Timing::by_the_wall((1..=rounds).map(seconds).collect()))
}

/// When each round of one thread began and ended.
type Laps = Vec<(Instant, Instant)>;

/// One thread's part of the vectors, and all rounds on it; none where it is wrong.
fn work(n: usize, rounds: usize, together: &Barrier) -> Option<Laps> {
    // Written here: the first touch decides where memory lies.
    let (a, b, mut c) = (vec![A; n], vec![B; n], vec![f32::NAN; n]);
    let mut laps = Vec::new();
    for _ in 0..=rounds {
        together.wait();
        let begin = Instant::now();
        let (a, b) = (black_box(&a), black_box(&b));
        for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
            *c = D * a + b;
        }
        black_box(&mut c);
        laps.push((begin, Instant::now()));
    }
    // All four numbers are short in binary, so nothing is rounded.
    let right = c.iter().all(|c| *c == D * A + B);
    right.then_some(laps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_its_turn_whatever_the_threads() {
        for n in [0, 1, 7, 100_003] {
            let timing = triad(n, 2).expect("right");
            assert_eq!(timing.seconds.len(), 2, "{n}");
        }
        assert_eq!(bytes(100), 1200.0);
    }
}
