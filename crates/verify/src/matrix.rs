//! Row-major matrices on the host: the sizes of a product of them, how they are filled, transposed,
//! padded and printed.

use std::{fmt, str::FromStr};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::draw::{Chance, Far};
use crate::element::{Elements, Type};

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
        if self == Shape::cube(self.m) { self.m.to_string() } else { self.to_string() }
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

/// What a matrix is filled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Seeded random numbers, as [`Elements::random`] draws them.
    #[default]
    Random,
    /// 1, 2, 3, ... along the rows, so that a small result can be followed by
    /// hand. Ints start again after 256, so that a sum stays below 2^31.
    Count,
    /// Numbers far from random ones.
    #[value(skip)]
    Far(Far),
}

/// A row-major matrix: element (r, c) is number r * cols + c.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns: the length of a row.
    pub cols: usize,
    /// rows * cols elements, row after row.
    pub data: Elements,
}

impl Matrix {
    /// A filled matrix.
    pub fn filled(rows: usize, cols: usize, ty: Type, fill: Fill, seed: u64) -> Matrix {
        let count = rows * cols;
        let random = || Elements::random(ty, count, seed);
        let data = match fill {
            Fill::Random => random(),
            Fill::Count => Elements::from_fn(ty, count, |i| match ty {
                Type::Int => (i % 256 + 1) as f64,
                _ => (i + 1) as f64,
            }),
            Fill::Far(far) => {
                let random = random();
                far.than(&random, &Chance::of(seed)).unwrap_or(random)
            }
        };
        Matrix { rows, cols, data }
    }

    /// Element (r, c) as f64.
    #[inline]
    pub fn at(&self, r: usize, c: usize) -> f64 {
        self.data.get(r * self.cols + c)
    }

    /// The matrix with rows and columns exchanged. A transposed row-major
    /// matrix is, byte for byte, the column-major form of the original.
    pub fn transposed(&self) -> Matrix {
        let from = |i| i % self.rows * self.cols + i / self.rows;
        Matrix {
            rows: self.cols,
            cols: self.rows,
            data: self.data.gather(self.data.len(), |i| Some(from(i))),
        }
    }

    /// The matrix with zeros added below and on the right, or its upper left corner.
    pub fn resized(&self, rows: usize, cols: usize) -> Matrix {
        let from = |i| {
            let (r, c) = (i / cols, i % cols);
            (r < self.rows && c < self.cols).then_some(r * self.cols + c)
        };
        Matrix { rows, cols, data: self.data.gather(rows * cols, from) }
    }
}

/// Rows on lines, columns aligned.
impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cell = |r, c| {
            let x = self.at(r, c);
            if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.4}") }
        };
        let cells: Vec<Vec<String>> =
            (0..self.rows).map(|r| (0..self.cols).map(|c| cell(r, c)).collect()).collect();
        let width = cells.iter().flatten().map(String::len).max().unwrap_or(0);
        for row in &cells {
            let line: Vec<String> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
            writeln!(f, "    {}", line.join("  "))?;
        }
        Ok(())
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

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let matrix = Matrix::filled(1, 3, Type::Float, Fill::Random, 1);
        let again = Matrix::filled(1, 3, Type::Float, Fill::Random, 1);
        assert_eq!(matrix, again);
        let known = [0.31161213, 0.2471047, -0.39984912];
        for (c, known) in known.into_iter().enumerate() {
            assert!((matrix.at(0, c) - known).abs() < 1e-7, "{matrix:?}");
        }
        assert_ne!(matrix, Matrix::filled(1, 3, Type::Float, Fill::Random, 2));
    }

    #[test]
    fn random_floats_stay_in_their_interval_and_differ() {
        let matrix = Matrix::filled(50, 50, Type::Float, Fill::Random, 7);
        let row: Vec<f64> = (0..2500).map(|i| matrix.data.get(i)).collect();
        assert!(row.iter().all(|x| (-0.5..0.5).contains(x)));
        assert!(row.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn counting_goes_along_the_rows() {
        let matrix = Matrix::filled(2, 3, Type::Int, Fill::Count, 0);
        assert_eq!(matrix.data, Elements::Int(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let matrix = Matrix::filled(3, 5, Type::Double, Fill::Random, 3);
        let flipped = matrix.transposed();
        assert_eq!((flipped.rows, flipped.cols), (5, 3));
        assert_eq!(flipped.at(4, 1), matrix.at(1, 4));
        assert_eq!(flipped.transposed(), matrix);
    }

    #[test]
    fn padding_adds_zeros_and_cropping_takes_them_away() {
        let matrix = Matrix::filled(2, 3, Type::Int, Fill::Count, 0);
        let padded = matrix.resized(4, 4);
        assert_eq!(padded.at(1, 2), 6.0);
        assert_eq!(padded.at(1, 3), 0.0);
        assert_eq!(padded.at(3, 0), 0.0);
        assert_eq!(padded.resized(2, 3), matrix);
    }
}
