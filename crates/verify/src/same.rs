//! Is a result what a reference kernel computed?

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::element::{Elements, Type};
use crate::poison::is_poison;
use crate::wrong::{Differences, Look};

/// So many times the usual random walk of roundings is no fault yet.
pub const MARGIN: f64 = 20.0;

/// What a reference left in a buffer, and by how much each element may differ from it.
#[derive(Clone, Debug)]
pub struct Same {
    /// What it left.
    pub want: Elements,
    /// As a share of an element's magnitude; 0 of integers, which must be equal.
    pub share: f64,
    /// By how much it may differ whatever its magnitude: where a device rounds as it likes.
    pub step: f64,
    /// The size of each element, or of the terms that it was made of, where that is more.
    magnitudes: Vec<f64>,
    /// Which elements are compared: not every fourth, where that is nobody's, nor one that nobody
    /// can tell, where the reference was not meant for these inputs.
    judged: Vec<bool>,
}

/// By which share inputs are changed to see how far results move: more than roundings do,
/// less than a function bends.
pub fn shake(ty: Type) -> f64 {
    ty.unit_roundoff().sqrt()
}

/// Numbers a little nearer to 0, each by another share, of which `shake` is the largest.
pub fn shaken(elements: &Elements, shake: f64, seed: u64) -> Elements {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut less = || 1.0 - shake * (rng.next_u64() as f64 / u64::MAX as f64);
    Elements::from_fn(elements.ty(), elements.len(), |i| elements.get(i) * less())
}

/// The same numbers, but for those at these places, which are half as large.
pub fn halved(elements: &Elements, at: &[usize]) -> Elements {
    let factor = |i: usize| if at.contains(&i) { 0.5 } else { 1.0 };
    Elements::from_fn(elements.ty(), elements.len(), |i| elements.get(i) * factor(i))
}

/// How many inputs an element follows from, by what moved where such a `share` of them was changed.
/// None where nothing moved, or more than half did: one may follow from all.
pub fn inputs_of_each(left: &Elements, moved: &Elements, share: f64) -> Option<f64> {
    let is_moved = |i: &usize| left.bits(*i) != moved.bits(*i);
    let count = (0..left.len()).filter(is_moved).count() as f64;
    let part = count / left.len() as f64;
    (count > 0.0 && part <= 0.5).then(|| (part / share).max(1.0))
}

impl Same {
    /// What was left, without a `share` that of so many operations for an element; and what
    /// was left where all inputs were [`shaken`].
    pub fn of(
        want: Elements,
        share: Option<f64>,
        operations: f64,
        moved: &[&Elements],
        shake: f64,
    ) -> Same {
        let unit = want.ty().unit_roundoff();
        let same = Same {
            share: share.unwrap_or(MARGIN * unit * operations.max(1.0).sqrt()),
            step: want.ty().least(),
            magnitudes: (0..want.len()).map(|i| want.get(i).abs()).collect(),
            judged: vec![true; want.len()],
            want,
        };
        same.and_moved(moved, shake)
    }

    /// The same beside what was left where all inputs were changed by another share.
    pub fn and_moved(mut self, moved: &[&Elements], shake: f64) -> Same {
        for (i, magnitude) in self.magnitudes.iter_mut().enumerate() {
            let want = self.want.get(i);
            // In each of several runs a random share of what the terms add up to.
            let terms = moved.iter().map(|one| 4.0 * (one.get(i) - want).abs() / shake);
            *magnitude = terms.filter(|size| size.is_finite()).fold(*magnitude, f64::max);
        }
        self
    }

    /// Of inputs for which nobody says that the reference is meant: an element is compared where
    /// that, and what it was `moved` to, is a number of which roundings leave a digit. The largest
    /// of the `inputs` that are floats is so large; where that is infinite, NaN is meant, too, and
    /// so may be what is left.
    pub fn where_certain(mut self, moved: &[&Elements], operations: f64, inputs: f64) -> Same {
        // Of equal numbers all roundings may go the same way; and in other terms than the
        // reference's the largest numbers may leave their last digit in small ones.
        let unit = self.want.ty().unit_roundoff();
        self.share = self.share.max(unit * operations);
        let sizes = self.want.to_f64().into_iter().map(f64::abs).filter(|size| size.is_finite());
        let is_special = inputs.is_infinite();
        let largest = sizes.fold(if is_special { 1.0 } else { 2.0 * inputs }, f64::max);
        self.step = self.step.max(unit * largest);
        let is_certain = |i: usize| {
            let want = self.want.get(i);
            let mut all = moved.iter().map(|one| one.get(i)).chain([want]);
            if is_special && !want.is_finite() {
                return all.all(|one| one == want || one.is_nan() && want.is_nan());
            }
            all.all(f64::is_finite) && self.share * self.magnitudes[i] <= want.abs()
        };
        self.judged = (0..self.want.len()).map(is_certain).collect();
        self
    }

