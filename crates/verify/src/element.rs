//! The element types that a matrix can have, on the host and in a kernel.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The type of a matrix's elements; kernels see it as the macro `REAL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// 32-bit IEEE float.
    Float,
    /// 64-bit IEEE float, where the device has it.
    Double,
    /// 32-bit two's complement integer.
    Int,
}

impl Type {
    /// The name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Type::Float => "float",
            Type::Double => "double",
            Type::Int => "int",
        }
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Type::Float | Type::Int => 4,
            Type::Double => 8,
        }
    }

    /// The unit roundoff u: half the distance from 1 to the next number, and 0
    /// for integers, whose sums are exact.
    pub fn unit_roundoff(self) -> f64 {
        match self {
            Type::Float => f64::from(f32::EPSILON) / 2.0,
            Type::Double => f64::EPSILON / 2.0,
            Type::Int => 0.0,
        }
    }
}

/// A run of elements of one type, with access to each as f64. All three types
/// fit into an f64 without loss.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// 32-bit floats.
    Float(Vec<f32>),
    /// 64-bit floats.
    Double(Vec<f64>),
    /// 32-bit integers.
    Int(Vec<i32>),
}

impl Elements {
    /// `count` elements, element `i` being `value(i)`.
    pub fn from_fn(ty: Type, count: usize, mut value: impl FnMut(usize) -> f64) -> Elements {
        match ty {
            Type::Float => Elements::Float((0..count).map(|i| value(i) as f32).collect()),
            Type::Double => Elements::Double((0..count).map(value).collect()),
            Type::Int => Elements::Int((0..count).map(|i| value(i) as i32).collect()),
        }
    }

    /// The elements that lie in `bytes`, in the machine's byte order.
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Elements {
        match ty {
            Type::Float => Elements::Float(bytemuck::allocation::pod_collect_to_vec(bytes)),
            Type::Double => Elements::Double(bytemuck::allocation::pod_collect_to_vec(bytes)),
            Type::Int => Elements::Int(bytemuck::allocation::pod_collect_to_vec(bytes)),
        }
    }

    /// The bytes of the elements, in the machine's byte order.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Elements::Float(v) => bytemuck::cast_slice(v),
            Elements::Double(v) => bytemuck::cast_slice(v),
            Elements::Int(v) => bytemuck::cast_slice(v),
        }
    }

    /// `count` elements, element `i` being number `from(i)` of these, bit by bit,
    /// or zero where there is none.
    pub fn gather(&self, count: usize, from: impl Fn(usize) -> Option<usize>) -> Elements {
        fn pick<T: Copy + Default>(
            v: &[T],
            count: usize,
            from: impl Fn(usize) -> Option<usize>,
        ) -> Vec<T> {
            (0..count)
                .map(|i| from(i).map_or(T::default(), |at| v[at]))
                .collect()
        }
        match self {
            Elements::Float(v) => Elements::Float(pick(v, count, from)),
            Elements::Double(v) => Elements::Double(pick(v, count, from)),
            Elements::Int(v) => Elements::Int(pick(v, count, from)),
        }
    }

    /// Element `i` as f64.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Elements::Float(v) => f64::from(v[i]),
            Elements::Double(v) => v[i],
            Elements::Int(v) => f64::from(v[i]),
        }
    }

    /// Element `i`, bit by bit: two that are equal as numbers may differ here.
    pub fn bits(&self, i: usize) -> u64 {
        match self {
            Elements::Float(v) => u64::from(v[i].to_bits()),
            Elements::Double(v) => v[i].to_bits(),
            Elements::Int(v) => v[i] as u64,
        }
    }

    /// All of them as f64.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Elements::Float(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Elements::Double(v) => v.clone(),
            Elements::Int(v) => v.iter().map(|&x| f64::from(x)).collect(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Elements::Float(v) => v.len(),
            Elements::Double(v) => v.len(),
            Elements::Int(v) => v.len(),
        }
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back_change_nothing() {
        for ty in [Type::Float, Type::Double, Type::Int] {
            let elements = Elements::from_fn(ty, 5, |i| i as f64 - 2.0);
            let copy = Elements::from_bytes(ty, elements.as_bytes());
            assert_eq!(copy, elements);
            assert_eq!(copy.get(0), -2.0);
        }
    }
}
