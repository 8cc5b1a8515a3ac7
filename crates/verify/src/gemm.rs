//! The crate `matrixmultiply` on all cores, for row-major matrices: C = A * B. It is what a
//! Rust user would pick: `ndarray` uses it, it is small, and it uses AVX-512 where there is.

use crate::cores::{cores, each_on};
use crate::shape::Shape;

/// In floats. Panics unless the slices are M x K, K x N and M x N long.
pub fn floats(s: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    by_rows(s, a, b, c, |m, a, c| {
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let [a_row, b_row] = [s.k as isize, s.n as isize];
        // SAFETY: the shape and the row-major strides address M x K, K x N and M x N elements,
        // as many as there are; c is borrowed mutably, so it overlaps neither a nor b.
        unsafe {
            matrixmultiply::sgemm(m, s.k, s.n, 1.0, a, a_row, 1, b, b_row, 1, 0.0, c, b_row, 1);
        }
    });
}

/// In doubles. Panics unless the slices are M x K, K x N and M x N long.
pub fn doubles(s: Shape, a: &[f64], b: &[f64], c: &mut [f64]) {
    by_rows(s, a, b, c, |m, a, c| {
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let [a_row, b_row] = [s.k as isize, s.n as isize];
        // SAFETY: as above.
        unsafe {
            matrixmultiply::dgemm(m, s.k, s.n, 1.0, a, a_row, 1, b, b_row, 1, 0.0, c, b_row, 1);
        }
    });
}

/// Rows of C that are worth a thread.
const ROWS: usize = 64;

/// Some rows of A and of C at a time, each on the next core that is free.
fn by_rows<T: Send + Sync>(
    s: Shape,
    a: &[T],
    b: &[T],
    c: &mut [T],
    multiply: impl Fn(usize, &[T], &mut [T]) + Sync,
) {
    let [m, n, k] = [s.m, s.n, s.k];
    assert_eq!([a.len(), b.len(), c.len()], [m * k, k * n, m * n], "of {s}");
    let rows = m.div_ceil(cores()).max(ROWS);
    let parts = a.chunks(rows * k).zip(c.chunks_mut(rows * n));
    each_on(cores(), parts, |_, (a, c)| multiply(c.len() / n, a, c));
}
