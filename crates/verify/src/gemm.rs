//! The crate `matrixmultiply` on all cores, for row-major matrices: C = A * B. It is what a
//! Rust user would pick: `ndarray` uses it, it is small, and it uses AVX-512 where there is.

use crate::cores::{cores, each_on};
use crate::shape::Shape;

/// In floats. Panics unless the slices are M x K, K x N and M x N long.
pub fn floats(s: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    by_rows(s, a, b, c, [1.0, 0.0], matrixmultiply::sgemm);
}

/// In doubles. Panics unless the slices are M x K, K x N and M x N long.
pub fn doubles(s: Shape, a: &[f64], b: &[f64], c: &mut [f64]) {
    by_rows(s, a, b, c, [1.0, 0.0], matrixmultiply::dgemm);
}

/// M, K, N, and then alpha, A, B, beta and C, each matrix with its strides of rows and columns.
#[rustfmt::skip]
type Gemm<T> = unsafe fn(
    usize, usize, usize,
    T, *const T, isize, isize, *const T, isize, isize, T, *mut T, isize, isize,
);

/// Rows of C that are worth a thread.
const ROWS: usize = 64;

/// Some rows of A and of C at a time, each on the next core that is free.
fn by_rows<T: Copy + Send + Sync>(
    s: Shape,
    a: &[T],
    b: &[T],
    c: &mut [T],
    [one, zero]: [T; 2],
    gemm: Gemm<T>,
) {
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
