//! Is C right? Every element is held against [`crate::problem`]'s bound, which NaN
//! cannot pass; what is wrong is described.

use crate::matrix::Matrix;
use crate::poison::is_poison;
use crate::problem::Problem;
use crate::symptoms;
use crate::wrong::{Differences, Mismatch, Wrong};

/// So many elements at most are looked at a second time, by their own partial sums:
/// where more are off, it is not because their sums walked far.
const SECOND_LOOKS: usize = 1000;
/// Of more wrong elements only every second, third, ... is kept.
const KEPT: usize = 1 << 22;

/// Checks C, which has the problem's M x N, against the problem: how many elements were compared.
///
/// # Errors
/// What is wrong with it.
pub fn check(problem: &Problem, c: &Matrix) -> Result<usize, Differences> {
    found(problem, c).map_or(Ok(c.data.len()), |wrong| Err(wrong.into()))
}

/// What is wrong with C, if anything is.
pub fn found(problem: &Problem, c: &Matrix) -> Option<Wrong> {
    let (rows, cols) = (problem.shape.m, problem.shape.n);
    let off = far_off(problem, c);
    if off.is_empty() {
        return None;
    }
    let (every, kept) = thinned(&off, KEPT);
    let mismatch = |flat| Mismatch {
        row: flat / cols,
        col: flat % cols,
        got: c.data.get(flat),
        want: problem.want(flat / cols, flat % cols),
        untouched: is_poison(&c.data, flat),
    };
    let mismatches = kept.into_iter().map(mismatch).collect();
    let looks_like = Vec::new();
    let mut wrong = Wrong { rows, cols, count: off.len(), every, mismatches, looks_like };
    wrong.looks_like = symptoms::looks_like(problem, c, &wrong);
    Some(wrong)
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

#[cfg(test)]
mod tests;
