//! What a result holds before a kernel writes it, so that what nobody wrote is known.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use crate::element::{Elements, Type};

/// What memory holds before a kernel writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// For floating types a signalling NaN, which no computation makes (what comes out
    /// of one is a quiet NaN), for ints a number far outside the results.
    Nan,
    /// The same in other bits: what lies beside a buffer, of each buffer its own.
    Beside(u16),
    /// A number, in each process another one: a kernel that takes the old C for nothing
    /// where it is NaN adds to it.
    Number,
}

impl Poison {
    /// What lies beside the buffer that has this name.
    pub fn beside(name: &str) -> Poison {
        // FNV-1a, and both halves of it.
        let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let hash = name.bytes().fold(0x811c_9dc5, hash);
        Poison::Beside((hash ^ hash >> 16) as u16)
    }

    /// The eight bytes of it, to be repeated.
    pub fn bytes(self, ty: Type) -> [u8; 8] {
        let nan: u32 = match self {
            Poison::Nan => 0x7fa0_dead,
            Poison::Beside(which) => 0x7fa1_0000 | u32::from(which),
            Poison::Number => {
                // Some number and a half, exact as a float, so that no kernel can know it. Of the
                // standard library's hashers each has another seed.
                static DRAWN: OnceLock<f64> = OnceLock::new();
                let drawn = || (4096 + RandomState::new().hash_one(0) % 4096) as f64 + 0.5;
                let drawn = Elements::from_fn(ty, 8 / ty.size(), |_| *DRAWN.get_or_init(drawn));
                return drawn.as_bytes().try_into().unwrap_or_default();
            }
        };
        let nan = if ty == Type::Half { 0x7dad_7dad ^ (nan & 0xff) << 4 } else { nan };
        let high = if ty == Type::Double { 0x7ff4_dead } else { nan };
        let mut bytes = (u64::from(high) << 32 | u64::from(nan)).to_ne_bytes();
        // Each element of a small type has the same.
        for i in ty.size()..8 {
            bytes[i] = bytes[i - ty.size()];
        }
        bytes
    }

    /// So many bytes of it.
    pub fn many(self, ty: Type, bytes: usize) -> Vec<u8> {
        let mut many = self.bytes(ty).repeat(bytes.div_ceil(8));
        many.truncate(bytes);
        many
    }

    /// The first and the last of the elements in `bytes` that are this no more.
    pub fn lost(self, ty: Type, bytes: &[u8]) -> Option<(usize, usize)> {
        let poison = &self.bytes(ty)[..ty.size()];
        let mut elements = bytes.chunks_exact(ty.size());
        let is_lost = |element: &[u8]| element != poison;
        Some((elements.clone().position(is_lost)?, elements.rposition(is_lost)?))
    }
}

/// True where element `i` still holds [`Poison::Nan`].
pub fn is_poison(data: &Elements, i: usize) -> bool {
    let element = data.element(i);
    *element == Poison::Nan.bytes(data.ty())[..element.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_poisons_are_no_number_and_a_number() {
        for ty in [Type::Float, Type::Double, Type::Int] {
            let held = |poison: Poison| Elements::from_bytes(ty, &poison.many(ty, 16));
            let number = held(Poison::Number);
            for (i, number) in number.to_f64().into_iter().enumerate() {
                assert!((4096.0..8192.0).contains(&number) && !is_poison(&held(Poison::Number), i));
                let beside = held(Poison::beside("A"));
                assert!(ty == Type::Int || held(Poison::Nan).get(i).is_nan());
                assert!(ty == Type::Int || beside.get(i).is_nan());
                assert!(is_poison(&held(Poison::Nan), i) && !is_poison(&beside, i));
            }
            assert_eq!(number.get(0), number.get(1), "one for a run");
        }
        let names = ["A", "B", "C", "in", "out"].map(Poison::beside);
        assert!((1..5).all(|i| !names[..i].contains(&names[i])));
    }

    #[test]
    fn what_was_written_over_poison_is_found() {
        for ty in [Type::Float, Type::Double, Type::Int] {
            let poison = Poison::beside("A");
            let mut bytes = poison.many(ty, 80);
            assert_eq!(poison.lost(ty, &bytes), None);
            bytes[ty.size() * 3 + 1] ^= 1;
            assert_eq!(poison.lost(ty, &bytes), Some((3, 3)));
            bytes[ty.size() * 5] ^= 1;
            assert_eq!(poison.lost(ty, &bytes), Some((3, 5)));
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
