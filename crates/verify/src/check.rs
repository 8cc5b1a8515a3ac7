//! Is C right? Every element is held against [`crate::problem`]'s bound, which NaN
//! cannot pass; what is wrong is described.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

use crate::element::Elements;
use crate::matrix::Matrix;
use crate::poison::is_poison;
use crate::problem::Problem;
use crate::symptoms;
use crate::wrong::{Mismatch, Wrong};

/// So many elements at most are looked at a second time, by their own partial sums:
/// where more are off, it is not because their sums walked far.
const SECOND_LOOKS: usize = 1000;
/// Of more wrong elements only every second, third, ... is kept.
const KEPT: usize = 1 << 22;

/// A right result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Right {
    /// Elements compared: all.
    pub compared: usize,
}

impl std::fmt::Display for Right {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Right { compared } = self;
        write!(f, "{compared} elements compared: right")
    }
}

/// Checks C, which has the problem's M x N, against the problem.
///
/// # Errors
/// What is wrong with it.
pub fn check(problem: &Problem, c: &Matrix) -> Result<Right, Box<Wrong>> {
    let (rows, cols) = (problem.shape.m, problem.shape.n);
    let compared = rows * cols;
    let off = far_off(problem, c);
    if off.is_empty() {
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
    wrong.looks_like = symptoms::looks_like(problem, c, &wrong);
    Err(Box::new(wrong))
}

/// Checks floats that were only moved: element `i` must be element `from(i)` of the
/// input, bit by bit. Every core takes a part: there may be a hundred million of them.
///
/// # Errors
/// How many are wrong.
pub fn check_moved(
    result: &[u8],
    input: &Elements,
    from: &(dyn Fn(usize) -> usize + Sync),
) -> Result<Right, String> {
    let (result, _) = result.as_chunks::<4>();
    let (held, _) = input.as_bytes().as_chunks::<4>();
    let wrong_in = |first: usize, part: &[[u8; 4]]| {
        let moved = part.iter().zip(first..);
        moved.filter(|(got, i)| **got != held[from(*i)]).count()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let length = result.len().div_ceil(cores).max(65_536);
    let wrong = thread::scope(|scope| {
        let parts = result.chunks(length).enumerate().map(|(n, part)| {
            let count = move || wrong_in(n * length, part);
            // Where the system gives no thread, this one counts.
            Builder::new().spawn_scoped(scope, count).map_err(|_| count)
        });
        let parts: Vec<_> = parts.collect();
        let counted = parts.into_iter().map(|part| match part {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(count) => count(),
        });
        counted.sum::<usize>()
    });
    let compared = result.len();
    match wrong {
        0 => Ok(Right { compared }),
        wrong => Err(format!(
            "{wrong} of {compared} elements are not where they belong"
        )),
    }
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
