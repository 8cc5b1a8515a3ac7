//! Right numbers in wrong places, in no known order.

use super::{Case, ENOUGH, Sample, rms};
use crate::element::Type;
use crate::matrix::Fill;

/// Of a larger C the elements lie too close to each other.
const PLACES: usize = 1 << 14;

/// Elements that come from somewhere in C. Every right element is looked at; so only of a
/// small C, whose elements are far enough from each other to be told apart, and not where
/// equal numbers are the rule.
pub fn from_elsewhere(case: &Case) -> Option<String> {
    let s = case.problem.shape;
    let count = s.m * s.n;
    let is_float = case.problem.ty != Type::Int && case.problem.fill == Fill::Random;
    if !is_float || count > PLACES || case.sample.len() < 2 * ENOUGH {
        return None;
    }
    let right: Vec<f64> = (0..count)
        .map(|i| case.problem.want(i / s.n, i % s.n))
        .collect();
    let size = rms(right.iter().copied());
    // Roundings are a few units of sqrt(K) * u; elements lie about `size / count` apart.
    let rounding = 4.0 * (s.k as f64).sqrt() * case.problem.ty.unit_roundoff();
    if rounding * count as f64 > 0.02 {
        return None;
    }
    let near = rounding * size;
    let source = |e: &Sample| right.iter().position(|want| (e.got - want).abs() <= near);
    let first = case.sample.first()?;
    let from = source(first)?;
    case.all(|e| source(e).is_some()).then(|| {
        format!(
            "misplaced: right numbers in wrong places; C[{}][{}] holds what belongs in C[{}][{}]",
            first.row,
            first.col,
            from / s.n,
            from % s.n
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{LONG, kinds, problem, right, said};
    use super::*;
    use crate::problem::Problem;
    use crate::shape::Shape;

    #[test]
    fn right_numbers_in_wrong_places_are_found_in_any_order() {
        let problem = problem(LONG);
        let turned = |row, col| right(&problem, (row + 3) % 7, (col + 4) % 9);
        assert_eq!(
            said(&problem, turned),
            ["misplaced: right numbers in wrong places; C[0][0] holds what belongs in C[3][4]"]
        );
        let but_one = |row, col| turned(row, col) + if row + col == 6 { 0.01 } else { 0.0 };
        assert_eq!(kinds(&problem, but_one), [UNKNOWN]);
    }

    #[test]
    fn larger_sums_have_larger_roundings() {
        let problem = problem(Shape { k: 4000, ..LONG });
        let turned = |row, col| 2e-5 + right(&problem, (row + 3) % 7, (col + 4) % 9);
        assert_eq!(kinds(&problem, turned), ["misplaced"]);
    }

    #[test]
    fn places_are_told_of_eight_elements_at_least() {
        let told = |n: usize| {
            let problem = problem(Shape { m: 1, n, k: 5 });
            // None stays, and no rule leads from one to the next.
            let order = [3, 0, 5, 1, 6, 2, 4];
            kinds(&problem, |row, col| {
                right(&problem, row, *order.get(col).unwrap_or(&3))
            })
        };
        assert_eq!(told(2 * ENOUGH), ["misplaced"]);
        assert_eq!(told(2 * ENOUGH - 1), [UNKNOWN]);
    }

    #[test]
    fn where_numbers_lie_close_or_are_counted_their_places_are_not_told() {
        let of = |n, k| problem(Shape { m: 128, n, k });
        let mix = |row: usize, col: usize| ((row * 7 + 3) % 128, (col * 5 + 1) % 128);
        for (problem, is_told) in [
            (of(128, 1), true),
            (of(129, 1), false),
            (of(128, 200), false),
            (Problem::new(LONG, Type::Int, Fill::Random, 1), false),
            (Problem::new(LONG, Type::Float, Fill::Count, 1), false),
        ] {
            let said = kinds(&problem, |row, col| {
                let (row, col) = mix(row, col);
                let Shape { m, n, .. } = problem.shape;
                right(&problem, row % m, col % n)
            });
            assert_eq!(said == ["misplaced"], is_told, "{}", problem.shape);
        }
    }
}
