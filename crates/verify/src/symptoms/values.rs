//! Wrong values that follow from the right ones, or are near them; and right values in wrong
//! places.

use super::{Case, ENOUGH};
use crate::element::{Elements, Type};
use crate::{matrix::Fill, numbers::significant, poison::Poison, wrong::Mismatch};

/// One value everywhere; zeros.
pub fn constant(case: &Case) -> Option<String> {
    let first = case.sample.first()?.got;
    if case.sample.len() < 2 || case.finite.iter().any(|m| m.got != first) {
        return None;
    }
    let which = case.which();
    Some(match first {
        old if old == old_number(case) => {
            format!("old contents: {which} element is what stood in C before")
        }
        // Deeper tiles are rare.
        0.0 if case.problem.shape.k < 64 => format!(
            "zero: {which} element is 0; so it is, too, where the last tile of k is left out and \
             is the only one"
        ),
        0.0 => format!("zero: {which} element is 0"),
        _ => format!("constant: {which} element is {first}"),
    })
}

/// All off by one factor.
pub fn factor(case: &Case) -> Option<String> {
    let products = |f: fn(&Mismatch) -> f64| -> f64 { case.sample.iter().map(|m| f(m)).sum() };
    let factor = products(|m| m.got * m.want) / products(|m| m.want * m.want);
    let is_it = |m: &Mismatch| {
        (m.got - factor * m.want).abs() <= case.bound(m) * factor.abs().max(f64::MIN_POSITIVE)
    };
    if factor == 0.0 || !case.all(1, is_it) {
        return None;
    }
    let which = case.which();
    Some(if (factor + 1.0).abs() > 1e-3 {
        let factor = readable_factor(factor);
        format!("factor: {which} element is {factor} times what it must be")
    } else {
        format!("negated: {which} element has the other sign")
    })
}

/// With four decimals, or as many as tell it from 0 and 1.
fn readable_factor(factor: f64) -> String {
    let decimals = |count: usize| format!("{factor:.count$}");
    let tells = |text: &String| text.parse().is_ok_and(|f: f64| f != 0.0 && f != 1.0);
    let short = (4..12).map(decimals).find(tells);
    short.unwrap_or_else(|| format!("{factor:.4e}"))
}

/// All off by one amount, as when sums do not begin with 0.
pub fn offset(case: &Case) -> Option<String> {
    let sum: f64 = case.sample.iter().map(|m| m.got - m.want).sum();
    let offset = sum / case.sample.len() as f64;
    let rounding = 2.0 * case.problem.ty.unit_roundoff() * offset.abs();
    let is_it = |m: &Mismatch| (m.got - m.want - offset).abs() <= case.bound(m) + rounding;
    if !case.all(1, is_it) {
        return None;
    }
    let which = case.which();
    if (offset - old_number(case)).abs() < 0.01 {
        return Some(format!("old contents: {which} element is added to what stood in C before"));
    }
    let amount = significant(offset.abs());
    let side = if offset > 0.0 { "large" } else { "small" };
    Some(format!("offset: {which} element is {amount} too {side}"))
}

/// The number that stands in C before some launches.
fn old_number(case: &Case) -> f64 {
    let ty = case.problem.ty;
    Elements::from_bytes(ty, &Poison::Number.bytes(ty)).get(0)
}

/// Errors that are everywhere far smaller than one term of a sum: what is lost are digits.
/// Only of random numbers; of counted ones neighbours differ by as little.
pub fn few_digits(case: &Case) -> Option<String> {
    let digits = match case.problem.ty {
        Type::Float => 7,
        Type::Double => 16,
        _ => return None,
    };
    if case.problem.fill != Fill::Random || case.sample.len() < 2 * ENOUGH {
        return None;
    }
    let error = rms(case.sample.iter().map(|m| m.got - m.want));
    let size = rms(case.sample.iter().map(|m| m.want));
    let term = rms(case.sample.iter().flat_map(|m| case.terms(m)));
    if error > term / 8.0 || !case.all(1, |m| (m.got - m.want).abs() <= term / 2.0) {
        return None;
    }
    let (which, right) = (case.which(), (-(error / size).log10()).round().max(1.0));
    Some(format!(
        "precision: {which} element is nearly right, about {right} of {digits} digits, as when \
         something is kept in fewer bits"
    ))
}

/// The root of the mean of the squares.
fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), x| (count + 1.0, sum + x * x));
    f64::sqrt(sum / count)
}

/// C in column-major order. The right elements of C count as well: those on the diagonal
/// of a square matrix are.
pub fn transposed(case: &Case) -> Option<String> {
    let (m, n) = (case.wrong.rows, case.wrong.cols);
    let is_transposed =
        |flat: usize| case.problem.is_near(flat % m, flat / m, case.c.data.get(flat));
    (m > 1 && n > 1 && (0..m * n).all(is_transposed))
        .then(|| "transposed: rows and columns are exchanged".into())
}

/// Rows, or columns, that all come from others in the same relation to their own, those that
/// are right too.
pub fn moved(case: &Case) -> Option<String> {
    for (word, shifted) in [("row", "[row#][column]"), ("column", "[row][column#]")] {
        let comes = |from: &dyn Fn(usize) -> usize| comes_from(case, word == "row", from);
        if comes(&|_| 0) {
            return Some(format!("misplaced: all {word}s hold the first"));
        }
        // The largest that fits: what repeats after 16 may seem to after 4.
        for side in [64, 32, 16, 8, 4, 2] {
            if comes(&|at| at % side) {
                return Some(format!("misplaced: {word}s repeat after {side}"));
            }
            if comes(&|at| at - at % side) {
                return Some(format!("misplaced: of every {side} {word}s all hold the first"));
            }
        }
        let mut shifts = [1, -1, 2, -2, 3, -3, 4, -4].into_iter();
        if let Some(by) = shifts.find(|by| comes(&|at| at.wrapping_add_signed(*by))) {
            let from = shifted.replace('#', &format!("{by:+}"));
            return Some(format!("misplaced: C[row][column] holds what belongs in C{from}"));
        }
    }
    None
}

/// Whether all of C comes from the rows, or columns, that `from` says, as far as these lie in
/// C, and enough of what is wrong.
fn comes_from(case: &Case, by_row: bool, from: &dyn Fn(usize) -> usize) -> bool {
    let fits = |row: usize, col: usize, got: f64| {
        let (row, col) = if by_row { (from(row), col) } else { (row, from(col)) };
        let is_inside = row < case.wrong.rows && col < case.wrong.cols;
        is_inside.then(|| case.problem.is_near(row, col, got))
    };
    let known: Vec<bool> = case.sample.iter().filter_map(|m| fits(m.row, m.col, m.got)).collect();
    known.len() >= ENOUGH.max(case.sample.len().div_ceil(2))
        && known.iter().all(|fits| *fits)
        && (0..case.c.data.len()).all(|at| {
            let got = case.c.data.get(at);
            !got.is_finite() || fits(at / case.c.cols, at % case.c.cols, got) != Some(false)
        })
}

#[cfg(test)]
mod tests;
