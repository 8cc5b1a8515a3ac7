//! The crate matrixmultiply, which is part of this program.

use std::time::Instant;

use anyhow::Result;
use common::element::Elements;
use common::matrix::Matrix;
use common::problem::Problem;
use common::reference::{library_multiply, library_threads};

use super::library::{About, Library, Opened, Product, Sample};

struct MatrixMultiply;

struct Multiplied<'a> {
    problem: &'a Problem,
    c: Matrix,
}

/// It needs no opening.
pub fn open() -> Opened {
    let about = About {
        version: "as in Cargo.lock".into(),
        threads: Some(library_threads()),
        ..About::default()
    };
    (Box::new(MatrixMultiply), about)
}

impl Library for MatrixMultiply {
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>> {
        let (rows, cols) = (problem.shape.m, problem.shape.n);
        let data = Elements::from_fn(problem.ty, rows * cols, |_| f64::NAN);
        let c = Matrix { rows, cols, data };
        Ok(Box::new(Multiplied { problem, c }))
    }
}

impl Product for Multiplied<'_> {
    fn run(&mut self) -> Result<Sample> {
        let Problem { shape, a, b, .. } = self.problem;
        let begin = Instant::now();
        library_multiply(*shape, a, b, &mut self.c);
        let wall = begin.elapsed().as_secs_f64();
        Ok(Sample { wall, device: None })
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(self.c.data.as_bytes().to_vec())
    }
}
