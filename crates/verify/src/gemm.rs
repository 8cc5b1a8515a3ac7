//! The crate `matrixmultiply` on all cores, for row-major matrices: C = A * B. It is what a
//! Rust user would pick: `ndarray` uses it, it is small, and it uses AVX-512 where there is.

use crate::shape::Shape;

/// In floats. Panics unless the slices are M x K, K x N and M x N long.
pub fn floats(s: Shape, a: &[f32], b: &[f32], c: &mut [f32]) {
    must_fit(s, a.len(), b.len(), c.len());
    let [m, n, k] = [s.m, s.n, s.k];
    let [a_row, b_row] = [k as isize, n as isize];
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: the shape and the row-major strides address these lengths and no more; c
    // is borrowed mutably, so it overlaps neither a nor b, and may be written.
    unsafe {
        matrixmultiply::sgemm(m, k, n, 1.0, a, a_row, 1, b, b_row, 1, 0.0, c, b_row, 1);
    }
}

/// In doubles. Panics unless the slices are M x K, K x N and M x N long.
pub fn doubles(s: Shape, a: &[f64], b: &[f64], c: &mut [f64]) {
    must_fit(s, a.len(), b.len(), c.len());
    let [m, n, k] = [s.m, s.n, s.k];
    let [a_row, b_row] = [k as isize, n as isize];
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: as above.
    unsafe {
        matrixmultiply::dgemm(m, k, n, 1.0, a, a_row, 1, b, b_row, 1, 0.0, c, b_row, 1);
    }
}

fn must_fit(s: Shape, a: usize, b: usize, c: usize) {
    assert_eq!([a, b, c], [s.m * s.k, s.k * s.n, s.m * s.n], "of {s}");
}
