//! A product to compute: its operands, what C must come to, and how near a right
//! result is to that.
//!
//! C is computed once, in f64, for all elements ([`crate::reference`]); for integers that is
//! exact below 2^53. A right kernel differs from it by the roundings of its own sums.
//! With random operands these are a random walk: the rounding of partial sum s_k is at
//! most u*|s_k|, 0.42 u*|s_k| in the mean square, and the error of the whole sum is
//! 0.42 u * sqrt(sum_k s_k^2) (Higham, "Accuracy and Stability of Numerical
//! Algorithms", 2nd edition, section 4.2, with independent roundings as in Higham and
//! Mary, 2019, "A new approach to probabilistic rounding error analysis"). The partial
//! sums grow like sqrt(k), so this is 0.3 u |a_i||b_j| on average, the Euclidean norms
//! of a row and a column, for every K: 0.30 to 0.34 was measured for K from 16 to 1024,
//! and no more than 14 times that in sixteen million elements.
//!
//! So an element may differ by [`ROUNDINGS`] = 20 times its rounding: by 6 u |a_i||b_j|;
//! where that is not enough, by 8.4 u sqrt(sum_k s_k^2) of its own partial sums, since
//! one sum in some thousand millions walks that far. A kernel may add in any order: the
//! partial sums of others than the plain one are no larger.
//!
//! Matrix units do not round: they drop the digits that find no room, each time that they add
//! some products to a sum (Fasi, Higham, Mikaitis and Pranesh, 2021, "Numerical behavior of
//! NVIDIA tensor cores"). So the errors point one way. Truncation takes u |s| in the mean; K/p
//! times that, where |s| is sqrt(k) |a_i||b_j| / K, come to 0.53 u |a_i||b_j| sqrt(K) / p.
//! With p = 4 that is 0.13 sqrt(K), as an H200 was off with TF32; walks and roundings that are
//! larger than the mean reach several times as far, hence 1.25 sqrt(K) u |a_i||b_j|.

use std::sync::OnceLock;

use crate::matrix::{Fill, Matrix, Shape};
use crate::{element::Type, reference};

/// An element may be off by so many times what rounding does to it in the mean square.
pub const ROUNDINGS: f64 = 20.0;
/// That mean, in units of u |a_i||b_j|; see the module's comment.
const OF_NORMS: f64 = 0.3;
/// How far a sum that is truncated after every few products falls short, in units of
/// u |a_i||b_j| sqrt(K).
const OF_TRUNCATION: f64 = 1.25;
/// The same in units of u sqrt(sum_k s_k^2).
const OF_PARTIAL_SUMS: f64 = 0.42;

/// A product, and what is needed to check it. Its matrices are filled when they are first
/// asked for.
#[derive(Clone, Debug)]
pub struct Problem {
    /// M, N, K.
    pub shape: Shape,
    /// Type of the elements of C.
    pub ty: Type,
    /// That of A and B. They are rounded to it, so that the bound is that of the sums alone.
    pub inputs: Type,
    /// Whether matrix units add the products up.
    pub by_units: bool,
    /// How A and B are filled.
    pub fill: Fill,
    /// The seed of A; that of B is the next one, so that they differ.
    pub seed: u64,
    /// Whether A and B were given, and are not what the seed makes.
    is_given: bool,
    pub(crate) operands: OnceLock<[Matrix; 2]>,
    expected: OnceLock<Expected>,
}

/// What a right result comes to.
#[derive(Clone, Debug)]
struct Expected {
    /// C, row-major.
    c: Vec<f64>,
    /// Euclidean norm of each row of A.
    rows: Vec<f64>,
    /// Euclidean norm of each column of B.
    cols: Vec<f64>,
}

impl Problem {
    /// A product whose matrices are all of one type.
    pub fn new(shape: Shape, ty: Type, fill: Fill, seed: u64) -> Problem {
        Problem {
            shape,
            ty,
            inputs: ty,
            by_units: false,
            fill,
            seed,
            is_given: false,
            operands: OnceLock::new(),
            expected: OnceLock::new(),
        }
    }

