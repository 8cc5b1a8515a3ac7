//! Numbers that are drawn, each time the same from the same seed, and others, far from these.

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

use crate::element::{Elements, Type};

/// What is drawn for a kernel of the learner's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// Random numbers, in ascending order.
    Sorted,
    /// Each of 0, 1, 2, ... once, in a random order.
    Permutation,
    /// Whole numbers from the first to the second, both of which may come.
    Ints(i64, i64),
    /// Every value of an integer type; random floats, of which a try makes some NaN or infinite.
    Any,
    /// Random numbers of which none is above 0.
    Negative,
}

impl Draw {
    /// So many elements.
    pub fn elements(&self, ty: Type, count: usize, seed: u64) -> Elements {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let random = || Elements::random(ty, count, seed).to_f64();
        let values: Vec<f64> = match self {
            Draw::Any if !ty.is_floating() => {
                let mut bytes = vec![0; count * ty.size()];
                rng.fill_bytes(&mut bytes);
                return Elements::from_bytes(ty, &bytes);
            }
            Draw::Any => random(),
            Draw::Negative => random().into_iter().map(|one| -one.abs()).collect(),
            Draw::Sorted => {
                let mut values = random();
                values.sort_by(f64::total_cmp);
                values
            }
            Draw::Permutation => {
                let mut values: Vec<f64> = (0..count).map(|i| i as f64).collect();
                for i in (1..count).rev() {
                    values.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
                }
                values
            }
            Draw::Ints(from, to) => {
                let many = to.abs_diff(*from).saturating_add(1);
                let one = |_| from.saturating_add_unsigned(rng.next_u64() % many) as f64;
                (0..count).map(one).collect()
            }
        };
        Elements::from_fn(ty, count, |i| values[i])
    }
}

/// Numbers far from those that are drawn: a kernel that is right for random ones alone is not right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Far {
    /// Floats that are not above 0; integers of every value, where a reference computes integers
    /// alone, and of more than 8 bits where a formula does.
    Negative,
    /// Nothing but 0.
    Zeros,
    /// One value everywhere.
    Equal,
    /// Up to 200, beyond which e^x overflows and x^8 does not, the largest first; integers above 0.
    Falling,
    /// From 2^-14 to 2^10; integers below 0.
    Rising,
    /// Few numbers, so that many are equal: halves, both zeros, the scalars that kernels are given;
    /// integers beside powers of 2, and the largest and the least that may come.
    Ties,
    /// All near 1024, of which differences cancel.
    Near,
    /// All far above 0, beyond what searches for a least number begin with.
    Above,
    /// All far below 0.
    Below,
    /// So large that their squares are beyond their type.
    Huge,
    /// Less regular than a fill makes them: a filter is no longer its own mirror image; rows that
    /// begin equally far from one another are longer, shorter, or empty; of a permutation two
    /// numbers each are alike.
    Uneven,
    /// NaN and infinities among random floats.
    Special,
}

impl Far {
    /// All whose products are numbers, too.
    pub const ALL: [Far; 9] = [
        Far::Negative,
        Far::Zeros,
        Far::Equal,
        Far::Falling,
        Far::Rising,
        Far::Ties,
        Far::Near,
        Far::Above,
        Far::Below,
    ];

