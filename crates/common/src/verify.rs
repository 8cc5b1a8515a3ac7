//! Is C right? An error bound that NaN cannot pass, poison under the result,
//! a canary behind it, and a description of what a wrong C looks like.
//!
//! Every element is compared with an f64 sum and must satisfy
//! |c - ref| <= gamma * sum_k |a||b| with gamma = (K + 4) * eps. That is twice
//! the bound K*u/(1 - K*u) of Higham, "Accuracy and Stability of Numerical
//! Algorithms", 2nd edition, section 3.1, which holds for every order of
//! summation, with or without fused operations; a kernel may thus sum as it likes.
//!
//! Above 2^27 multiply-adds the check is Freivalds' (1977): with a random vector
//! r of +1 and -1, C*r must equal A*(B*r). It is done for every strip of 32
//! columns, so that the bound stays narrow enough to see one wrong element, and
//! a thousand random elements are checked one by one besides.

use std::fmt;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use crate::element::{Elements, Type};
use crate::matrix::{Fill, Matrix, Shape};

/// Up to this many multiply-adds every element is checked.
const CHECK_ALL_BELOW: usize = 1 << 27;
/// Columns of C that one random vector tests together.
const STRIP: usize = 32;
/// Elements checked one by one where not all are.
const SAMPLES: usize = 1000;
/// Bytes behind C that a kernel must not touch.
pub const CANARY_BYTES: usize = 4096;

/// The bytes that a result buffer holds before the launch, repeated: a NaN that
/// no computation makes, whether read as float or double, and a number far
/// outside the results when read as int.
pub const POISON: [u8; 8] = [0xad, 0xde, 0xc0, 0x7f, 0xad, 0xde, 0xfc, 0x7f];

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

/// What a buffer for C must hold before a launch: poison, then the canary.
pub fn poisoned(bytes: usize) -> Vec<u8> {
    POISON
        .into_iter()
        .cycle()
        .take(bytes + CANARY_BYTES)
        .collect()
}

/// True when the canary behind the first `bytes` bytes is as it was.
pub fn canary_alive(buffer: &[u8], bytes: usize) -> bool {
    let fresh = POISON.into_iter().cycle().skip(bytes % POISON.len());
    buffer[bytes..].iter().copied().eq(fresh.take(CANARY_BYTES))
}

/// True where element `i` still holds the poison.
fn is_poison(data: &Elements, i: usize) -> bool {
    match data {
        Elements::Float(v) => poison_word(i % 2) == v[i].to_bits(),
        Elements::Int(v) => poison_word(i % 2) == v[i] as u32,
        Elements::Double(v) => u64::from_ne_bytes(POISON) == v[i].to_bits(),
    }
}

fn poison_word(half: usize) -> u32 {
    let at = half * 4;
    u32::from_ne_bytes([POISON[at], POISON[at + 1], POISON[at + 2], POISON[at + 3]])
}

/// How a right result was found to be right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Right {
    /// Elements compared one by one.
    pub compared: usize,
    /// Whether Freivalds' test covered the others.
    pub freivalds: bool,
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

/// A wrong result, described.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Size of C.
    pub rows: usize,
    /// Size of C.
    pub cols: usize,
    /// Elements compared.
    pub compared: usize,
    /// Every wrong element found.
    pub mismatches: Vec<Mismatch>,
    /// What the whole looks like, most telling first.
    pub looks_like: Vec<String>,
}

/// Checks C against the problem. `c` has the problem's M x N; `canary` says
/// whether the bytes behind it survived.
pub fn check(problem: &Problem, c: &Matrix, canary: bool) -> Result<Right, Box<Wrong>> {
    let s = problem.shape;
    let all = s.m * s.n * s.k <= CHECK_ALL_BELOW;
    let (compared, mismatches) = if all {
        (s.m * s.n, compare_all(problem, c))
    } else {
        compare_some(problem, c)
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
        looks_like: Vec::new(),
    };
    wrong.looks_like = looks_like(problem, c, &wrong, canary);
    Err(Box::new(wrong))
}

/// gamma of the module's comment.
fn gamma(problem: &Problem) -> f64 {
    (problem.shape.k + 4) as f64 * 2.0 * problem.ty.unit_roundoff()
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
    let (mut want, mut size) = (0.0, 0.0);
    for k in 0..problem.shape.k {
        let term = problem.a.at(i, k) * problem.b.at(k, j);
        want += term;
        size += term.abs();
    }
    compare(c, i, j, want, gamma(problem) * size, to);
}