    /// The product of these two, M x K and K x N, whose elements nobody drew: their sums may be
    /// no random walk.
    pub fn of(operands: [Matrix; 2], ty: Type) -> Problem {
        let [a, b] = &operands;
        let shape = Shape { m: a.rows, n: b.cols, k: a.cols };
        let inputs = a.data.ty();
        Problem {
            inputs,
            is_given: true,
            operands: OnceLock::from(operands),
            ..Problem::new(shape, ty, Fill::Count, 0)
        }
    }

    /// The same with A and B of this type, and with the sums of matrix units, or not.
    pub fn with_inputs(self, inputs: Type, by_units: bool) -> Problem {
        Problem { inputs, by_units, ..Problem::new(self.shape, self.ty, self.fill, self.seed) }
    }

    /// Whether it asks for the same product as another.
    pub fn is(&self, other: &Problem) -> bool {
        let known =
            |one: &Problem| (one.shape, one.ty, one.inputs, one.by_units, one.fill, one.seed);
        !self.is_given && !other.is_given && known(self) == known(other)
    }

    /// The same problem, no longer than `side` in any direction.
    pub fn clipped(&self, side: usize) -> Problem {
        let Shape { m, n, k } = self.shape;
        let [m, n, k] = [m, n, k].map(|length| length.min(side));
        let shape = Shape { m, n, k };
        if shape == self.shape {
            return self.clone();
        }
        if self.is_given {
            return Problem::of([self.a().resized(m, k), self.b().resized(k, n)], self.ty);
        }
        Problem::new(shape, self.ty, self.fill, self.seed).with_inputs(self.inputs, self.by_units)
    }

    /// M x K.
    pub fn a(&self) -> &Matrix {
        &self.operands()[0]
    }

    /// K x N.
    pub fn b(&self) -> &Matrix {
        &self.operands()[1]
    }

    /// A and B.
    pub fn operands(&self) -> &[Matrix; 2] {
        self.operands.get_or_init(|| {
            let Shape { m, n, k } = self.shape;
            let filled =
                |rows, cols, seed| Matrix::filled(rows, cols, self.inputs, self.fill, seed);
            [filled(m, k, self.seed), filled(k, n, self.seed.wrapping_add(1))]
        })
    }

    /// What element (i, j) of C must be.
    pub fn want(&self, i: usize, j: usize) -> f64 {
        self.expected().c[i * self.shape.n + j]
    }

    /// Whether element (i, j) may have this value; NaN may not.
    pub fn is_near(&self, i: usize, j: usize, value: f64) -> bool {
        (value - self.want(i, j)).abs() <= self.bound(i, j)
    }

    /// By how much element (i, j) may differ, by the norms. Plain numbers, as of [`Fill::Count`], are
    /// no random walk: their roundings may all point one way (Higham, section 3.1).
    pub fn bound(&self, i: usize, j: usize) -> f64 {
        let Expected { rows, cols, .. } = self.expected();
        let k = self.shape.k as f64;
        let (roundings, truncated) = match self.fill {
            Fill::Random => (ROUNDINGS * OF_NORMS, OF_TRUNCATION * k.sqrt()),
            _ => (2.0 * (k + 4.0), 2.0 * k),
        };
        let units = roundings + if self.by_units { truncated } else { 0.0 };
        units * self.unit() * rows[i] * cols[j]
    }

    /// The same for one whose partial sums walked farther than most; takes K steps.
    pub fn is_near_by_its_own_sums(&self, i: usize, j: usize, value: f64) -> bool {
        let [a, b] = self.operands();
        let (mut sum, mut squares) = (0.0, 0.0);
        for k in 0..self.shape.k {
            sum += a.at(i, k) * b.at(k, j);
            squares += sum * sum;
        }
        (value - sum).abs() <= ROUNDINGS * OF_PARTIAL_SUMS * self.unit() * f64::sqrt(squares)
    }

    /// u; twice that for doubles, since what they are held against has roundings, too.
    fn unit(&self) -> f64 {
        if self.ty == Type::Double { f64::EPSILON } else { self.ty.unit_roundoff() }
    }

    /// The bound in words.
    pub fn bound_in_words(&self) -> String {
        let units = match (self.fill, self.by_units) {
            (Fill::Random, false) => "6 u |a_i||b_j|, 20 times its usual rounding",
            (Fill::Random, true) => "(6 + 1.25 sqrt(K)) u |a_i||b_j|, since matrix units truncate",
            (_, false) => "2 (K + 4) u |a_i||b_j|",
            (_, true) => "(4 K + 8) u |a_i||b_j|, since matrix units truncate",
        };
        format!("every element: |c - ref| <= {units}; u = {:.1e}", self.unit())
    }

