//! Wrong values that follow from the right ones: constants, factors, offsets, integers.

use super::{Case, ENOUGH};
use crate::element::{Elements, Type};
use crate::poison::Poison;

/// One value everywhere; a limit beyond which nothing comes; zeros.
pub fn constant(case: &Case) -> Option<String> {
    let first = case.sample.first()?.got;
    let bad = &case.wrong.mismatches;
    let is_first = |got: f64| got == first;
    if case.sample.len() < 2 || !bad.iter().all(|m| m.untouched || is_first(m.got)) {
        return None;
    }
    let which = which(case);
    if let Some(limit) = limit(case, first) {
        return Some(limit);
    }
    match first {
        0.0 => Some(format!("zero: {which} element is 0{}", no_tile(case))),
        _ => Some(format!("constant: {which} element is {first}")),
    }
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

/// Values that end at a limit: wrong are those, and only those, that must be beyond it.
fn limit(case: &Case, limit: f64) -> Option<String> {
    if case.is_all_wrong() || case.sample.len() < ENOUGH {
        return None;
    }
    let got = || (0..case.c.data.len()).map(|i| case.c.data.get(i));
    let bad = &case.wrong.mismatches;
    let above = bad.iter().all(|m| m.want > limit) && got().all(|got| got <= limit);
    let below = bad.iter().all(|m| m.want < limit) && got().all(|got| got >= limit);
    let side = match (above, below) {
        (true, false) => "above",
        (false, true) => "below",
        _ => return None,
    };
    Some(format!("cut off: what must be {side} {limit} is {limit}"))
}

/// All off by one factor. Of less than all elements it may be a lost sign.
pub fn factor(case: &Case) -> Option<String> {
    let dot = |f: fn(f64, f64) -> f64| -> f64 {
        let products = case.sample.iter().map(|s| f(s.got, s.want) * s.want);
        products.sum()
    };
    let factor = dot(|got, _| got) / dot(|_, want| want);
    let is_it = |got: f64, want: f64, bound: f64| {
        (got - factor * want).abs() <= bound * factor.abs().max(f64::MIN_POSITIVE)
    };
    if factor == 0.0 || !case.all(|s| is_it(s.got, s.want, s.bound)) {
        return None;
    }
    let which = which(case);
    if (factor + 1.0).abs() > 1e-3 {
        let factor = readable_factor(factor);
        return Some(format!(
            "factor: {which} element is {factor} times what it must be"
        ));
    }
    let one_sign = case.sample.iter().all(|s| s.got > 0.0);
    Some(if one_sign && !case.is_all_wrong() {
        "sign lost: what must be negative is positive".into()
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
    let sum: f64 = case.sample.iter().map(|s| s.got - s.want).sum();
    let offset = sum / case.sample.len() as f64;
    let roundoff = case.problem.ty.unit_roundoff();
    let is_it = |got: f64, want: f64, bound: f64| {
        (got - want - offset).abs() <= bound + 2.0 * roundoff * offset.abs()
    };
    if !case.all(|s| is_it(s.got, s.want, s.bound)) {
        return None;
    }
    let which = which(case);
    if (offset - old_number(case.problem.ty)).abs() < 0.01 {
        return Some(format!(
            "old contents: {which} element is added to what stood in C before"
        ));
    }
    let amount = crate::numbers::significant(offset.abs());
    let side = if offset > 0.0 { "large" } else { "small" };
    Some(format!("offset: {which} element is {amount} too {side}"))
}

/// The number that stands in C before some launches.
fn old_number(ty: Type) -> f64 {
    Elements::from_bytes(ty, &Poison::Number.bytes(ty)).get(0)
}

/// A float beyond has no fraction anyway.
const NO_FRACTION: f64 = 1e6;

/// Integers where there must be fractions.
pub fn whole_numbers(case: &Case) -> Option<String> {
    let is_whole = |x: f64| x.fract() == 0.0 && x.abs() < NO_FRACTION;
    let is_float = case.problem.ty != Type::Int;
    let which = which(case);
    (is_float && case.all(|s| is_whole(s.got) && !is_whole(s.want)))
        .then(|| format!("whole numbers: {which} element is one; is there an int in the sum?"))
}

fn which(case: &Case) -> &'static str {
    if case.is_all_wrong() {
        "every"
    } else {
        "every wrong"
    }
}

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{LONG, ODD, kinds, problem, right, said};
    use super::*;
    use crate::matrix::Fill;
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
    fn a_limit_is_told_where_only_what_lies_beyond_is_wrong() {
        assert_eq!(of(|x| x.max(0.0)), ["cut off: what must be below 0 is 0"]);
        assert_eq!(
            of(|x| x.min(0.125)),
            ["cut off: what must be above 0.125 is 0.125"]
        );
        // Another element is beyond.
        let one_beyond = of(|x| if x < 0.0 && x > -0.2 { 0.0 } else { x });
        assert!(
            one_beyond[0].starts_with("zero: every wrong element"),
            "{one_beyond:?}"
        );
        let one_above = of(|x| if x > 0.125 && x < 0.2 { 0.125 } else { x });
        assert!(
            one_above[0].starts_with("constant: every wrong element"),
            "{one_above:?}"
        );
    }

    #[test]
    fn a_limit_is_told_of_four_elements_at_least() {
        let problem = problem(ODD);
        let mut wants: Vec<f64> = (0..63).map(|i| right(&problem, i / 9, i % 9)).collect();
        wants.sort_by(f64::total_cmp);
        let largest = |count: usize| {
            let limit = (wants[62 - count] + wants[63 - count]) / 2.0;
            kinds(&problem, |row, col| right(&problem, row, col).min(limit))
        };
        assert_eq!(largest(ENOUGH), ["cut off"]);
        assert_eq!(largest(ENOUGH - 1), ["constant"]);
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
    fn a_sign_may_be_another_or_lost() {
        assert_eq!(of(|x| -x), ["negated: every element has the other sign"]);
        assert_eq!(
            of(f64::abs),
            ["sign lost: what must be negative is positive"]
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
        assert_eq!(
            of(|x| x + 8191.5),
            ["old contents: every element is added to what stood in C before"]
        );
        assert!(of(|x| x + 8191.6)[0].starts_with("offset"));
        assert_eq!(old_number(Type::Double), 8191.5);
        assert_eq!(old_number(Type::Int), 8191.0);
        let problem = problem(ODD);
        let by_row = |row, col| right(&problem, row, col) + 1.0 + row as f64;
        assert_eq!(kinds(&problem, by_row), [UNKNOWN]);
    }

    #[test]
    fn whole_numbers_are_told_where_there_must_be_fractions() {
        let problem = problem(LONG);
        let rounded = |row, col| (3.0 * right(&problem, row, col)).round();
        assert_eq!(kinds(&problem, rounded), ["whole numbers"]);
        let but_one = |row, col| rounded(row, col) + if row + col == 8 { 0.5 } else { 0.0 };
        assert_eq!(kinds(&problem, but_one), [UNKNOWN]);
        let garbage = |row: usize, col: usize| 1e6 + (row * col * col) as f64;
        assert_eq!(kinds(&problem, garbage), [UNKNOWN]);
        let signs = |row: usize, col: usize| if (row * col) % 3 == 1 { 1e6 } else { -1e6 };
        assert_eq!(kinds(&problem, signs), [UNKNOWN]);
        let counted = Problem::new(ODD, Type::Float, Fill::Count, 1);
        let squared = |row, col| right(&counted, row, col).powi(2);
        assert_eq!(kinds(&counted, squared), [UNKNOWN]);
    }
}
