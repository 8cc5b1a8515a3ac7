//! Is C right? An error bound that NaN cannot pass, poison under the result,
//! a canary behind it, and a description of what a wrong C looks like.
//!
//! Every element is compared with an f64 sum and must satisfy
//! |c - ref| <= gamma * sum_k |a||b| with gamma = (K + 4) * eps. That is twice
//! the bound K*u/(1 - K*u) of Higham, "Accuracy and Stability of Numerical
//! Algorithms", 2nd edition, section 3.1, which holds for every order of
//! summation, with or without fused operations; a kernel may thus sum as it likes.
//!
//! That bound supposes that every rounding errs in the same direction. For long
//! sums it grows so wide that one which stops early would pass, so for random
//! data gamma = min(K + 4, 8 * sqrt(K)) * eps: roundings of random data err like
//! coin tosses, and one sum exceeds 8 * sqrt(K) * u with a probability of at most
//! 2 * K * exp(-32) (Higham and Mary, 2019, "A new approach to probabilistic
//! rounding error analysis").
//!
//! Above 2^27 multiply-adds the check is Freivalds' (see `freivalds`).

mod freivalds;
mod map;
mod wrong;

pub use map::painted;
pub use wrong::Wrong;

use crate::element::{Elements, Type};
use crate::matrix::{Fill, Matrix};
use crate::shape::Shape;

/// Up to this many multiply-adds every element is checked.
const CHECK_ALL_BELOW: usize = 1 << 27;
/// Bytes behind C that a kernel must not touch, and which a write past the end hits.
pub const CANARY_BYTES: usize = 4096;

/// The eight bytes that a result buffer holds before a launch, repeated: for
/// floating types a signalling NaN, which no computation makes (what comes out of
/// one is a quiet NaN), for ints a number far outside the results.
pub fn poison(ty: Type) -> [u8; 8] {
    let word: u64 = match ty {
        Type::Float | Type::Int => 0x7fa0_dead_7fa0_dead,
        Type::Double => 0x7ff4_dead_7fa0_dead,
    };
    word.to_ne_bytes()
}

/// A product and what is needed to check it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// M, N, K.
    pub shape: Shape,
    /// Type of the elements of A, B and C.
    pub ty: Type,
    /// How A and B were filled.
    pub fill: Fill,
    /// M x K.
    pub a: Matrix,
    /// K x N.
    pub b: Matrix,
}

impl Problem {
    /// Fills A from `seed` and B from `seed + 1`, so that they differ.
    pub fn new(shape: Shape, ty: Type, fill: Fill, seed: u64) -> Problem {
        Problem {
            shape,
            ty,
            fill,
            a: Matrix::filled(shape.m, shape.k, ty, fill, seed),
            b: Matrix::filled(shape.k, shape.n, ty, fill, seed.wrapping_add(1)),
        }
    }
}

/// What a buffer for C must hold before a launch: `bytes` bytes of poison, then `canary`
/// bytes of it, which nobody may touch.
pub fn poisoned(bytes: usize, canary: usize, ty: Type) -> Vec<u8> {
    let forever = poison(ty).into_iter().cycle();
    forever.take(bytes + canary).collect()
}

/// True when the `canary` bytes behind the first `bytes` bytes, which are whole
/// elements, are as they were.
pub fn canary_alive(buffer: &[u8], bytes: usize, canary: usize, ty: Type) -> bool {
    buffer[bytes..] == poisoned(0, canary, ty)
}

/// True where element `i` still holds the poison.
pub fn is_poison(data: &Elements, i: usize) -> bool {
    let size = data.ty().size();
    data.as_bytes()[i * size..(i + 1) * size] == poison(data.ty())[..size]
}

/// How a right result was found to be right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Right {
    /// Elements compared one by one.
    pub compared: usize,
    /// Whether Freivalds' test covered the others.
    pub freivalds: bool,
}

impl std::fmt::Display for Right {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let others = if self.freivalds {
            ", all strips of 32 columns by Freivalds' test"
        } else {
            ""
        };
        write!(
            f,
            "{} elements compared{others}: right; the canary lives",
            self.compared
        )
    }
}