    fn expected(&self) -> &Expected {
        self.expected.get_or_init(|| {
            let s = self.shape;
            let [a, b] = self.operands().each_ref().map(|one| one.data.to_f64());
            let mut c = vec![0.0; s.m * s.n];
            reference::multiply(s, &a, &b, &mut c, matrixmultiply::dgemm);
            let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rows = a.chunks(s.k).map(norm).collect();
            let mut squares = vec![0.0; s.n];
            for row in b.chunks(s.n) {
                squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
            }
            let cols = squares.into_iter().map(f64::sqrt).collect();
            Expected { c, rows, cols }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { m: 3, n: 4, k: 5 };

    #[test]
    fn every_element_of_c_is_the_sum_of_its_products() {
        for ty in [Type::Float, Type::Double, Type::Int] {
            let problem = Problem::new(SHAPE, ty, Fill::Count, 0);
            // 1..15 times 1..20, worked out by hand.
            assert_eq!(problem.want(0, 0), 175.0);
            assert_eq!(problem.want(1, 2), 480.0);
            assert_eq!(problem.want(2, 3), 820.0);
        }
    }

    #[test]
    fn the_bound_grows_with_the_norms() {
        let bound = |ty, fill| Problem::new(SHAPE, ty, fill, 0).bound(1, 2);
        // Row 6, 7, 8, 9, 10 and column 3, 7, 11, 15, 19.
        let norms = f64::sqrt(330.0) * f64::sqrt(765.0);
        let is = |found: f64, units: f64| assert!((found / (units * norms) - 1.0).abs() < 1e-12);
        let (float, double) = (Type::Float.unit_roundoff(), Type::Double.unit_roundoff());
        is(bound(Type::Float, Fill::Count), 18.0 * float);
        is(bound(Type::Double, Fill::Count), 36.0 * double);
        assert_eq!(bound(Type::Int, Fill::Count), 0.0);
        let random = Problem::new(SHAPE, Type::Float, Fill::Random, 0);
        let norm = |values: [f64; 5]| values.iter().map(|x| x * x).sum::<f64>().sqrt();
        let row = norm([0, 1, 2, 3, 4].map(|k| random.a().at(1, k)));
        let col = norm([0, 1, 2, 3, 4].map(|k| random.b().at(k, 2)));
        assert!((random.bound(1, 2) / (6.0 * float * row * col) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_element_may_be_off_by_what_its_own_partial_sums_are_rounded() {
        let of = |rows, cols, values: [f32; 3]| Matrix {
            rows,
            cols,
            data: crate::element::Elements::Float(values.into()),
        };
        let shape = Shape { m: 1, n: 1, k: 3 };
        let (a, b) = (of(1, 3, [1.0, 2.0, 3.0]), of(3, 1, [2.0, -1.0, 4.0]));
        let problem = Problem {
            operands: [a, b].into(),
            ..Problem::new(shape, Type::Float, Fill::Random, 0)
        };
        // The partial sums are 2, 0 and 12.
        let bound = 20.0 * 0.42 * Type::Float.unit_roundoff() * f64::sqrt(148.0);
        let is_near = |value| problem.is_near_by_its_own_sums(0, 0, value);
        assert!(is_near(12.0 + 0.999 * bound) && is_near(12.0 - 0.999 * bound));
        assert!(!is_near(12.0 + 1.001 * bound) && !is_near(12.0 - 1.001 * bound));
    }

    #[test]
    fn the_bound_is_told() {
        let told = |ty, fill| Problem::new(SHAPE, ty, fill, 0).bound_in_words();
        assert_eq!(
            told(Type::Float, Fill::Random),
            "every element: |c - ref| <= 6 u |a_i||b_j|, 20 times its usual rounding; u = 6.0e-8"
        );
        assert_eq!(
            told(Type::Int, Fill::Count),
            "every element: |c - ref| <= 2 (K + 4) u |a_i||b_j|; u = 0.0e0"
        );
    }
}
