//! Numbers that are drawn, each time the same from the same seed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
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
        let random = || random(ty, count, seed).to_f64();
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

/// Random numbers: floats uniform in [-0.5, 0.5), ints in [-100, 100]; unsigned ones in [0, 200],
/// and all that 8 bits can be. Which numbers a seed means is fixed for ever: the generator is
/// named, and its bits are turned into numbers here.
pub fn random(ty: Type, count: usize, seed: u64) -> Elements {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Elements::from_fn(ty, count, |_| match ty {
        Type::Int | Type::Short | Type::Long => (rng.next_u64() % 201) as f64 - 100.0,
        // The top 24 bits make a float exactly, the top 53 a double.
        Type::Float => (rng.next_u64() >> 40) as f64 / (1u64 << 24) as f64 - 0.5,
        Type::Double | Type::Half | Type::Bf16 | Type::Tf32 => {
            (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
        Type::Char => rng.next_u64() as i8 as f64,
        Type::Uchar => rng.next_u64() as u8 as f64,
        Type::Ushort | Type::Uint | Type::Ulong => (rng.next_u64() % 201) as f64,
    })
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