    /// Other numbers than `held`, as far as it was left to chance what that holds; none where that is
    /// not to be changed.
    pub fn than(self, held: &Elements, chance: &Chance) -> Option<Elements> {
        let (ty, count) = (held.ty(), held.len());
        let is_float = chance.is_random && ty.is_floating();
        // Doubles do not hold every long integer.
        let is_exact = !matches!(ty, Type::Long | Type::Ulong);
        let is_int = chance.is_random && !ty.is_floating() && ty.size() > 1;
        let is_any = is_int && is_exact && chance.any == Some(Draw::Any);
        let values = held.to_f64();
        let each =
            |of: &dyn Fn(f64) -> f64| -> Vec<f64> { values.iter().map(|one| of(*one)).collect() };
        let values = match self {
            Far::Negative if is_float => each(&|one| -one.abs()),
            Far::Negative => {
                let draw = chance.any.as_ref().filter(|_| ty.size() > 1)?;
                return Some(draw.elements(ty, count, chance.seed));
            }
            Far::Zeros if chance.is_random => each(&|_| 0.0),
            Far::Equal => return Some(held.gather(count, |_| Some(0))),
            Far::Falling if is_exact => {
                let mut values = each(&|one| if is_int { one.abs().max(1.0) } else { one });
                values.sort_by(|a, b| b.total_cmp(a));
                let factor = if is_float { 400.0 } else { 1.0 };
                values.into_iter().map(|one| factor * one).collect()
            }
            Far::Rising if is_exact => {
                let is_below = is_int && ty.is_signed();
                let mut values = each(&|one| match is_float {
                    true => (24.0 * one - 2.0).exp2(),
                    false if is_below => -one.abs().max(1.0),
                    false => one,
                });
                values.sort_by(f64::total_cmp);
                values
            }
            Far::Ties if is_exact && (chance.is_random || chance.any.is_some()) => {
                let few = few(ty, chance);
                let which = Draw::Ints(0, few.len() as i64 - 1);
                let which = which.elements(Type::Int, count, chance.seed).to_f64();
                which.into_iter().map(|which| few[which as usize]).collect()
            }
            Far::Near if is_float => {
                let near = if ty.size() < 4 { 16.0 } else { 1024.0 };
                each(&|one| one + near)
            }
            Far::Above | Far::Below if is_float => {
                // The fourth power of it is a number, too.
                let far = if ty == Type::Half { 8.0 } else { 2f64.powi(31) };
                let far = if self == Far::Below { -far } else { far };
                each(&|one| far * (1.25 + one / 2.0))
            }
            Far::Above if is_any => each(&|one| ty.largest() - one.abs()),
            Far::Below if is_any && ty.is_signed() => each(&|one| -ty.largest() - 1.0 + one.abs()),
            Far::Uneven if chance.is_random => each(&|one| one - one % 2.0),
            Far::Uneven => uneven(values, ty, chance.seed)?,
            Far::Huge if chance.is_random && matches!(ty, Type::Float | Type::Double) => {
                let huge = f64::exp2(if ty == Type::Float { 65.0 } else { 515.0 });
                each(&|one| huge * (1.25 + one / 2.0))
            }
            Far::Special if is_float => {
                let which = Draw::Permutation.elements(Type::Int, count, chance.seed).to_f64();
                let special = [f64::INFINITY, f64::NAN, f64::NEG_INFINITY];
                let one =
                    |(one, which): (&f64, f64)| *special.get(which as usize % 18).unwrap_or(one);
                values.iter().zip(which).map(one).collect()
            }
            _ => return None,
        };
        Some(Elements::from_fn(ty, count, |i| values[i]))
    }
}

/// What a fill leaves to chance.
pub struct Chance {
    /// From which the same was drawn.
    pub seed: u64,
    /// Whether all numbers are, and not their order alone.
    pub is_random: bool,
    /// Of integers, from which others may be drawn.
    pub any: Option<Draw>,
    /// What kernels are given beside, as far as it may stand in a buffer.
    pub scalars: Vec<f64>,
}

impl Chance {
    /// All of random numbers.
    pub fn of(seed: u64) -> Chance {
        Chance { seed, is_random: true, any: None, scalars: Vec::new() }
    }
}

