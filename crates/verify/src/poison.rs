//! What a result holds before a kernel writes it, so that what nobody wrote is known.

use crate::element::{Elements, Type};

/// What a result holds before a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// For floating types a signalling NaN, which no computation makes (what comes out
    /// of one is a quiet NaN), for ints a number far outside the results.
    Nan,
    /// A number: a kernel that takes the old C for nothing where it is NaN adds to it.
    Number,
}

impl Poison {
    /// The eight bytes of it, to be repeated.
    pub fn bytes(self, ty: Type) -> [u8; 8] {
        let word: u64 = match (self, ty) {
            (Poison::Nan, Type::Float | Type::Int) => 0x7fa0_dead_7fa0_dead,
            (Poison::Nan, Type::Double) => 0x7ff4_dead_7fa0_dead,
            (Poison::Number, Type::Float) => 0x45ff_fc00_45ff_fc00,
            (Poison::Number, Type::Double) => 0x40bf_ff80_0000_0000,
            (Poison::Number, Type::Int) => 0x0000_1fff_0000_1fff,
        };
        word.to_ne_bytes()
    }

    /// So many bytes of it.
    pub fn many(self, ty: Type, bytes: usize) -> Vec<u8> {
        let mut many = self.bytes(ty).repeat(bytes.div_ceil(8));
        many.truncate(bytes);
        many
    }
}

/// True where element `i` still holds [`Poison::Nan`].
pub fn is_poison(data: &Elements, i: usize) -> bool {
    let size = data.ty().size();
    data.as_bytes()[i * size..(i + 1) * size] == Poison::Nan.bytes(data.ty())[..size]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_poisons_are_no_number_and_a_number() {
        for (ty, number) in [
            (Type::Float, 8191.5),
            (Type::Double, 8191.5),
            (Type::Int, 8191.0),
        ] {
            let held = |poison: Poison| Elements::from_bytes(ty, &poison.many(ty, 16));
            let (nan, other) = (held(Poison::Nan), held(Poison::Number));
            assert_eq!(nan.len(), 16 / ty.size());
            for i in 0..nan.len() {
                assert!(ty == Type::Int || nan.get(i).is_nan());
                assert_eq!(other.get(i), number, "{ty:?}");
                assert!(is_poison(&nan, i) && !is_poison(&other, i));
            }
        }
    }

    #[test]
    fn only_what_nobody_wrote_is_poison() {
        let nobody = f64::from_bits(0x7ff4_dead_7fa0_dead);
        let doubles = Elements::Double(vec![1.0, nobody, f64::NAN, 4.0]);
        let untouched = (0..4).map(|i| is_poison(&doubles, i));
        assert_eq!(untouched.collect::<Vec<_>>(), [false, true, false, false]);
    }

    #[test]
    fn a_sum_that_starts_from_poison_is_nan_and_not_untouched() {
        for ty in [Type::Float, Type::Double] {
            let held = Elements::from_bytes(ty, &Poison::Nan.many(ty, ty.size()));
            let sum = Elements::from_fn(ty, 1, |_| held.get(0) + 1.0);
            assert!(sum.get(0).is_nan() && !is_poison(&sum, 0), "{ty:?}");
        }
    }
}
