//! Numbers far from those that are drawn: a kernel that is right for random ones alone is not right.

use serde::{Deserialize, Serialize};

use crate::draw::Draw;
use crate::element::{Elements, Type};

/// Which.
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
    /// integers beside powers of 2, and where any may come, the largest and the least.
    Ties,
    /// All near 1024, of which differences cancel.
    Near,
    /// All far above 0, beyond what searches for a least number begin with.
    Above,
    /// All far below 0.
    Below,
}

impl Far {
    /// All of them.
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
        let mut values = held.to_f64();
        // Doubles do not hold every long integer.
        let is_exact = !matches!(ty, Type::Long | Type::Ulong);
        let is_int = chance.is_random && !ty.is_floating() && ty.size() > 1;
        let is_any = is_int && is_exact && chance.any == Some(Draw::Any);
        let is_signed = matches!(ty, Type::Int | Type::Short);
        match self {
            Far::Negative if is_float => values.iter_mut().for_each(|one| *one = -one.abs()),
            Far::Negative => {
                let draw = chance.any.as_ref().filter(|_| ty.size() > 1)?;
                return Some(draw.elements(ty, count, chance.seed));
            }
            Far::Zeros if chance.is_random => values.fill(0.0),
            Far::Equal => return Some(held.gather(count, |_| Some(0))),
            Far::Falling if is_exact => {
                if is_int {
                    values.iter_mut().for_each(|one| *one = one.abs().max(1.0));
                }
                values.sort_by(|a, b| b.total_cmp(a));
                let factor = if is_float { 400.0 } else { 1.0 };
                values.iter_mut().for_each(|one| *one *= factor);
            }
            Far::Rising if is_exact => {
                if is_int && is_signed {
                    values.iter_mut().for_each(|one| *one = -one.abs().max(1.0));
                }
                values.sort_by(f64::total_cmp);
                if is_float {
                    values
                        .iter_mut()
                        .for_each(|one| *one = (24.0 * *one - 2.0).exp2());
                }
            }
            Far::Ties if is_exact && chance.is_random => {
                let few = few(ty, chance);
                let which = Draw::Ints(0, few.len() as i64 - 1);
                let which = which.elements(Type::Int, count, chance.seed);
                (0..count).for_each(|i| values[i] = few[which.get(i) as usize]);
            }
            Far::Near if is_float => {
                let near = if ty.size() < 4 { 16.0 } else { 1024.0 };
                values.iter_mut().for_each(|one| *one += near);
            }
            Far::Above | Far::Below if is_float => {
                // The fourth power of it is a number, too.
                let far = if ty == Type::Half { 8.0 } else { 2f64.powi(31) };
                let far = if self == Far::Below { -far } else { far };
                values
                    .iter_mut()
                    .for_each(|one| *one = far * (1.25 + *one / 2.0));
            }
            Far::Above if is_any => {
                let most = ty.largest();
                values.iter_mut().for_each(|one| *one = most - one.abs());
            }
            Far::Below if is_any && is_signed => {
                let least = -ty.largest() - 1.0;
                values.iter_mut().for_each(|one| *one = least + one.abs());
            }
            _ => return None,
        }
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
        Chance {
            seed,
            is_random: true,
            any: None,
            scalars: Vec::new(),
        }
    }
}

/// Few numbers, at which a kernel decides.
fn few(ty: Type, chance: &Chance) -> Vec<f64> {
    let mut all = chance.scalars.clone();
    if ty.is_floating() {
        all.extend((-24..=24).map(|eighths| f64::from(eighths) / 8.0));
        all.push(-0.0);
        return all;
    }
    let largest = ty.largest();
    let most = match chance.any {
        Some(Draw::Any) => largest,
        _ => 100.0,
    };
    for bits in 0..64 {
        let power = 2f64.powi(bits);
        all.extend([power - 1.0, power, power + 1.0]);
    }
    if matches!(ty, Type::Int | Type::Short | Type::Char) {
        all.extend(all.clone().into_iter().map(|one| -one));
    }
    all.retain(|one| one.abs() <= most || -*one == most + 1.0 && most == largest);
    all
}
