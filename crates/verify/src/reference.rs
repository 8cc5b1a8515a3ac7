//! What the course measures against on the host: the six orders of the plain
//! triple loop on one core, and the GEMM that a Rust user would pick instead.

use std::{hint::black_box, time::Instant};

use crate::cores::{cores, each_on};
use crate::element::{Elements, Type};
use crate::matrix::{Matrix, Shape};
use crate::{numbers, problem::Problem};

/// The six orders of the three loops; `i` counts rows of C, `j` its columns,
/// `k` the terms of a sum. The textbook writes `Ijk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LoopOrder {
    Ijk,
    Jik,
    Ikj,
    Kij,
    Jki,
    Kji,
}

use LoopOrder::*;

impl LoopOrder {
    /// All six, the textbook's first.
    pub const ALL: [LoopOrder; 6] = [Ijk, Jik, Ikj, Kij, Jki, Kji];

    /// Outer, middle and inner loop in words.
    pub fn name(self) -> &'static str {
        match self {
            Ijk => "row, column, inner",
            Jik => "column, row, inner",
            Ikj => "row, inner, column",
            Kij => "inner, row, column",
            Jki => "column, inner, row",
            Kji => "inner, column, row",
        }
    }

    /// C = A * B on one core. `c` must hold m * n zeros. The bodies are the
    /// same statement; only the order in which memory is walked differs.
    pub fn multiply<T>(self, s: Shape, a: &[T], b: &[T], c: &mut [T])
    where
        T: Copy + std::ops::Mul<Output = T> + std::ops::AddAssign,
    {
        let mut step = |i: usize, j: usize, k: usize| {
            c[i * s.n + j] += a[i * s.k + k] * b[k * s.n + j];
        };
        match self {
            Ijk => nest([s.m, s.n, s.k], &mut step),
            Ikj => nest([s.m, s.k, s.n], |i, k, j| step(i, j, k)),
            Jik => nest([s.n, s.m, s.k], |j, i, k| step(i, j, k)),
            Jki => nest([s.n, s.k, s.m], |j, k, i| step(i, j, k)),
            Kij => nest([s.k, s.m, s.n], |k, i, j| step(i, j, k)),
            Kji => nest([s.k, s.n, s.m], |k, j, i| step(i, j, k)),
        }
    }

    /// The product of a problem by this order on one core, and the median
    /// seconds that it took.
    pub fn run(self, problem: &Problem) -> (Matrix, f64) {
        let (s, ty) = (problem.shape, problem.ty);
        let mut c = zeros(s, ty);
        let seconds = match (&problem.a().data, &problem.b().data, &mut c.data) {
            (Elements::Float(a), Elements::Float(b), Elements::Float(c)) => self.timed(s, a, b, c),
            (Elements::Double(a), Elements::Double(b), Elements::Double(c)) => {
                self.timed(s, a, b, c)
            }
            (Elements::Int(a), Elements::Int(b), Elements::Int(c)) => self.timed(s, a, b, c),
            _ => unreachable!("a problem's matrices have one type"),
        };
        (c, seconds)
    }

    fn timed<T>(self, shape: Shape, a: &[T], b: &[T], c: &mut [T]) -> f64
    where
        T: Copy + Default + std::ops::Mul<Output = T> + std::ops::AddAssign,
    {
        median_seconds(|| {
            c.fill(T::default());
            self.multiply(shape, black_box(a), black_box(b), c);
            black_box(&mut *c);
        })
    }
}

fn zeros(s: Shape, ty: Type) -> Matrix {
    Matrix { rows: s.m, cols: s.n, data: Elements::from_fn(ty, s.m * s.n, |_| 0.0) }
}

#[inline(always)]
fn nest(limits: [usize; 3], mut body: impl FnMut(usize, usize, usize)) {
    for x in 0..limits[0] {
        for y in 0..limits[1] {
            for z in 0..limits[2] {
                body(x, y, z);
            }
        }
    }
}

/// The crate behind [`library`], as the tables print it. It is what a Rust user would pick:
/// `ndarray` uses it, it is small, and it uses AVX-512 where there is.
pub const LIBRARY: &str = "matrixmultiply";

