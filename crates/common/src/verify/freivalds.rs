//! Freivalds' test (1977) for results that are too large to compare in full: with
//! a random vector r of +1 and -1, C*r must equal A*(B*r). It is done for every
//! strip of 32 columns, so that the bound stays narrow enough to see one wrong
//! element, and a thousand random elements are checked one by one besides.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::{Mismatch, Problem, compare, compare_one, gamma};
use crate::matrix::{Fill, Matrix};

/// Columns of C that one random vector tests together.
const STRIP: usize = 32;
/// A row, and the columns of a strip of it.
pub type Strip = (usize, std::ops::Range<usize>);
/// Elements checked one by one.
const SAMPLES: usize = 1000;

/// Freivalds' test of every strip, a thousand samples, and every element of the
/// strips that failed (of at most 64 of them, evenly spread: enough to see what went wrong).
/// Gives the number of elements compared, those that are wrong, and the strips that
/// failed: a row, and its columns.
pub fn compare_some(problem: &Problem, c: &Matrix) -> (usize, Vec<Mismatch>, Vec<Strip>) {
    let s = problem.shape;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0f2e_1fa1);
    let mut mismatches = Vec::new();
    let failed = freivalds(problem, c, &mut rng);
    let columns = |strip: usize| strip * STRIP..(strip * STRIP + STRIP).min(s.n);
    let mut compared = 0;
    for &(row, strip) in spread(&failed, 64) {
        for j in columns(strip) {
            compare_one(problem, c, row, j, &mut mismatches);
            compared += 1;
        }
    }
    // Where a strip failed, its elements tell more than samples would.
    if mismatches.is_empty() {
        for _ in 0..SAMPLES {
            let pick =
                |rng: &mut Xoshiro256PlusPlus, n: usize| (rng.next_u64() % n as u64) as usize;
            let (i, j) = (pick(&mut rng, s.m), pick(&mut rng, s.n));
            compare_one(problem, c, i, j, &mut mismatches);
            compared += 1;
        }
    }
    // A strip can fail although each of its elements keeps its own, wider,
    // bound; then the strip's first element stands for it.
    if let (true, Some(&(row, strip))) = (mismatches.is_empty(), failed.first()) {
        compare(c, row, strip * STRIP, f64::NAN, 0.0, &mut mismatches);
    }
    let strips = failed.into_iter().map(|(row, strip)| (row, columns(strip)));
    (compared, mismatches, strips.collect())
}

/// At most `count` entries of a list, evenly spread over it.
fn spread<T>(list: &[T], count: usize) -> impl Iterator<Item = &T> {
    list.iter().step_by(list.len().div_ceil(count).max(1))
}

/// The (row, strip) pairs where C*r and A*(B*r) differ by more than rounding.
///
/// The bound: each element's error is at most e = g * |a_i| * |b_j| (norms of a
/// row and a column, Cauchy-Schwarz). For random data g = 4 * sqrt(K) * u, which
/// is several times what sums of such data show; Higham and Mary (2019, "A new
/// approach to probabilistic rounding error analysis") prove the growth with
/// sqrt(K), though with a factor nearer 8. For other data g = gamma. The signs of
/// r are independent of the errors, so their signed sum exceeds
/// 8 * sqrt(sum_j e^2) with probability 2 * exp(-32) (Hoeffding), which leaves
/// room for the factor.
fn freivalds(problem: &Problem, c: &Matrix, rng: &mut Xoshiro256PlusPlus) -> Vec<(usize, usize)> {
    let s = problem.shape;
    let strips = s.n.div_ceil(STRIP);
    let signs: Vec<f64> = (0..s.n)
        .map(|_| if rng.next_u64() >> 63 == 0 { 1.0 } else { -1.0 })
        .collect();
    // y[k][strip] = sum of r_j * B[k][j] over the strip; norm2 = its |B|^2.
    let mut norm2 = vec![0.0; strips];
    let mut y = vec![0.0; s.k * strips];
    for k in 0..s.k {
        for j in 0..s.n {
            let b = problem.b.at(k, j);
            y[k * strips + j / STRIP] += signs[j] * b;
            norm2[j / STRIP] += b * b;
        }
    }
    let g = match problem.fill {
        Fill::Random => 4.0 * (s.k as f64).sqrt() * problem.ty.unit_roundoff(),
        Fill::Count => gamma(problem),
    };
    // Doubles leave the f64 sums here no spare digits: allow for their error.
    let own = 8.0 * (s.k as f64).sqrt() * f64::EPSILON;
    let row_fails = |i: usize| -> Vec<(usize, usize)> {
        let mut left = vec![0.0; strips];
        for j in 0..s.n {
            left[j / STRIP] += signs[j] * c.at(i, j);
        }
        let (mut right, mut a2) = (vec![0.0; strips], 0.0);
        for k in 0..s.k {
            let a = problem.a.at(i, k);
            a2 += a * a;
            for (sum, y) in right.iter_mut().zip(&y[k * strips..(k + 1) * strips]) {
                *sum += a * y;
            }
        }
        (0..strips)
            .filter(|&strip| {
                let bound = 8.0 * (g + own) * a2.sqrt() * norm2[strip].sqrt();
                let equal = (left[strip] - right[strip]).abs() <= bound;
                !equal
            })
            .map(|strip| (i, strip))
            .collect()
    };
    in_parallel(s.m, row_fails)
}

/// `f` of every row, on all cores, in order.
fn in_parallel<T: Send>(rows: usize, f: impl Fn(usize) -> Vec<T> + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = rows.div_ceil(threads);
    std::thread::scope(|scope| {
        let f = &f;
        let workers: Vec<_> = (0..threads)
            .map(|t| {
                let range = (t * share).min(rows)..((t + 1) * share).min(rows);
                scope.spawn(move || range.flat_map(f).collect::<Vec<T>>())
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("checking a row does not panic"))
            .collect()
    })
}
