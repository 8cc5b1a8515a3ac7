//! Row-major matrices on the host: how they are filled, transposed, padded and
//! printed.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::draw::{Chance, Far, random};
use crate::element::{Elements, Type};

/// What a matrix is filled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Seeded random numbers, as [`random`] draws them.
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
        let random = || random(ty, count, seed);
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
