//! Is C right? Every element is held against [`crate::problem`]'s bound, which NaN
//! cannot pass; what is wrong is described.

use crate::wrong::{Differences, Mismatch, Wrong};
use crate::{matrix::Matrix, poison::is_poison, problem::Problem, symptoms};

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
    let at = |flat: usize| (flat / cols, flat % cols, c.data.get(flat));
    let is_off = |flat: &usize| {
        let (row, col, got) = at(*flat);
        !problem.is_near(row, col, got)
    };
    // The elements that no rounding explains.
    let mut off: Vec<usize> = (0..c.data.len()).filter(is_off).collect();
    if off.len() <= SECOND_LOOKS {
        off.retain(|flat| {
            let (row, col, got) = at(*flat);
            !problem.is_near_by_its_own_sums(row, col, got)
        });
    }
    let count = off.len();
    if count == 0 {
        return None;
    }
    let every = count.div_ceil(KEPT);
    let mismatch = |flat| {
        let (row, col, got) = at(flat);
        let untouched = is_poison(&c.data, flat);
        Mismatch { row, col, got, want: problem.want(row, col), untouched }
    };
    let mismatches = off.into_iter().step_by(every).map(mismatch).collect();
    let mut wrong = Wrong { rows, cols, count, every, mismatches, looks_like: Vec::new() };
    wrong.looks_like = symptoms::looks_like(problem, c, &wrong);
    Some(wrong)
}

#[cfg(test)]
mod tests;
