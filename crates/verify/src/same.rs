//! Is a result what a reference kernel computed?

use crate::check::Right;
use crate::element::{Elements, Type};
use crate::poison::is_poison;

/// By how much a result may differ from the reference's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a share of an element's size, or of the root mean square of all where that is more.
    pub share: f64,
    /// What it follows from, in words.
    pub from: &'static str,
}

impl Tolerance {
    /// For results of so many operations each: twenty times the random walk of their roundings.
    /// Integers must be equal.
    pub fn of(ty: Type, operations: f64) -> Tolerance {
        Tolerance {
            share: 20.0 * ty.unit_roundoff() * operations.max(1.0).sqrt(),
            from: "20 unit roundoffs, times the root of the operations for a result",
        }
    }
}

/// Holds every element against the reference's. NaN never passes, unless nobody wrote it. Of
/// `has_gaps` every fourth element is nobody's. Integers without a tolerance are held bit by bit:
/// long ones have more digits than a double.
///
/// # Errors
/// What is wrong with the result, which messages call `name`.
pub fn check_same(
    name: &str,
    got: &Elements,
    want: &Elements,
    tolerance: Tolerance,
    has_gaps: bool,
) -> Result<Right, String> {
    let length = got.len().min(want.len());
    let judged = (0..length).filter(|i| !(has_gaps && i % 4 == 3));
    let compared = judged.clone().count();
    let is_exact = tolerance.share == 0.0 && !want.ty().is_floating();
    let squares = judged
        .clone()
        .map(|i| want.get(i))
        .filter(|x| x.is_finite());
    let typical = (squares.map(|x| x * x).sum::<f64>() / compared.max(1) as f64).sqrt();
    let is_right = |i: &usize| {
        let (one, other) = (got.get(*i), want.get(*i));
        let bound = tolerance.share * other.abs().max(typical);
        got.bits(*i) == want.bits(*i)
            || !is_exact && (one - other).abs() <= bound
            || (one == other && one.is_infinite())
    };
    let wrong: Vec<usize> = judged.filter(|i| !is_right(i)).collect();
    let Some(first) = wrong.first() else {
        return Ok(Right { compared });
    };
    let mut says = format!("{} of {compared} elements are wrong", wrong.len());
    if let Some(looks) = looks_like(got, want, &wrong) {
        says += &format!("\nlooks like: {looks}");
    }
    let written = wrong.iter().find(|i| !is_poison(got, **i));
    let at = written.unwrap_or(first);
    let is = written.map_or(String::new(), |_| format!(" is {}, it", got.text(*at)));
    says += &format!("\n{name}[{at}]{is} should be {}", want.text(*at));
    Err(says)
}

/// What all wrong elements have in common.
fn looks_like(got: &Elements, want: &Elements, wrong: &[usize]) -> Option<String> {
    let all = |is: &dyn Fn(usize) -> bool| wrong.iter().all(|&i| is(i));
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-5 * other.abs();
    let (first, last) = (wrong[0], wrong[wrong.len() - 1]);
    let span = last - first + 1;
    let where_ = match () {
        () if span == wrong.len() && last + 1 == want.len() && first > 0 => {
            format!(", from element {first} to the end")
        }
        () if span == wrong.len() && wrong.len() < want.len() => {
            format!(", elements {first} to {last}")
        }
        () => String::new(),
    };
    let shift = |by: isize| {
        let from = |i: usize| i.checked_add_signed(by).filter(|at| *at < want.len());
        wrong.len() > 1 && all(&|i| from(i).is_none_or(|at| got.bits(i) == want.bits(at)))
    };
    let factor = got.get(first) / want.get(first);
    let known = if all(&|i| is_poison(got, i)) {
        "never written".into()
    } else if all(&|i| got.get(i).is_nan()) {
        "NaN: of something that was never written, or of 0/0".into()
    } else if all(&|i| got.get(i) == 0.0) {
        "zero".into()
    } else if shift(1) {
        "one element too early: each holds what the next one should".into()
    } else if shift(-1) {
        "one element too late: each holds what the one before should".into()
    } else if wrong.len() > 2
        && factor.is_finite()
        && factor != 0.0
        && format!("{factor:.4}") != "1.0000"
        && all(&|i| near(got.get(i), factor * want.get(i)))
    {
        format!("each is {factor:.4} times what it should be")
    } else if all(&|i| got.get(i) == got.get(first)) && wrong.len() > 2 {
        format!("all are {}", got.text(first))
    } else if where_.is_empty() {
        return None;
    } else {
        "wrong in one piece".into()
    };
    Some(known + &where_)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_and_nan_never_passes() {
        let want: Vec<f32> = (1..=8).map(|i| i as f32).collect();
        let check = |change: &dyn Fn(&mut Vec<f32>)| {
            let mut got = want.clone();
            change(&mut got);
            let tolerance = Tolerance::of(Type::Float, 1.0);
            let [got, want] = [got, want.clone()].map(Elements::Float);
            check_same("y", &got, &want, tolerance, false)
                .err()
                .unwrap_or_default()
        };
        assert_eq!(check(&|_| ()), "");
        assert_eq!(check(&|got| got[3] += 1e-6), "");
        for (change, says) in [
            (
                &(|got: &mut Vec<f32>| got[3] = f32::NAN) as &dyn Fn(&mut Vec<f32>),
                "NaN",
            ),
            (
                &|got| got.iter_mut().for_each(|x| *x *= 2.0),
                "2.0000 times",
            ),
            (
                &|got| got.iter_mut().for_each(|x| *x *= 1.00002),
                "8 of 8 elements are wrong\ny[0]",
            ),
            (&|got| got.rotate_left(1), "too early"),
            (&|got| got.rotate_right(1), "too late"),
            (&|got| got[6..].fill(0.0), "zero, from element 6 to the end"),
            (&|got| got[2..5].fill(9.5), "all are 9.5, elements 2 to 4"),
            (&|got| got[1] = 7.0, "y[1] is 7, it should be 2"),
        ] {
            assert!(check(change).contains(says), "{says}: {}", check(change));
        }
        let ints = |last| Elements::from_fn(Type::Uint, 3, |i| [4e9, 2.0, last][i]);
        let exact = Tolerance::of(Type::Uint, 1e9);
        assert!(check_same("h", &ints(7.0), &ints(7.0), exact, false).is_ok());
        assert!(check_same("h", &ints(8.0), &ints(7.0), exact, false).is_err());
        let long =
            |last: u64| Elements::Other(Type::Ulong, ((1 << 53) + last).to_ne_bytes().into());
        assert!(check_same("h", &long(1), &long(1), exact, false).is_ok());
        assert_eq!(
            check_same("h", &long(1), &long(0), exact, false).unwrap_err(),
            "1 of 1 elements are wrong\nh[0] is 9007199254740993, it should be 9007199254740992"
        );
        let lanes = |last| Elements::Float(vec![1.0, 2.0, 3.0, last]);
        let three = |gaps| check_same("y", &lanes(4.0), &lanes(5.0), exact, gaps);
        assert_eq!(three(true), Ok(Right { compared: 3 }));
        assert!(three(false).is_err());
    }
}
