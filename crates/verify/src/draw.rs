//! Numbers that are drawn for a kernel of the learner's own, each time the same from the same
//! seed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::element::{Elements, Type};
use crate::matrix::{Fill, Matrix};

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// Random numbers, in ascending order.
    Sorted,
    /// Each of 0, 1, 2, ... once, in a random order.
    Permutation,
    /// Whole numbers from the first to the second, both of which may come.
    Ints(i64, i64),
    /// Every value of an integer type.
    Any,
    /// Random numbers of which none is above 0.
    Negative,
}

impl Draw {
    /// So many elements.
    pub fn elements(&self, ty: Type, count: usize, seed: u64) -> Elements {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let random = || Matrix::filled(1, count, ty, Fill::Random, seed).row(0);
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