    /// Without every fourth element, which is nobody's.
    pub fn with_gaps(mut self) -> Same {
        self.judged.iter_mut().skip(3).step_by(4).for_each(|is_judged| *is_judged = false);
        self
    }
}

/// Holds every element against the reference's: how many were compared. NaN passes for NaN alone.
/// Integers without a tolerance are held bit by bit: long ones have more digits than a double.
///
/// # Errors
/// What is wrong with the result, which messages call `name`.
pub fn check_same(name: &str, got: &Elements, same: &Same) -> Result<usize, Differences> {
    let want = &same.want;
    let judged = (0..got.len().min(want.len())).filter(|i| same.judged[*i]);
    let compared = judged.clone().count();
    let is_exact = same.share.max(same.step) == 0.0 && !want.ty().is_floating();
    let is_right = |i: &usize| {
        let (one, other) = (got.get(*i), want.get(*i));
        got.bits(*i) == want.bits(*i)
            || one == other && one.is_infinite()
            || one.is_nan() && other.is_nan() && !is_poison(got, *i)
            || !is_exact
                && other.is_finite()
                && (one - other).abs() <= same.step.max(same.share * same.magnitudes[*i])
    };
    let wrong: Vec<usize> = judged.filter(|i| !is_right(i)).collect();
    let Some(first) = wrong.first() else { return Ok(compared) };
    let looks = looks_like(got, want, &wrong);
    let written = wrong.iter().find(|i| !is_poison(got, **i));
    let at = written.unwrap_or(first);
    let is = written.map_or(String::new(), |_| format!(" is {}, it", got.text(*at)));
    Err(Differences {
        count: format!("{} of {compared} elements are wrong", wrong.len()),
        looks: looks.into_iter().collect(),
        below: vec![format!("{name}[{at}]{is} should be {}", want.text(*at))],
        ..Differences::default()
    })
}

/// A sum of a thousand terms that lacks one is not so near.
const NEAR: f64 = 1e-3;

