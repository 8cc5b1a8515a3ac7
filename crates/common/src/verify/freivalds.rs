//! Freivalds' test (1977) for results that are too large to compare in full: with
//! a random vector r of +1 and -1, C*r must equal A*(B*r). It is done for every
//! strip of 32 columns, so that the bound stays narrow enough to see one wrong
//! element, and a thousand random elements are checked one by one besides.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{Mismatch, Problem, compare, compare_one, gamma};
use crate::matrix::{Fill, Matrix};

/// Columns of C that one random vector tests together.
const STRIP: usize = 32;
/// A row, and the columns of a strip of it.
pub type Strip = (usize, std::ops::Range<usize>);
/// Elements checked one by one.
const SAMPLES: usize = 1000;
/// Where the random numbers begin: a result is judged the same every time.
const SEED: u64 = 0x0f2e_1fa1;

/// Freivalds' test of every strip, a thousand samples, and every element of the
/// strips that failed (of at most 64 of them, evenly spread: enough to see what went wrong).
/// Gives the number of elements compared, those that are wrong, and the strips that
/// failed: a row, and its columns.
pub fn compare_some(problem: &Problem, c: &Matrix) -> (usize, Vec<Mismatch>, Vec<Strip>) {
    let s = problem.shape;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut mismatches = Vec::new();
    let signs = signs(s.n, &mut rng);
    let failed = freivalds(problem, c, &signs);
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
            let (i, j) = (rng.random_range(0..s.m), rng.random_range(0..s.n));
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

/// The random vector r.
fn signs(count: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let sign = |_| if rng.random() { -1.0 } else { 1.0 };
    (0..count).map(sign).collect()
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
fn freivalds(problem: &Problem, c: &Matrix, signs: &[f64]) -> Vec<(usize, usize)> {
    let s = problem.shape;
    let strips = s.n.div_ceil(STRIP);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Elements, Type};
    use crate::shape::Shape;

    fn all(rows: usize, cols: usize, ty: Type, value: f64) -> Matrix {
        Matrix {
            rows,
            cols,
            data: Elements::from_fn(ty, rows * cols, |_| value),
        }
    }

    /// Every element of A is 3 and of B 5, so that every element of C is 15 K.
    fn problem(shape: Shape, ty: Type, fill: Fill) -> (Problem, Matrix) {
        let Shape { m, n, k } = shape;
        let (a, b) = (all(m, k, ty, 3.0), all(k, n, ty, 5.0));
        let c = all(m, n, ty, 15.0 * k as f64);
        let problem = Problem {
            shape,
            ty,
            fill,
            a,
            b,
        };
        (problem, c)
    }

    fn add(c: &mut Matrix, row: usize, col: usize, error: f64) {
        let at = row * c.cols + col;
        let old = c.data.clone();
        let value = |i| old.get(i) + if i == at { error } else { 0.0 };
        c.data = Elements::from_fn(old.ty(), old.len(), value);
    }

    fn first_signs(count: usize) -> Vec<f64> {
        signs(count, &mut Xoshiro256PlusPlus::seed_from_u64(SEED))
    }

    #[test]
    fn a_strip_fails_beyond_its_bound() {
        let (float, double) = (f64::from(f32::EPSILON), f64::EPSILON);
        let shape = Shape { m: 2, n: 40, k: 4 };
        for (ty, fill, g) in [
            (Type::Float, Fill::Random, 4.0 * float),
            (Type::Float, Fill::Count, 8.0 * float),
            // The test's own error counts here: 16 eps.
            (Type::Double, Fill::Random, (4.0 + 16.0) * double),
            (Type::Double, Fill::Count, (8.0 + 16.0) * double),
        ] {
            // The norms: of four 3 in A, and of the strip's eight columns of four 5 in B.
            let bound = 8.0 * g * 6.0 * 800f64.sqrt();
            let (problem, right) = problem(shape, ty, fill);
            for (share, failed) in [(0.0, vec![]), (0.9, vec![]), (1.1, vec![(1, 1)])] {
                let mut c = right.clone();
                add(&mut c, 1, 35, share * bound);
                let found = freivalds(&problem, &c, &first_signs(40));
                assert_eq!(found, failed, "{share} of the bound, {ty:?} {fill:?}");
            }
        }
    }

    #[test]
    fn errors_that_cancel_in_a_plain_sum_are_found() {
        let shape = Shape { m: 32, n: 32, k: 1 };
        let (problem, mut c) = problem(shape, Type::Float, Fill::Random);
        for row in 1..32 {
            add(&mut c, row, 0, 1.0);
            add(&mut c, row, row, -1.0);
        }
        assert!(!freivalds(&problem, &c, &first_signs(32)).is_empty());
    }

    #[test]
    fn the_elements_of_a_strip_that_failed_are_compared() {
        let shape = Shape { m: 2, n: 96, k: 3 };
        let (problem, right) = problem(shape, Type::Float, Fill::Random);
        for error in [1.0, f64::NAN] {
            let mut c = right.clone();
            add(&mut c, 1, 40, error);
            let (compared, mismatches, strips) = compare_some(&problem, &c);
            assert_eq!(compared, 32);
            let found: Vec<_> = mismatches.iter().map(|m| (m.row, m.col)).collect();
            assert_eq!(found, [(1, 40)]);
            assert_eq!(strips, [(1, 32..64)]);
        }
    }

    #[test]
    fn of_many_strips_that_failed_some_are_compared() {
        let shape = Shape { m: 130, n: 1, k: 1 };
        let (problem, _) = problem(shape, Type::Float, Fill::Random);
        let zeros = all(130, 1, Type::Float, 0.0);
        let (compared, mismatches, strips) = compare_some(&problem, &zeros);
        assert_eq!(strips.len(), 130);
        assert_eq!((compared, mismatches.len()), (44, 44), "every third");
    }

    #[test]
    fn a_strip_may_fail_although_each_of_its_elements_passes() {
        let shape = Shape { m: 2, n: 96, k: 1 };
        let (problem, mut c) = problem(shape, Type::Float, Fill::Random);
        // An element of 15 may be off by gamma = 10 u of it, and a strip by 2715 u.
        let unit = f64::from(f32::EPSILON) / 2.0;
        let signs = first_signs(96);
        for (col, sign) in signs.iter().enumerate().take(96).skip(64) {
            add(&mut c, 1, col, 128.0 * unit * sign);
        }
        let (compared, mismatches, strips) = compare_some(&problem, &c);
        assert_eq!(compared, 32 + 1000);
        assert_eq!(strips, [(1, 64..96)]);
        assert_eq!(mismatches.len(), 1);
        let stands_for_it = mismatches[0];
        assert_eq!((stands_for_it.row, stands_for_it.col), (1, 64));
        assert!(stands_for_it.want.is_nan());
    }

    #[test]
    fn rows_are_gathered_in_order() {
        let rows = in_parallel(10, |row| vec![row, row]);
        assert!(rows.iter().copied().eq((0..20).map(|i| i / 2)));
    }
}
