//! The element types that a matrix can have, on the host and in a kernel.

use clap::ValueEnum;
use half::{bf16, f16};
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

/// The type of a matrix's elements; kernels see it as the macro `REAL`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// 32-bit IEEE float.
    #[default]
    Float,
    /// 64-bit IEEE float, where the device has it.
    Double,
    /// 32-bit two's complement integer.
    Int,
    /// What follows only kernels of the learner's own have: no lesson is about them.
    #[value(skip)]
    Half,
    /// 8 bits.
    #[value(skip)]
    Char,
    /// 8 bits, without a sign.
    #[value(skip)]
    Uchar,
    /// 16 bits.
    #[value(skip)]
    Short,
    /// 16 bits, without a sign.
    #[value(skip)]
    Ushort,
    /// 32 bits, without a sign.
    #[value(skip)]
    Uint,
    /// 64 bits.
    #[value(skip)]
    Long,
    /// 64 bits, without a sign.
    #[value(skip)]
    Ulong,
    /// The upper half of a float, which kernels see as a `ushort`.
    #[value(skip)]
    Bf16,
    /// A float with the fraction of a half, 10 bits, which lies in memory as a float.
    #[value(skip)]
    Tf32,
}

/// All of them in order: their names in OpenCL C, the bytes of an element, and of floats the bits of
/// a fraction with the one before its point.
const TYPES: [(Type, &str, usize, i32); 13] = [
    (Type::Float, "float", 4, 24),
    (Type::Double, "double", 8, 53),
    (Type::Int, "int", 4, 0),
    (Type::Half, "half", 2, 11),
    (Type::Char, "char", 1, 0),
    (Type::Uchar, "uchar", 1, 0),
    (Type::Short, "short", 2, 0),
    (Type::Ushort, "ushort", 2, 0),
    (Type::Uint, "uint", 4, 0),
    (Type::Long, "long", 8, 0),
    (Type::Ulong, "ulong", 8, 0),
    // The last ones: a `ushort` that nobody says more of is a whole number.
    (Type::Bf16, "ushort", 2, 8),
    (Type::Tf32, "float", 4, 11),
];

impl Type {
    /// The name in OpenCL C.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].1
    }

    /// The type that has this name in OpenCL C.
    pub fn named(name: &str) -> Option<Type> {
        let name = if name == "size_t" { "ulong" } else { name };
        TYPES.iter().find(|one| one.1 == name).map(|one| one.0)
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        TYPES[self as usize].2
    }

    /// The unit roundoff u: half the distance from 1 to the next number, and 0
    /// for integers, whose sums are exact.
    pub fn unit_roundoff(self) -> f64 {
        let bits = TYPES[self as usize].3;
        if bits == 0 { 0.0 } else { 2f64.powi(-bits) }
    }

    /// The smallest number that every device tells from 0; 0 where that is any.
    pub fn least(self) -> f64 {
        match self {
            Type::Float | Type::Bf16 | Type::Tf32 => f64::from(f32::MIN_POSITIVE),
            Type::Double => f64::MIN_POSITIVE,
            _ => 0.0,
        }
    }

    /// Whether it holds numbers below 0.
    pub fn is_signed(self) -> bool {
        Elements::from_fn(self, 1, |_| -1.0).get(0) < 0.0
    }

    /// The largest number that it holds.
    pub fn largest(self) -> f64 {
        match self {
            Type::Float | Type::Tf32 => f64::from(f32::MAX),
            Type::Double => f64::MAX,
            Type::Half => f16::MAX.to_f64(),
            Type::Bf16 => bf16::MAX.to_f64(),
            _ => {
                let bits = 8 * self.size() as i32 - i32::from(self.is_signed());
                2f64.powi(bits) - 1.0
            }
        }
    }

    /// Whether it holds fractions.
    pub fn is_floating(self) -> bool {
        TYPES[self as usize].3 > 0
    }

    /// The bytes of a number, which is brought to the type as a cast does.
    pub fn encode(self, value: f64) -> Vec<u8> {
        match self {
            Type::Float => (value as f32).to_ne_bytes().into(),
            Type::Double => value.to_ne_bytes().into(),
            Type::Int => (value as i32).to_ne_bytes().into(),
            Type::Half => f16::from_f64(value).to_ne_bytes().into(),
            Type::Bf16 => bf16::from_f64(value).to_ne_bytes().into(),
            Type::Tf32 => tf32(value as f32).to_ne_bytes().into(),
            Type::Char => (value as i8).to_ne_bytes().into(),
            Type::Uchar => (value as u8).to_ne_bytes().into(),
            Type::Short => (value as i16).to_ne_bytes().into(),
            Type::Ushort => (value as u16).to_ne_bytes().into(),
            Type::Uint => (value as u32).to_ne_bytes().into(),
            Type::Long => (value as i64).to_ne_bytes().into(),
            Type::Ulong => (value as u64).to_ne_bytes().into(),
        }
    }

    /// The number that lies at the beginning of these bytes.
    fn decode(self, bytes: &[u8]) -> f64 {
        use bytemuck::pod_read_unaligned as read;
        match self {
            Type::Float | Type::Tf32 => f64::from(read::<f32>(bytes)),
            Type::Double => read(bytes),
            Type::Half => f16::from_bits(read(bytes)).to_f64(),
            Type::Bf16 => bf16::from_bits(read(bytes)).to_f64(),
            Type::Int => f64::from(read::<i32>(bytes)),
            Type::Char => f64::from(read::<i8>(bytes)),
            Type::Uchar => f64::from(read::<u8>(bytes)),
            Type::Short => f64::from(read::<i16>(bytes)),
            Type::Ushort => f64::from(read::<u16>(bytes)),
            Type::Uint => f64::from(read::<u32>(bytes)),
            Type::Long => read::<i64>(bytes) as f64,
            Type::Ulong => read::<u64>(bytes) as f64,
        }
    }
}