/// The product of a problem by the crate `matrixmultiply` on all cores, and the
/// median seconds that it took; `None` for integers, which it does not multiply.
pub fn library(problem: &Problem) -> Option<(Matrix, f64)> {
    let s = problem.shape;
    let mut c = zeros(s, problem.ty);
    let [a, b] = problem.operands();
    let seconds = match (&a.data, &b.data, &mut c.data) {
        (Elements::Float(a), Elements::Float(b), Elements::Float(c)) => {
            median_seconds(|| multiply(s, a, b, black_box(c), matrixmultiply::sgemm))
        }
        (Elements::Double(a), Elements::Double(b), Elements::Double(c)) => {
            median_seconds(|| multiply(s, a, b, black_box(c), matrixmultiply::dgemm))
        }
        _ => return None,
    };
    Some((c, seconds))
}

/// The median of several calls. The first is not counted, unless it is so slow
/// that caches and clocks were warm for most of it.
fn median_seconds(mut call: impl FnMut()) -> f64 {
    let mut timed = || {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    let first = timed();
    let mut seconds = Vec::new();
    if first > SLOW {
        seconds.push(first);
    }
    while seconds.len() < 15 && seconds.iter().sum::<f64>() < SLOW {
        seconds.push(timed());
    }
    numbers::median(&seconds)
}

/// Seconds after which enough has been measured.
const SLOW: f64 = 0.2;

/// M, K, N, and then alpha, A, B, beta and C, each matrix with its strides of rows and columns.
#[rustfmt::skip]
pub(crate) type Gemm<T> = unsafe fn(
    usize, usize, usize,
    T, *const T, isize, isize, *const T, isize, isize, T, *mut T, isize, isize,
);

/// Rows of C that are worth a thread.
const ROWS: usize = 64;

/// C = A * B by a function of [`LIBRARY`] on all cores, row-major: some rows of A and of C at a time,
/// each on the next core that is free. Panics unless the slices are M x K, K x N and M x N long.
pub(crate) fn multiply<T: Copy + From<u8> + Send + Sync>(
    s: Shape,
    a: &[T],
    b: &[T],
    c: &mut [T],
    gemm: Gemm<T>,
) {
    let (one, zero) = (T::from(1), T::from(0));
    let [m, n, k] = [s.m, s.n, s.k];
    assert_eq!([a.len(), b.len(), c.len()], [m * k, k * n, m * n], "of {s}");
    let rows = m.div_ceil(cores()).max(ROWS);
    let parts = a.chunks(rows * k).zip(c.chunks_mut(rows * n));
    each_on(cores(), parts, |_, (a, c)| {
        let (m, a, b, c) = (c.len() / n, a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let [a_row, b_row] = [k as isize, n as isize];
        // SAFETY: the shape and the row-major strides address m x K, K x N and m x N elements,
        // as many as there are; c is borrowed mutably, so it overlaps neither a nor b.
        unsafe { gemm(m, k, n, one, a, a_row, 1, b, b_row, 1, zero, c, b_row, 1) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Fill;

    const SHAPE: Shape = Shape { m: 3, n: 4, k: 5 };

    fn inputs() -> (Matrix, Matrix) {
        (
            Matrix::filled(3, 5, Type::Float, Fill::Count, 0),
            Matrix::filled(5, 4, Type::Float, Fill::Count, 0),
        )
    }

    // 1..15 times 1..20, worked out by hand.
    const PRODUCT: [f32; 12] =
        [175.0, 190.0, 205.0, 220.0, 400.0, 440.0, 480.0, 520.0, 625.0, 690.0, 755.0, 820.0];

    #[test]
    fn all_six_loop_orders_give_the_product() {
        let (a, b) = inputs();
        let (Elements::Float(a), Elements::Float(b)) = (&a.data, &b.data) else {
            panic!("made as floats")
        };
        for order in LoopOrder::ALL {
            let mut c = [0.0; 12];
            order.multiply(SHAPE, a, b, &mut c);
            assert_eq!(c, PRODUCT, "{}", order.name());
        }
    }

    #[test]
    fn the_library_gives_the_product() {
        let (a, b) = inputs();
        let (c, _) = library(&Problem::of([a, b], Type::Float)).expect("floats are supported");
        assert_eq!(c.data, Elements::Float(PRODUCT.to_vec()));
    }
}