/// What all wrong elements have in common.
fn looks_like(got: &Elements, want: &Elements, wrong: &[usize]) -> Option<Look> {
    let all = |is: &dyn Fn(usize) -> bool| wrong.iter().all(|&i| is(i));
    let holds_next = |by: isize| {
        let from = |i: usize| i.checked_add_signed(by).filter(|at| *at < want.len());
        wrong.len() > 1 && all(&|i| from(i).is_none_or(|at| got.bits(i) == want.bits(at)))
    };
    let factor = got.get(wrong[0]) / want.get(wrong[0]);
    let is_factor =
        |i| (got.get(i) - factor * want.get(i)).abs() <= 1e-5 * (factor * want.get(i)).abs();
    let is_near = |i| (got.get(i) - want.get(i)).abs() <= NEAR * want.get(i).abs();
    let is_other = factor.is_finite() && factor != 0.0 && format!("{factor:.4}") != "1.0000";
    let known = if all(&|i| is_poison(got, i)) {
        return Some(Look::Fact("never written".into()));
    } else if all(&|i| got.get(i).is_nan()) {
        "NaN: of something that was never written, or of 0/0"
    } else if all(&|i| got.get(i) == 0.0) {
        "zero"
    } else if holds_next(1) {
        "one element too early: each holds what the next one should"
    } else if holds_next(-1) {
        "one element too late: each holds what the one before should"
    } else if wrong.len() > 2 && is_other && all(&is_factor) {
        return Some(Look::Share(format!("each is {factor:.4} times what it should be")));
    } else if want.ty().is_floating() && all(&is_near) {
        return Some(Look::Share("near what it should be".into()));
    } else {
        return None;
    };
    Some(Look::Chance(known.into()))
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
            let [got, want] = [got, want.clone()].map(Elements::Float);
            let same = Same::of(want, None, 1.0, &[], 1.0);
            check_same("y", &got, &same).err().unwrap_or_default().to_string()
        };
        assert_eq!(check(&|_| ()), "");
        assert_eq!(check(&|got| got[3] += 1e-6), "");
        for (change, says) in [
            (&(|got: &mut Vec<f32>| got[3] = f32::NAN) as &dyn Fn(&mut Vec<f32>), "NaN"),
            (&|got| got.iter_mut().for_each(|x| *x *= 2.0), "2.0000 times"),
            (&|got| got.iter_mut().for_each(|x| *x *= 1.00002), "near what it should be\ny[0]"),
            (&|got| got[3] *= 1.01, "1 of 8 elements are wrong\ny[3]"),
            (&|got| got.rotate_left(1), "too early"),
            (&|got| got.rotate_right(1), "too late"),
            (&|got| got[6..].fill(0.0), "looks like: zero"),
            (&|got| got[1] = 7.0, "y[1] is 7, it should be 2"),
        ] {
            assert!(check(change).contains(says), "{says}: {}", check(change));
        }
        let infinite = |got: f32| {
            let want = Elements::Float(vec![f32::INFINITY]);
            let same = Same::of(want, None, 1.0, &[], 1.0);
            check_same("y", &Elements::Float(vec![got]), &same).is_ok()
        };
        assert!(infinite(f32::INFINITY) && !infinite(7.0) && !infinite(f32::NEG_INFINITY));
        let ints = |last| Elements::from_fn(Type::Uint, 3, |i| [4e9, 2.0, last][i]);
        let exact = |got: &Elements, want: Elements, gaps| {
            let same = Same::of(want, None, 1e9, &[], 1.0);
            check_same("h", got, &if gaps { same.with_gaps() } else { same })
        };
        assert!(exact(&ints(7.0), ints(7.0), false).is_ok());
        assert!(exact(&ints(8.0), ints(7.0), false).is_err());
        let long =
            |last: u64| Elements::Other(Type::Ulong, ((1 << 53) + last).to_ne_bytes().into());
        assert!(exact(&long(1), long(1), false).is_ok());
        assert_eq!(
            exact(&long(1), long(0), false).unwrap_err().to_string(),
            "1 of 1 elements are wrong\nh[0] is 9007199254740993, it should be 9007199254740992"
        );
        let near = |last| {
            let mut same = Same::of(ints(7.0), None, 1.0, &[], 1.0);
            same.step = 1.0;
            check_same("h", &ints(last), &same).is_ok()
        };
        assert!(near(8.0) && near(6.0) && !near(9.0));
        let lanes = |last| Elements::Float(vec![1.0, 2.0, 3.0, last]);
        let three = |gaps| exact(&lanes(4.0), lanes(5.0), gaps);
        assert_eq!(three(true), Ok(3));
        assert!(three(false).is_err());
    }

    #[test]
    fn what_an_element_follows_from_is_seen_where_a_few_inputs_move() {
        let x = Elements::Float((1..=40).map(|i| i as f32).collect());
        let at = [5, 15, 25, 35];
        let inputs = |reference: &dyn Fn(&[f64]) -> Vec<f64>| {
            let [left, moved] = [&x, &halved(&x, &at)].map(|x| {
                let all = reference(&x.to_f64());
                Elements::from_fn(Type::Float, all.len(), |i| all[i])
            });
            inputs_of_each(&left, &moved, 0.1)
        };
        let rows = |x: &[f64]| x.chunks(2).map(|row| row.iter().sum()).collect();
        assert_eq!(inputs(&|x| x.iter().map(|x| 2.0 * x).collect()), Some(1.0));
        assert_eq!(inputs(&rows), Some(2.0));
        assert_eq!(inputs(&|x| vec![x.iter().sum()]), None);
        assert_eq!(inputs(&|_| vec![7.0; 40]), None);
    }

    #[test]
    fn an_element_may_be_off_by_its_own_terms_not_by_its_neighbours() {
        let reference = |x: &[f64]| Elements::from_fn(Type::Float, 2, |i| [x[0] - x[1], x[1]][i]);
        let inputs = Elements::Float(vec![1000.0, 999.99994]);
        let shake = shake(Type::Float);
        let moved: Vec<Elements> =
            (1..5).map(|seed| reference(&shaken(&inputs, shake, seed).to_f64())).collect();
        let moved: Vec<&Elements> = moved.iter().collect();
        let want = reference(&inputs.to_f64());
        let same = Same::of(want.clone(), None, 1.0, &moved, shake);
        let off = |by: [f64; 2]| {
            let got = Elements::from_fn(Type::Float, 2, |i| want.get(i) + by[i]);
            check_same("y", &got, &same).is_ok()
        };
        assert!(off([1e-4, 1e-4]) && !off([0.1, 0.0]) && !off([0.0, 0.1]));
    }
}
