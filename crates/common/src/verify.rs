//! Is C right? Every element is held against [`crate::problem`]'s bound, which NaN
//! cannot pass; poison lies under the result and a canary behind it; what is wrong is
//! described.

mod map;
mod wrong;

pub use map::painted;
pub use wrong::Wrong;

use crate::element::{Elements, Type};
use crate::matrix::Matrix;
use crate::problem::Problem;

/// So many elements at most are looked at a second time, by their own partial sums:
/// where more are off, it is not because their sums walked far.
const SECOND_LOOKS: usize = 1000;
/// Of more wrong elements only every second, third, ... is kept.
const KEPT: usize = 1 << 22;
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

/// A right result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Right {
    /// Elements compared: all.
    pub compared: usize,
}

impl std::fmt::Display for Right {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Right { compared } = self;
        write!(f, "{compared} elements compared: right; the canary lives")
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
    let (rows, cols) = (problem.shape.m, problem.shape.n);
    let compared = rows * cols;
    let off = far_off(problem, c);
    if off.is_empty() && canary {
        return Ok(Right { compared });
    }
    let (every, kept) = thinned(&off, KEPT);
    let mut wrong = Wrong {
        rows,
        cols,
        count: off.len(),
        every,
        mismatches: kept
            .into_iter()
            .map(|flat| mismatch(problem, c, flat))
            .collect(),
        looks_like: Vec::new(),
    };
    wrong.looks_like = wrong::looks_like(problem, c, &wrong, canary);
    Err(Box::new(wrong))
}

/// The numbers of the elements that no rounding explains, in order.
fn far_off(problem: &Problem, c: &Matrix) -> Vec<usize> {
    let is_near = |flat: usize| problem.is_near(flat / c.cols, flat % c.cols, c.data.get(flat));
    let mut off: Vec<usize> = (0..c.data.len()).filter(|&flat| !is_near(flat)).collect();
    if off.len() <= SECOND_LOOKS {
        off.retain(|&flat| {
            let (i, j) = (flat / c.cols, flat % c.cols);
            !problem.is_near_by_its_own_sums(i, j, c.data.get(flat))
        });
    }
    off
}

/// At most `most` of a list, evenly spread; and for how many each of them stands.
fn thinned(list: &[usize], most: usize) -> (usize, Vec<usize>) {
    let every = list.len().div_ceil(most).max(1);
    (every, list.iter().copied().step_by(every).collect())
}

fn mismatch(problem: &Problem, c: &Matrix, flat: usize) -> Mismatch {
    let (row, col) = (flat / c.cols, flat % c.cols);
    Mismatch {
        row,
        col,
        got: c.data.get(flat),
        want: problem.want(row, col),
        untouched: is_poison(&c.data, flat),
    }
}

#[cfg(test)]
mod tests;