/// Few numbers, at which a kernel decides.
fn few(ty: Type, chance: &Chance) -> Vec<f64> {
    if let (false, Some(Draw::Ints(from, to))) = (chance.is_random, &chance.any) {
        let beside = [(from + 1).min(*to), (to - 1).max(*from)];
        return [*from, *to].into_iter().chain(beside).map(|one| one as f64).collect();
    }
    let mut all = chance.scalars.clone();
    if ty.is_floating() {
        all.extend((-24..=24).map(|eighths| f64::from(eighths) / 8.0));
        all.push(-0.0);
        return all;
    }
    let largest = ty.largest();
    let most = if chance.any == Some(Draw::Any) { largest } else { 100.0 };
    for bits in 0..64 {
        let power = 2f64.powi(bits);
        all.extend([power - 1.0, power, power + 1.0]);
    }
    if ty.is_signed() {
        all.extend(all.clone().into_iter().map(|one| -one));
    }
    all.retain(|one| one.abs() <= most || -*one == most + 1.0 && most == largest);
    all
}

/// A mirror image, or steps of one height, made less regular; none of others.
fn uneven(mut values: Vec<f64>, ty: Type, seed: u64) -> Option<Vec<f64>> {
    let count = values.len();
    let random = Elements::random(Type::Double, count, seed).to_f64();
    let &[first, second, ..] = &values[..] else { return None };
    let step = second - first;
    if ty.is_floating() {
        let is_symmetric = values.iter().eq(values.iter().rev());
        let all = values.into_iter().zip(random);
        return is_symmetric.then(|| all.map(|(one, random)| one * (1.0 + random / 2.0)).collect());
    }
    let is_even = values.windows(2).all(|pair| pair[1] - pair[0] == step);
    (step >= 2.0 && is_even).then_some(())?;
    // The first begins where it did, the last ends there.
    for (one, random) in values[..count - 1].iter_mut().zip(random).skip(1) {
        *one = first + step * ((random + 0.5) * count as f64).floor();
    }
    values.sort_by(f64::total_cmp);
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_what_was_asked_for() {
        let drawn = |draw: Draw| draw.elements(Type::Int, 50, 7).to_f64();
        assert!(drawn(Draw::Sorted).is_sorted());
        let mut all = drawn(Draw::Permutation);
        assert!(!all.is_sorted());
        all.sort_by(f64::total_cmp);
        assert!(all.iter().enumerate().all(|(i, value)| *value == i as f64));
        let ints = drawn(Draw::Ints(-1, 1));
        assert!([-1.0, 0.0, 1.0].iter().all(|one| ints.contains(one)));
        assert_eq!(ints, drawn(Draw::Ints(-1, 1)));
        assert!(drawn(Draw::Negative).iter().all(|one| *one <= 0.0));
        let any = drawn(Draw::Any);
        assert!(any.iter().any(|one| *one > 1e9) && any.iter().any(|one| *one < -1e9));
    }
}

#[cfg(test)]
mod tests_of_far {
    use super::*;

    #[test]
    fn what_is_regular_becomes_uneven_and_nothing_else() {
        let uneven = |ty, values: &[f64]| {
            let held = Elements::from_fn(ty, values.len(), |i| values[i]);
            let is_random = false;
            let chance = Chance { is_random, ..Chance::of(1) };
            Some(Far::Uneven.than(&held, &chance)?.to_f64())
        };
        let filter = uneven(Type::Float, &[1.0, 2.0, 1.0]).unwrap();
        assert_ne!(filter[0], filter[2]);
        let rows = uneven(Type::Int, &[0.0, 8.0, 16.0, 24.0, 32.0]).unwrap();
        assert!(rows.is_sorted() && rows.iter().all(|row| row % 8.0 == 0.0));
        assert!(rows[0] == 0.0 && rows[4] == 32.0 && rows[1] != 8.0, "{rows:?}");
        assert_eq!(uneven(Type::Float, &[1.0, 2.0, 3.0]), None);
        assert_eq!(uneven(Type::Int, &[0.0, 1.0, 2.0]), None);
        assert_eq!(uneven(Type::Int, &[0.0, 4.0, 5.0]), None);
    }
}
