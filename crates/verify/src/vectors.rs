//! Is C = A * B, without computing A * B again? For a vector x of +1 and -1, C x must be
//! A (B x): that takes M*N + M*K + K*N steps instead of M*N*K. An element that is wrong by d
//! changes its row's sum by d, whatever x is; that several errors of a row cancel has a
//! chance of at most one half for each vector (Freivalds, 1977, "Probabilistic machines can
//! use less running time"). For products so large that each element would take minutes, and
//! where no process holds all of A and B.

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::cores::{cores, each_on};

/// Vectors that C is tried with.
const VECTORS: u64 = 8;

/// A matrix of `x.len()` columns times x, on all cores.
fn times(matrix: &[f32], x: &[f64]) -> Vec<f64> {
    let width = x.len().max(1);
    let mut result = vec![0.0; matrix.len() / width];
    let each = result.len().div_ceil(cores()).max(64);
    let parts = matrix.chunks(each * width).zip(result.chunks_mut(each));
    each_on(cores(), parts, |_, (part, sums)| {
        for (row, sum) in part.chunks_exact(width).zip(sums) {
            *sum = row.iter().zip(x).map(|(&a, x)| f64::from(a) * x).sum();
        }
    });
    result
}

/// By how much a row of C x may differ, in units of |a_i||B|: each of its N elements is a sum of K
/// products, whose rounding is 0.3 u |a_i||b_j| in the mean square ([`crate::problem`]), and N of
/// them add up as a random walk. Twenty times that.
const BOUND: f64 = 20.0 * 0.3 * f32::EPSILON as f64 / 2.0;

/// The sum of squares.
fn square(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value).powi(2)).sum()
}

/// The first of C's `rows` that is not what A and B make it, if there is one. A comes in panels
/// of columns and B in panels of rows, so that nobody need hold all of both.
pub fn wrong_row<P: AsRef<[f32]>>(
    panels: impl Iterator<Item = [P; 2]>,
    c: &[f32],
    rows: usize,
    seed: u64,
) -> Option<usize> {
    let columns = c.len() / rows.max(1);
    let signs = |i| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(i));
        let sign = |_| [1.0, -1.0][(rng.next_u64() & 1) as usize];
        (0..columns).map(sign).collect::<Vec<f64>>()
    };
    let mut wanted: Vec<_> = (0..VECTORS).map(|i| (signs(i), vec![0.0; rows])).collect();
    let (mut of_row, mut of_b) = (vec![0.0; rows], 0.0);
    for [a, b] in panels {
        let [a, b] = [a.as_ref(), b.as_ref()];
        for (x, want) in &mut wanted {
            for (want, part) in want.iter_mut().zip(times(a, &times(b, x))) {
                *want += part;
            }
        }
        let a_rows = a.chunks_exact((a.len() / rows.max(1)).max(1));
        for (sum, row) in of_row.iter_mut().zip(a_rows) {
            *sum += square(row);
        }
        of_b += square(b);
    }
    wanted.into_iter().find_map(|(x, want)| {
        let got = times(c, &x);
        // Written so that NaN is wrong.
        let is_near =
            |&row: &usize| (got[row] - want[row]).abs() <= BOUND * f64::sqrt(of_row[row] * of_b);
        (0..rows).find(|row| !is_near(row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Elements, Type};

    #[test]
    fn one_wrong_element_is_seen_and_rounding_is_not() {
        let [m, n, k] = [70, 130, 90];
        let floats = |count, seed| -> Vec<f32> {
            let all = Elements::random(Type::Float, count, seed).to_f64();
            all.into_iter().map(|one| one as f32).collect()
        };
        let (a, b) = (floats(m * k, 1), floats(k * n, 2));
        let sum = |i: usize| (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum::<f32>();
        let mut c: Vec<f32> = (0..m * n).map(sum).collect();
        // In two panels: columns of A, rows of B.
        let panel = |from: usize, to: usize| {
            let a = a.chunks_exact(k).flat_map(|row| row[from..to].to_vec());
            [a.collect(), b[from * n..to * n].to_vec()]
        };
        let wrong = |c: &[f32]| {
            let panels: Vec<[Vec<f32>; 2]> = vec![panel(0, 40), panel(40, k)];
            wrong_row(panels.into_iter(), c, m, 1)
        };
        assert_eq!(wrong(&c), None);
        c[33 * n + 7] += 1e-4;
        assert_eq!(wrong(&c), Some(33));
        c[33 * n + 7] = f32::NAN;
        assert_eq!(wrong(&c), Some(33));
    }
}
