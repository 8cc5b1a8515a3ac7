//! The three sizes of a product.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The three sizes of a product `C[M][N] = A[M][K] * B[K][N]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B: the length of each sum.
    pub k: usize,
}

impl Shape {
    /// A product of square matrices.
    pub const fn cube(n: usize) -> Shape {
        Shape { m: n, n, k: n }
    }

    /// "1024", or "37x91x53" where the sides differ.
    pub fn in_short(self) -> String {
        match self == Shape::cube(self.m) {
            true => self.m.to_string(),
            false => self.to_string(),
        }
    }

    /// Floating-point operations of the product: one multiplication and one
    /// addition for each m, n, k.
    pub fn flop(self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64
    }

    /// Refuses matrices whose elements an `int` cannot count.
    ///
    /// # Errors
    /// The reason, in words for a learner.
    pub fn must_be_countable(self) -> Result<(), String> {
        let Shape { m, n, k } = self;
        let most = m.saturating_mul(n).max(m.saturating_mul(k)).max(k.saturating_mul(n));
        if most <= LONGEST {
            return Ok(());
        }
        Err(format!(
            "{self} is too large: a matrix would have {most} elements, and kernels count them with \
             int, up to {LONGEST}; square matrices end at 46340"
        ))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}x{}", self.m, self.n, self.k)
    }
}

/// The longest side: kernels count with `int`.
pub const LONGEST: usize = i32::MAX as usize;

/// `1024` or `37x91x53`; the error is the reason, in words for a learner.
impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let side = |text: &str| {
            let digits = text.trim();
            if digits.starts_with('-') {
                return Err(format!("{digits} is negative; sizes start at 1"));
            }
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(format!(
                    "\"{digits}\" is not a whole number; write for example 1000 or 37x91x53"
                ));
            }
            match digits.parse::<usize>() {
                Ok(0) => Err("a size of 0 leaves nothing to compute; sizes start at 1".into()),
                Ok(n) if n <= LONGEST => Ok(n),
                _ => Err(format!(
                    "{digits} is too large; kernels count with int, so a size ends at {LONGEST}"
                )),
            }
        };
        match text.split(['x', 'X']).map(side).collect::<Result<Vec<usize>, String>>()?[..] {
            [n] => Ok(Shape::cube(n)),
            [m, n, k] => Ok(Shape { m, n, k }),
            _ => {
                Err("a size is one number, or three as MxNxK, for example 1000 or 37x91x53".into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_is_a_cube_and_three_are_a_shape() {
        assert_eq!("1024".parse(), Ok(Shape::cube(1024)));
        let odd = Shape { m: 37, n: 91, k: 53 };
        assert_eq!("37x91x53".parse(), Ok(odd));
        assert_eq!("37X91x53".parse(), Ok(odd));
    }

    #[test]
    fn bad_sizes_are_refused_with_the_reason() {
        for (text, reason) in [
            ("0", "start at 1"),
            ("3x0x3", "start at 1"),
            ("-5", "negative"),
            ("abc", "not a whole number"),
            ("1.5", "not a whole number"),
            ("", "not a whole number"),
            ("3x", "not a whole number"),
            ("3x4", "three"),
            ("99999999999999999999999", "too large"),
            ("2147483648", "too large"),
        ] {
            let error = text.parse::<Shape>().expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_product_may_have_more_elements_than_can_be_counted() {
        let most = Shape::cube(usize::MAX).must_be_countable();
        most.expect_err("too large");
    }

    #[test]
    fn a_damaged_size_is_refused_or_can_be_counted() {
        damage::must_be_survived(b"37x91x53", |bytes| {
            if let Ok(shape) = String::from_utf8_lossy(bytes).parse::<Shape>() {
                assert!(shape.flop() > 0.0);
            }
        });
    }
}
