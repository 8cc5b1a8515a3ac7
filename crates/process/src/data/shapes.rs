//! The shapes on which the course is compared with libraries: none was tuned to, and
//! `--size forty` names all of them.

use common::shape::Shape;

/// What `--size` of `course peers` takes for the whole list.
pub const NAME: &str = "forty";

const fn shape(m: usize, n: usize, k: usize) -> Shape {
    Shape { m, n, k }
}

/// Squares at powers of two, beside them and elsewhere; then C thin, flat and small, and
/// sums from 16 to 16384 long.
pub const FORTY: [Shape; 40] = [
    Shape::cube(256),
    Shape::cube(512),
    Shape::cube(768),
    Shape::cube(1000),
    Shape::cube(1023),
    Shape::cube(1024),
    Shape::cube(1025),
    Shape::cube(1536),
    Shape::cube(2000),
    Shape::cube(2048),
    Shape::cube(3000),
    Shape::cube(3072),
    Shape::cube(4095),
    Shape::cube(4096),
    Shape::cube(4097),
    Shape::cube(6144),
    Shape::cube(8192),
    // Few rows, few columns, short sums.
    shape(16, 8192, 1024),
    shape(8192, 16, 1024),
    shape(64, 4096, 4096),
    shape(4096, 64, 4096),
    shape(4096, 4096, 64),
    shape(4096, 4096, 16),
    shape(8192, 8192, 32),
    shape(128, 8192, 2048),
    shape(8192, 128, 2048),
    shape(256, 4096, 1024),
    shape(4096, 256, 1024),
    shape(1024, 4096, 256),
    // C small, sums long.
    shape(128, 128, 16384),
    shape(256, 256, 8192),
    shape(512, 512, 16384),
    shape(1024, 1024, 16384),
    // No power of two anywhere.
    shape(37, 4096, 53),
    shape(1000, 3000, 2000),
    shape(3000, 1000, 500),
    shape(777, 1555, 3111),
    shape(2500, 600, 900),
    shape(5000, 5000, 100),
    shape(100, 5000, 5000),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forty_shapes_differ_and_their_sums_reach_from_16_to_16384() {
        for (at, shape) in FORTY.iter().enumerate() {
            assert!(!FORTY[..at].contains(shape), "{shape}");
            assert!(shape.must_be_countable().is_ok(), "{shape}");
        }
        let sums = || FORTY.iter().map(|shape| shape.k);
        assert_eq!((sums().min(), sums().max()), (Some(16), Some(16384)));
    }
}
