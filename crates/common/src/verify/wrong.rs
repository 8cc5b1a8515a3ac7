//! A wrong result, described in the learner's words.

use std::fmt;
use std::ops::Range;

use super::{Mismatch, Problem, element, map};
use crate::matrix::Matrix;

/// Elements looked at to tell a transposed result.
const SAMPLES: usize = 1000;

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
    /// Of a C that was not compared as a whole: a row and some columns of it,
    /// among which something is wrong.
    pub strips: Vec<(usize, Range<usize>)>,
    /// What the whole looks like, most telling first.
    pub looks_like: Vec<String>,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.mismatches.len() {
            0 => writeln!(
                f,
                "all {} elements compared are right, and yet:",
                self.compared
            )?,
            wrong => writeln!(
                f,
                "{wrong} of the {} elements compared are wrong",
                self.compared
            )?,
        }
        for look in &self.looks_like {
            writeln!(f, "  looks like: {look}")?;
        }
        for m in self.mismatches.iter().take(5) {
            let got = match (m.untouched, m.want.is_nan()) {
                (true, _) => "nothing".to_string(),
                (false, true) => "a value that fails Freivalds' test".to_string(),
                (false, false) => readable(m.got),
            };
            writeln!(
                f,
                "  C[{}][{}] must be {}, the kernel wrote {got}",
                m.row, m.col, m.want
            )?;
        }
        if self.rows * self.cols > 1 && !self.mismatches.is_empty() {
            writeln!(f, "  where ({}):", map::LEGEND)?;
            write!(f, "{}", map::map(self))?;
        }
        Ok(())
    }
}

/// All digits, unless zeros would be most of them.
fn readable(value: f64) -> String {
    match value.abs() {
        size if size.is_finite() && (size >= 1e15 || (size > 0.0 && size < 1e-9)) => {
            format!("{value:.4e}")
        }
        _ => value.to_string(),
    }
}

/// What a wrong C looks like, in the learner's words.
pub(super) fn looks_like(
    problem: &Problem,
    c: &Matrix,
    wrong: &Wrong,
    canary: bool,
) -> Vec<String> {
    let mut looks = Vec::new();
    if !canary {
        looks.push("overrun: the kernel wrote past the end of C".to_string());
    }
    let bad = &wrong.mismatches;
    if bad.is_empty() {
        return looks;
    }
    let edge = edge(wrong);
    // Of a large C only the suspicious strips are compared: these may be an edge.
    let every = bad.len() == wrong.compared && edge.is_none();
    let untouched = bad.iter().filter(|m| m.untouched).count();
    if every && untouched == bad.len() {
        looks.push("untouched: the kernel wrote nothing to C".into());
        return looks;
    }
    if untouched > 0 {
        looks.push(format!("{untouched} elements were never written"));
    }
    if bad.iter().any(|m| m.got.is_nan() && !m.untouched) {
        looks.push(
            "NaN was written: something was read that nobody had written, or C's old contents"
                .into(),
        );
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
    looks.extend(edge);
    if looks.is_empty() {
        looks.push(if bad.len() * 20 < wrong.compared {
            "scattered: a few elements here and there; a race?".into()
        } else {
            "nothing known: begin with --size 2 --fill count --show".into()
        });
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
    (0..s.m * s.n).step_by(step).all(|flat| {
        let (want, bound) = element(problem, flat % s.m, flat / s.m);
        (c.data.get(flat) - want).abs() <= bound
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_no_row_of_zeros() {
        assert_eq!(readable(-32881159902376630000000000.0), "-3.2881e25");
        assert_eq!(readable(-1.4761227401735546), "-1.4761227401735546");
        assert_eq!(readable(0.0), "0");
        assert_eq!(readable(f64::NAN), "NaN");
        assert_eq!(readable(1071225242.0), "1071225242");
    }
}
