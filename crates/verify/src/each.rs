//! Is each element what a formula says? Every core takes a part: there may be a hundred
//! million of them.

use std::ops::Range;

use crate::cores::{cores, each_on};
use crate::formula::{EXACT, Formula, Number, Result, Scope};
use crate::{element::Elements, poison::is_poison, wrong::Differences};

/// Elements that are evaluated together.
const BLOCK: usize = 1 << 13;

/// What was found in a block.
#[derive(Default)]
struct Found {
    compared: usize,
    finite: usize,
    wrong: usize,
    untouched: usize,
    /// Which is the first wrong one that was written, and what it must be.
    first: Option<(usize, f64)>,
}

/// Holds every element against the formula, in which `i` is its index, and of which some value must
/// be finite, and none NaN: how many were compared. Only what is infinite is like what is. Of
/// `has_gaps` every fourth element is nobody's; by a `step` any may be off.
///
/// # Errors
/// When the formula cannot be evaluated, or not exactly for an integer. The inner error is what is
/// wrong with the result, which messages call `name`.
pub fn check_each(
    name: &str,
    result: &Elements,
    has_gaps: bool,
    step: f64,
    formula: &Formula,
    scope: &Scope,
    buffers: &[(&str, &Elements)],
) -> Result<std::result::Result<usize, Differences>> {
    let ty = result.ty();
    let (step, unit, largest) = (step.max(ty.least()), ty.unit_roundoff(), ty.largest());
    let is_long = !ty.is_floating() && ty.size() == 8;
    let found = |_, block: Range<usize>| -> Result<Found> {
        let mut found = Found::default();
        let expected = formula.over(block.clone(), scope, buffers)?;
        let judged = block.zip(expected).filter(|(i, _)| !(has_gaps && i % 4 == 3));
        for (i, Number { value: want, size }) in judged {
            if is_long && want.abs() >= EXACT {
                return Err(format!(
                    "{name}[{i}] is beyond 2^53, where a formula is not exact: compare it by same_as"
                ));
            }
            if want.is_nan() {
                return Err(formula.malformed(&format!("gives NaN for {name}[{i}]")));
            }
            let (got, room) = (result.get(i), step.max(unit * size));
            // Where any number would do, none is compared.
            if want.is_finite() && room == f64::INFINITY {
                continue;
            }
            found.compared += 1;
            found.finite += usize::from(want.is_finite());
            // What is too large for the type is infinite there.
            let is_beyond = || want.abs() > largest && got == want.signum() * f64::INFINITY;
            if got == want || want.is_finite() && (got - want).abs() <= room || is_beyond() {
                continue;
            }
            found.wrong += 1;
            if is_poison(result, i) {
                found.untouched += 1;
            } else {
                found.first.get_or_insert((i, want));
            }
        }
        Ok(found)
    };
    let begins = (0..result.len()).step_by(BLOCK);
    let blocks = begins.map(|begin| begin..result.len().min(begin + BLOCK));
    let mut all = Found::default();
    for found in each_on(cores(), blocks, found) {
        let found = found?;
        all.compared += found.compared;
        all.finite += found.finite;
        all.wrong += found.wrong;
        all.untouched += found.untouched;
        all.first = all.first.or(found.first);
    }
    let compared = all.compared;
    if compared > 0 && all.finite == 0 {
        return Err(formula.malformed(&format!("gives no finite number for any {name}[i]")));
    }
    if all.wrong == 0 {
        return Ok(Ok(compared));
    }
    let first = all
        .first
        .map(|(i, want)| format!("{name}[{i}] is {}, it should be {want}", result.text(i)));
    let Found { wrong, untouched, .. } = all;
    let untouched = (untouched > 0).then(|| format!("{untouched} of them were never written"));
    Ok(Err(Differences {
        count: format!("{wrong} of {compared} elements are wrong"),
        below: first.into_iter().chain(untouched).collect(),
        ..Differences::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{element::Type, poison::Poison};

    #[test]
    fn a_wrong_result_says_where_and_a_missing_one_that_it_is() {
        let input = Elements::Float(vec![0.5, 1.5, 2.5]);
        let check = |got: [f32; 3]| {
            let formula = Formula::from("A[i] + c");
            let mut scope = Scope::default();
            scope.set("c", 0.5);
            let got = Elements::Float(got.into());
            check_each("out", &got, false, 0.0, &formula, &scope, &[("A", &input)]).unwrap()
        };
        assert!(check([1.0, 2.0, 3.0 + 3e-7]).is_ok());
        let says = check([1.0, 0.0, f32::NAN]).unwrap_err().to_string();
        assert!(says.contains("2 of 3") && says.contains("out[1] is 0, it should be 2"));
        let poison = u32::from_ne_bytes(Poison::Nan.bytes(Type::Float)[..4].try_into().unwrap());
        let says = check([1.0, 2.0, f32::from_bits(poison)]).unwrap_err().to_string();
        assert!(says.contains("1 of them were never written"), "{says}");
    }

    #[test]
    fn an_infinite_value_is_no_number_and_one_that_anything_is_near_is_not_compared() {
        let x = Elements::Float(vec![0.0, 1.0]);
        let check = |got: [f32; 2], formula: &str| {
            let (formula, scope) = (Formula::from(formula), Scope::default());
            let got = Elements::Float(got.into());
            check_each("out", &got, false, 0.0, &formula, &scope, &[("x", &x)]).unwrap()
        };
        let infinite = f32::INFINITY;
        for formula in ["log(x[i])*(0-1)", "1/x[i]-1", "exp(100)*(1-x[i])"] {
            assert_eq!(check([infinite, 0.0], formula), Ok(2));
            assert!(check([7.0, 0.0], formula).is_err(), "{formula}");
            assert!(check([-infinite, 0.0], formula).is_err(), "{formula}");
        }
        assert!(check([infinite, 1.0], "x[i]").is_err());
        let all = check([7.0; 2], "min(exp(1000 + x[i]), 3)");
        assert_eq!(all, Ok(0));
    }

    #[test]
    fn a_gap_is_not_judged_and_what_a_double_cannot_hold_is_refused() {
        let scope = Scope::default();
        let check = |got: &Elements, formula: &str| {
            check_each("out", got, true, 0.0, &Formula::from(formula), &scope, &[])
        };
        let lanes = Elements::Float(vec![0.0, 1.0, 2.0, f32::NAN]);
        assert_eq!(check(&lanes, "i"), Ok(Ok(3)));
        assert!(check(&lanes, "0.9999999*i").unwrap().is_ok());
        let long = Elements::Other(Type::Long, ((1i64 << 53) + 1).to_ne_bytes().into());
        assert!(check(&long, "9007199254740992").unwrap_err().contains("same_as"));
    }

    #[test]
    fn more_elements_than_one_core_takes_are_compared_all() {
        let many = Elements::from_fn(Type::Float, 300_000, |i| i as f64);
        let check = |formula: &str| {
            let scope = Scope::default();
            let formula = Formula::from(formula);
            check_each("out", &many, false, 0.0, &formula, &scope, &[("A", &many)]).unwrap()
        };
        assert_eq!(check("A[i]"), Ok(300_000));
        let says = check("A[299999 - i]").unwrap_err().to_string();
        assert!(says.starts_with("300000 of 300000 elements are wrong"), "{says}");
    }
}