/// The nearest float whose last 13 bits are 0; of two as near the one that is even.
fn tf32(value: f32) -> f32 {
    const DROPPED: u32 = 13;
    let bits = value.to_bits();
    let half = (1 << (DROPPED - 1)) - 1 + (bits >> DROPPED & 1);
    f32::from_bits((bits + half) >> DROPPED << DROPPED)
}

/// A run of elements of one type, with access to each as f64. All types but long ones
/// fit into an f64 without loss.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// 32-bit floats.
    Float(Vec<f32>),
    /// 64-bit floats.
    Double(Vec<f64>),
    /// 32-bit integers.
    Int(Vec<i32>),
    /// Of any other type, as they lie in memory.
    Other(Type, Vec<u8>),
}

impl Elements {
    /// `count` elements, element `i` being `value(i)`.
    pub fn from_fn(ty: Type, count: usize, mut value: impl FnMut(usize) -> f64) -> Elements {
        match ty {
            Type::Float => Elements::Float((0..count).map(|i| value(i) as f32).collect()),
            Type::Double => Elements::Double((0..count).map(value).collect()),
            Type::Int => Elements::Int((0..count).map(|i| value(i) as i32).collect()),
            other => {
                let bytes = (0..count).flat_map(|i| other.encode(value(i)));
                Elements::Other(other, bytes.collect())
            }
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

    /// The elements that lie in `bytes`, in the machine's byte order.
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Elements {
        match ty {
            Type::Float => Elements::Float(bytemuck::allocation::pod_collect_to_vec(bytes)),
            Type::Double => Elements::Double(bytemuck::allocation::pod_collect_to_vec(bytes)),
            Type::Int => Elements::Int(bytemuck::allocation::pod_collect_to_vec(bytes)),
            other => Elements::Other(other, bytes.into()),
        }
    }

    /// The bytes of the elements, in the machine's byte order.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Elements::Float(v) => bytemuck::cast_slice(v),
            Elements::Double(v) => bytemuck::cast_slice(v),
            Elements::Int(v) => bytemuck::cast_slice(v),
            Elements::Other(_, v) => v,
        }
    }

    /// `count` elements, element `i` being number `from(i)` of these, bit by bit,
    /// or zero where there is none.
    pub fn gather(&self, count: usize, from: impl Fn(usize) -> Option<usize>) -> Elements {
        let size = self.ty().size();
        let mut bytes = vec![0; count * size];
        for (i, element) in bytes.chunks_exact_mut(size).enumerate() {
            if let Some(at) = from(i) {
                element.copy_from_slice(self.element(at));
            }
        }
        Elements::from_bytes(self.ty(), &bytes)
    }

    /// The bytes of element `i`.
    pub(crate) fn element(&self, i: usize) -> &[u8] {
        let size = self.ty().size();
        &self.as_bytes()[i * size..][..size]
    }

    /// Element `i` as f64.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Elements::Float(v) => f64::from(v[i]),
            Elements::Double(v) => v[i],
            Elements::Int(v) => f64::from(v[i]),
            Elements::Other(ty, _) => ty.decode(self.element(i)),
        }
    }

    /// Element `i`, bit by bit: two that are equal as numbers may differ here.
    pub fn bits(&self, i: usize) -> u64 {
        self.element(i).iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }

    /// Element `i` in words, as short as its type has it.
    pub fn text(&self, i: usize) -> String {
        match self {
            Elements::Float(v) => v[i].to_string(),
            Elements::Other(Type::Long, _) => (self.bits(i) as i64).to_string(),
            Elements::Other(Type::Ulong, _) => self.bits(i).to_string(),
            _ => self.get(i).to_string(),
        }
    }

    /// All of them as f64.
    pub fn to_f64(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.get(i)).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.as_bytes().len() / self.ty().size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their type.
    pub fn ty(&self) -> Type {
        match self {
            Elements::Float(_) => Type::Float,
            Elements::Double(_) => Type::Double,
            Elements::Int(_) => Type::Int,
            Elements::Other(ty, _) => *ty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back_change_nothing() {
        for (at, (ty, name, ..)) in TYPES.into_iter().enumerate() {
            assert_eq!(at, ty as usize);
            let elements = Elements::from_fn(ty, 5, |i| i as f64 + 2.0);
            let copy = Elements::from_bytes(ty, elements.as_bytes());
            assert_eq!(copy, elements);
            assert_eq!((copy.get(0), copy.len()), (2.0, 5));
            assert_eq!(ty.name(), name);
            // These two have another type's name.
            let has_own_name = ![Type::Bf16, Type::Tf32].contains(&ty);
            assert_eq!(Type::named(name) == Some(ty), has_own_name);
            let least = Elements::from_fn(ty, 1, |_| -2.0).get(0);
            assert_eq!(least, if has_own_name && name.starts_with('u') { 0.0 } else { -2.0 });
        }
    }
}