/// One wrong element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    /// Row of C.
    pub row: usize,
    /// Column of C.
    pub col: usize,
    /// What the kernel wrote; NaN where it wrote nothing.
    pub got: f64,
    /// What the f64 sum gives.
    pub want: f64,
    /// Whether the element still held the poison.
    pub untouched: bool,
}

/// Checks C against the problem. `c` has the problem's M x N; `canary` says
/// whether the bytes behind it survived.
pub fn check(problem: &Problem, c: &Matrix, canary: bool) -> Result<Right, Box<Wrong>> {
    let s = problem.shape;
    let all = s.m * s.n * s.k <= CHECK_ALL_BELOW;
    let (compared, mismatches, strips) = if all {
        (s.m * s.n, compare_all(problem, c), Vec::new())
    } else {
        freivalds::compare_some(problem, c)
    };
    if mismatches.is_empty() && canary {
        return Ok(Right {
            compared,
            freivalds: !all,
        });
    }
    let mut wrong = Wrong {
        rows: s.m,
        cols: s.n,
        compared,
        mismatches,
        strips,
        looks_like: Vec::new(),
    };
    wrong.looks_like = wrong::looks_like(problem, c, &wrong, canary);
    Err(Box::new(wrong))
}

/// gamma of the module's comment.
fn gamma(problem: &Problem) -> f64 {
    let k = problem.shape.k as f64;
    let roundings = match problem.fill {
        Fill::Random => (k + 4.0).min(8.0 * k.sqrt()),
        Fill::Count => k + 4.0,
    };
    roundings * 2.0 * problem.ty.unit_roundoff()
}

/// The bound that every element must keep, in words.
pub fn bound(problem: &Problem) -> String {
    let gamma = gamma(problem);
    let roundings = match problem.fill {
        Fill::Random => "min(K + 4, 8 sqrt(K))",
        Fill::Count => "(K + 4)",
    };
    format!("|c - ref| <= gamma * sum |a||b|, gamma = {roundings} * eps = {gamma:.1e}")
}

/// Compares every element, row by row.
fn compare_all(problem: &Problem, c: &Matrix) -> Vec<Mismatch> {
    let s = problem.shape;
    let gamma = gamma(problem);
    let b_rows: Vec<Vec<f64>> = (0..s.k).map(|k| problem.b.row(k)).collect();
    let mut mismatches = Vec::new();
    let (mut want, mut size) = (vec![0.0; s.n], vec![0.0; s.n]);
    for i in 0..s.m {
        want.fill(0.0);
        size.fill(0.0);
        for (k, b_row) in b_rows.iter().enumerate() {
            let a = problem.a.at(i, k);
            for j in 0..s.n {
                let term = a * b_row[j];
                want[j] += term;
                size[j] += term.abs();
            }
        }
        for j in 0..s.n {
            compare(c, i, j, want[j], gamma * size[j], &mut mismatches);
        }
    }
    mismatches
}

/// Notes a mismatch unless |got - want| <= bound; written so that NaN is one.
fn compare(c: &Matrix, i: usize, j: usize, want: f64, bound: f64, to: &mut Vec<Mismatch>) {
    let got = c.at(i, j);
    let right = (got - want).abs() <= bound;
    if !right {
        to.push(Mismatch {
            row: i,
            col: j,
            got,
            want,
            untouched: is_poison(&c.data, i * c.cols + j),
        });
    }
}

/// Compares one element by an f64 sum of its own.
fn compare_one(problem: &Problem, c: &Matrix, i: usize, j: usize, to: &mut Vec<Mismatch>) {
    let (want, bound) = element(problem, i, j);
    compare(c, i, j, want, bound, to);
}

/// What element (i, j) must be, and by how much it may differ.
fn element(problem: &Problem, i: usize, j: usize) -> (f64, f64) {
    let (mut want, mut size) = (0.0, 0.0);
    for k in 0..problem.shape.k {
        let term = problem.a.at(i, k) * problem.b.at(k, j);
        want += term;
        size += term.abs();
    }
    (want, gamma(problem) * size)
}

#[cfg(test)]
mod tests;