/// Freivalds' test of every strip, a thousand samples, and every element of the
/// strips that failed (of the first 64 of them: enough to see what went wrong).
fn compare_some(problem: &Problem, c: &Matrix) -> (usize, Vec<Mismatch>) {
    let s = problem.shape;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0f2e_1fa1);
    let mut mismatches = Vec::new();
    let failed = freivalds(problem, c, &mut rng);
    let mut compared = 0;
    for &(row, strip) in spread(&failed, 64) {
        for j in strip * STRIP..(strip * STRIP + STRIP).min(s.n) {
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
    (compared, mismatches)
}

/// At most `count` entries of a list, evenly spread over it.
fn spread<T>(list: &[T], count: usize) -> impl Iterator<Item = &T> {
    list.iter().step_by(list.len().div_ceil(count).max(1))
}

/// The (row, strip) pairs where C*r and A*(B*r) differ by more than rounding.
///
/// The bound: each element's error is at most e = g * |a_i| * |b_j| (norms of a
/// row and a column, Cauchy-Schwarz), where g = 4 * sqrt(K) * u holds for random
/// data with overwhelming probability (Higham and Mary, 2019, "A new approach to
/// probabilistic rounding error analysis") and g = gamma for any other. The signs
/// of r are independent of the errors, so their signed sum exceeds
/// 8 * sqrt(sum_j e^2) with probability 2 * exp(-32) (Hoeffding).
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

/// What a wrong C looks like, in the learner's words.
fn looks_like(problem: &Problem, c: &Matrix, wrong: &Wrong, canary: bool) -> Vec<String> {
    let mut looks = Vec::new();
    if !canary {
        looks.push("overrun: the kernel wrote past the end of C".to_string());
    }
    let bad = &wrong.mismatches;
    if bad.is_empty() {
        return looks;
    }
    let every = bad.len() == wrong.compared;
    let untouched = bad.iter().filter(|m| m.untouched).count();
    if untouched == wrong.compared {
        looks.push("untouched: the kernel wrote nothing to C".into());
        return looks;
    }
    if untouched > 0 {
        looks.push(format!("{untouched} elements were never written"));
    }
    if bad.iter().any(|m| m.got.is_nan() && !m.untouched) {
        looks.push("NaN was written: a read of something never initialised?".into());
    }
    let first = bad[0];
    if every && bad.len() > 1 && bad.iter().all(|m| m.got == first.got) {
        looks.push(format!("constant: every element is {}", first.got));
    } else if let Some(factor) = common_factor(bad).filter(|_| every && bad.len() > 1) {
        looks.push(format!(
            "every element is {factor:.4} times what it must be"
        ));
    }
    if is_transposed(problem, c) {
        looks.push("transposed: rows and columns are exchanged".into());
    }
    looks.extend(edge(wrong));
    if looks.is_empty() && bad.len() * 20 < wrong.compared {
        looks.push("scattered: a few elements here and there; a race?".into());
    }
    looks
}

/// The factor by which all elements are off, if there is one.
fn common_factor(bad: &[Mismatch]) -> Option<f64> {
    let mut ratios = bad.iter().filter(|m| m.want != 0.0).map(|m| m.got / m.want);
    let first = ratios.next().filter(|ratio| ratio.is_finite())?;
    ratios
        .all(|ratio| (ratio - first).abs() <= 1e-3 * first.abs())
        .then_some(first)
}

/// Is C the column-major form of the right result? Sampled where C is large.
fn is_transposed(problem: &Problem, c: &Matrix) -> bool {
    let s = problem.shape;
    if s.m == 1 || s.n == 1 {
        return false;
    }
    let step = (s.m * s.n).div_ceil(SAMPLES);
    let mut found = Vec::new();
    for flat in (0..s.m * s.n).step_by(step) {
        let got = Matrix {
            rows: 1,
            cols: 1,
            data: Elements::from_fn(problem.ty, 1, |_| c.data.get(flat)),
        };
        let (i, j) = (flat % s.m, flat / s.m);
        let (mut want, mut size) = (0.0, 0.0);
        for k in 0..s.k {
            let term = problem.a.at(i, k) * problem.b.at(k, j);
            want += term;
            size += term.abs();
        }
        compare(&got, 0, 0, want, gamma(problem) * size, &mut found);
        if !found.is_empty() {
            return false;
        }
    }
    true
}

/// Are the wrong elements all in the last rows or the last columns?
fn edge(wrong: &Wrong) -> Option<String> {
    let first_row = wrong.mismatches.iter().map(|m| m.row).min()?;
    let first_col = wrong.mismatches.iter().map(|m| m.col).min()?;
    let rows = format!("rows {first_row} to {}", wrong.rows - 1);
    let cols = format!("columns {first_col} to {}", wrong.cols - 1);
    match (first_row * 2 > wrong.rows, first_col * 2 > wrong.cols) {
        (true, true) => Some(format!("last tile: only {rows}, {cols} are wrong")),
        (true, false) => Some(format!("last tile: only {rows} are wrong")),
        (false, true) => Some(format!("last tile: only {cols} are wrong")),
        (false, false) => None,
    }
}

impl Wrong {
    /// A small map of C: `.` right, `#` wrong, `o` never written. A cell stands
    /// for several elements where C is large.
    pub fn map(&self) -> String {
        let (height, width) = (self.rows.min(12), self.cols.min(48));
        let mut cells = vec![vec!['.'; width]; height];
        for m in &self.mismatches {
            let cell = &mut cells[m.row * height / self.rows][m.col * width / self.cols];
            *cell = match (m.untouched, *cell) {
                (true, '.') => 'o',
                (true, cell) => cell,
                (false, _) => '#',
            };
        }
        cells
            .iter()
            .map(|row| format!("    {}\n", row.iter().collect::<String>()))
            .collect()
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "{} of the {} elements compared are wrong",
            self.mismatches.len(),
            self.compared
        )?;
        for look in &self.looks_like {
            writeln!(f, "  looks like: {look}")?;
        }
        for m in self.mismatches.iter().take(5) {
            let got = match (m.untouched, m.want.is_nan()) {
                (true, _) => "nothing".to_string(),
                (false, true) => "a value that fails Freivalds' test".to_string(),
                (false, false) => m.got.to_string(),
            };
            writeln!(
                f,
                "  C[{}][{}] must be {}, the kernel wrote {got}",
                m.row, m.col, m.want
            )?;
        }
        if self.rows * self.cols > 1 && !self.mismatches.is_empty() {
            writeln!(f, "  where ('.' right, '#' wrong, 'o' never written):")?;
            write!(f, "{}", self.map())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
