//! Wrong values that follow from the right ones, or are near them.

use super::{Case, ENOUGH, LITTLE};
use crate::element::{Elements, Type};
use crate::matrix::Fill;
use crate::numbers::significant;
use crate::poison::Poison;
use crate::wrong::Mismatch;

/// One value everywhere; zeros.
pub fn constant(case: &Case) -> Option<String> {
    let first = case.sample.first()?.got;
    let is_first = |m: &&Mismatch| m.got == first;
    if case.sample.len() < 2 || !case.finite.iter().all(is_first) {
        return None;
    }
    let which = case.which();
    Some(match first {
        old if old == old_number(case) => {
            format!("old contents: {which} element is what stood in C before")
        }
        0.0 => format!("zero: {which} element is 0{}", no_tile(case)),
        _ => format!("constant: {which} element is {first}"),
    })
}

/// Deeper tiles than this are rare.
const DEEPEST_TILE: usize = 64;

/// Of a short sum one tile may be the whole.
fn no_tile(case: &Case) -> &'static str {
    if case.problem.shape.k < DEEPEST_TILE {
        "; so it is, too, where the last tile of k is left out and is the only one"
    } else {
        ""
    }
}

/// Errors that could nearly be roundings.
pub fn little_more_than_rounding(case: &Case) -> Option<String> {
    let which = case.which();
    case.is_little().then(|| {
        format!(
            "precision: {which} element is off by less than {LITTLE} times what rounding may do, \
             as when something is kept in fewer bits"
        )
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
    if !case.all(1, |m| {
        (m.got - m.want - offset).abs() <= case.bound(m) + rounding
    }) {
        return None;
    }
    let which = case.which();
    if (offset - old_number(case)).abs() < 0.01 {
        return Some(format!(
            "old contents: {which} element is added to what stood in C before"
        ));
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

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{LONG, ODD, kinds, problem, right, said};
    use super::*;
    use crate::problem::Problem;
    use crate::shape::Shape;

    /// What is said of an ODD C whose elements are this function of the right ones.
    fn of(value: impl Fn(f64) -> f64) -> Vec<String> {
        let problem = problem(ODD);
        said(&problem, |row, col| value(right(&problem, row, col)))
    }

    #[test]
    fn a_constant_is_told() {
        assert_eq!(of(|_| 3.0), ["constant: every element is 3"]);
        let problem = problem(ODD);
        let two = |a: f64, b: f64| {
            kinds(&problem, |row, col| match (row, col) {
                (1, 2) => a,
                (4, 7) => b,
                _ => right(&problem, row, col),
            })
        };
        assert_eq!(two(3.0, 3.0), ["constant"]);
        assert_eq!(two(3.0, 3.1), [UNKNOWN]);
    }

    #[test]
    fn of_a_short_sum_the_only_tile_may_be_left_out() {
        let zero = |k: usize| said(&problem(Shape { k, ..ODD }), |_, _| 0.0);
        assert_eq!(zero(64), ["zero: every element is 0"]);
        assert_eq!(
            zero(63),
            [
                "zero: every element is 0; so it is, too, where the last tile of k is left out \
              and is the only one"
            ]
        );
    }

    #[test]
    fn a_factor_is_told_with_digits_that_tell_it_from_1() {
        let told =
            |factor: &str| format!("factor: every element is {factor} times what it must be");
        for (factor, text) in [
            (2.0, "2.0000"),
            (-0.5, "-0.5000"),
            (1.00003, "1.00003"),
            (2e-6, "0.000002"),
            (3e-20, "3.0000e-20"),
        ] {
            let said = of(|x| x * factor);
            assert!(
                said[0].starts_with(told(text).split(" times").next().unwrap()),
                "{said:?}"
            );
        }
        assert_eq!(readable_factor(3e-20), "3.0000e-20");
        assert_eq!(readable_factor(1.00000001), "1.00000001");
    }

    #[test]
    fn a_factor_does_not_hang_on_roundings_of_small_elements() {
        let problem = problem(LONG);
        let doubled = |row, col| {
            let want = right(&problem, row, col);
            let rounding = if want.abs() < 0.05 { 1.8 } else { 0.0 };
            2.0 * want + rounding * problem.bound(row, col)
        };
        assert_eq!(kinds(&problem, doubled), ["factor"]);
    }

    #[test]
    fn a_factor_that_not_all_have_is_not_told() {
        let problem = problem(ODD);
        let but_one = |row, col| {
            let factor = if (row, col) == (3, 3) { 2.01 } else { 2.0 };
            factor * right(&problem, row, col)
        };
        assert_eq!(kinds(&problem, but_one), [UNKNOWN]);
    }

    #[test]
    fn a_sign_may_be_another() {
        assert_eq!(of(|x| -x), ["negated: every element has the other sign"]);
        assert_eq!(
            of(f64::abs),
            ["negated: every wrong element has the other sign"]
        );
        let problem = problem(ODD);
        let a_row = |row, col| right(&problem, row, col) * if row == 2 { -1.0 } else { 1.0 };
        assert_eq!(kinds(&problem, a_row), ["negated", "some rows"]);
    }

    #[test]
    fn an_offset_is_told() {
        assert_eq!(of(|x| x + 1.0), ["offset: every element is 1.00 too large"]);
        assert_eq!(
            of(|x| x - 0.25),
            ["offset: every element is 0.250 too small"]
        );
        assert_eq!(
            of(|x| x + 1e6),
            ["offset: every element is 1000000 too large"]
        );
        let old = Elements::from_bytes(Type::Float, &Poison::Number.bytes(Type::Float)).get(0);
        assert_eq!(
            of(|x| x + old),
            ["old contents: every element is added to what stood in C before"]
        );
        assert_eq!(
            of(|_| old),
            ["old contents: every element is what stood in C before"]
        );
        assert!(of(|x| x + old + 0.1)[0].starts_with("offset"));
        let problem = problem(ODD);
        let by_row = |row, col| right(&problem, row, col) + 1.0 + row as f64;
        assert_eq!(kinds(&problem, by_row), [UNKNOWN]);
    }

    /// An error without a rule, between -1 and 1.
    fn noise(row: usize, col: usize) -> f64 {
        ((row * 9 + col) as f64 * 0.7391).fract() * 2.0 - 1.0
    }

    fn with_noise(ty: Type, fill: Fill, size: f64) -> Vec<String> {
        noise_in(LONG, ty, fill, size)
    }

    fn noise_in(shape: Shape, ty: Type, fill: Fill, size: f64) -> Vec<String> {
        let problem = Problem::new(shape, ty, fill, 1);
        said(&problem, |row, col| {
            right(&problem, row, col) + size * noise(row, col)
        })
    }

    #[test]
    fn the_digits_that_are_right_are_told() {
        let precision = |digits: &str| {
            [format!(
                "precision: every element is nearly right, about {digits} digits, as when \
                 something is kept in fewer bits"
            )]
        };
        assert_eq!(
            with_noise(Type::Float, Fill::Random, 1e-2),
            precision("2 of 7")
        );
        assert_eq!(
            with_noise(Type::Float, Fill::Random, 1e-3),
            precision("3 of 7")
        );
        assert_eq!(
            with_noise(Type::Double, Fill::Random, 1e-7),
            precision("7 of 16")
        );
        // Of larger sums the same error is a smaller part.
        let larger = Shape { k: 4000, ..LONG };
        assert_eq!(
            noise_in(larger, Type::Float, Fill::Random, 1e-2),
            precision("3 of 7")
        );
    }

    #[test]
    fn errors_like_a_term_and_counted_numbers_are_not_of_precision() {
        // A term is 1/12 in the mean.
        assert_eq!(with_noise(Type::Float, Fill::Random, 5e-2), [UNKNOWN]);
        // None is as large as half a term, and an eighth is too much in the mean.
        assert_eq!(with_noise(Type::Float, Fill::Random, 3e-2), [UNKNOWN]);
        assert_eq!(with_noise(Type::Float, Fill::Count, 1e3), [UNKNOWN]);
        assert_eq!(with_noise(Type::Int, Fill::Random, 300.0), [UNKNOWN]);
    }

    #[test]
    fn precision_is_judged_by_twice_as_many_elements_as_are_enough() {
        let wrong = |n: usize| {
            let problem = problem(Shape { m: 1, n, k: 53 });
            let nearly =
                |row, col| right(&problem, row, col) + 3e-3 * (1.0 + noise(row, col).abs());
            kinds(&problem, nearly)
        };
        assert_eq!(wrong(2 * ENOUGH), ["precision"]);
        assert_eq!(wrong(2 * ENOUGH - 1), [UNKNOWN]);
    }

    #[test]
    fn one_large_error_is_not_of_precision() {
        let problem = problem(LONG);
        let but_one = |large: f64| {
            kinds(&problem, |row, col| {
                let noise = if row + col == 0 {
                    large
                } else {
                    1e-4 * noise(row, col)
                };
                right(&problem, row, col) + noise
            })
        };
        assert_eq!(but_one(0.03), ["precision"]);
        assert_eq!(but_one(0.05), [UNKNOWN]);
    }

    #[test]
    fn what_is_off_by_little_more_than_its_bound_has_no_other_cause() {
        let problem = problem(LONG);
        let off = |bounds: f64| {
            kinds(&problem, |row, col| {
                let is_wrong = (row, col) == (2, 3);
                right(&problem, row, col)
                    + if is_wrong {
                        bounds * problem.bound(row, col)
                    } else {
                        0.0
                    }
            })
        };
        assert_eq!(off(0.9 * LITTLE), ["precision"]);
        assert_eq!(off(1.1 * LITTLE), ["one element"]);
    }

    #[test]
    fn the_root_of_the_mean_square_is_a_mean() {
        assert_eq!(rms([3.0, -4.0, 0.0, 0.0].into_iter()), 2.5);
    }
}
