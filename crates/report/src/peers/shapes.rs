//! Shapes that nobody can have tuned to: drawn from a seed.

use common::shape::Shape;

/// What `--size` takes for thirty of them.
pub const NAME: &str = "thirty";
const COUNT: usize = 30;

/// Shortest and longest side of C.
const SIDES: [usize; 2] = [16, 8192];
/// Longest sum.
const LONGEST: usize = 16384;

/// Thirty different shapes, with no more multiply-adds than this each: six squares, four with
/// a single row or column, and sides that are as often between 16 and 32 as between 4096 and
/// 8192.
pub fn thirty(seed: u64, most: f64) -> Vec<Shape> {
    let mut draw = Draw(seed);
    let mut shapes: Vec<Shape> = Vec::new();
    while shapes.len() < COUNT {
        let [m, n] = [(); 2].map(|()| draw.between(SIDES));
        let k = draw.between([SIDES[0], LONGEST]);
        let shape = match shapes.len() {
            0..6 => Shape::cube(m),
            6..8 => Shape { m: 1, n, k },
            8..10 => Shape { m, n: 1, k },
            _ => Shape { m, n, k },
        };
        if shape.flop() / 2.0 <= most && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Draw(u64);

impl Draw {
    /// Evenly on a logarithmic scale.
    fn between(&mut self, [least, most]: [usize; 2]) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (z ^ (z >> 31)) as f64 / u64::MAX as f64;
        (least as f64 * (most as f64 / least as f64).powf(share)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_thirty_shapes_and_another_one_others() {
        for most in [4e9, 1e12] {
            let shapes = thirty(7, most);
            assert_eq!(shapes, thirty(7, most));
            assert_ne!(shapes, thirty(8, most));
            for (at, shape) in shapes.iter().enumerate() {
                assert!(!shapes[..at].contains(shape), "{shape}");
                assert!(shape.flop() / 2.0 <= most, "{shape}");
                let sides = [shape.m, shape.n].map(|side| side == 1 || (16..=8192).contains(&side));
                assert!(
                    sides == [true; 2] && (16..=16384).contains(&shape.k),
                    "{shape}"
                );
            }
            let thin = shapes.iter().filter(|shape| shape.m == 1 || shape.n == 1);
            assert_eq!(thin.count(), 4);
        }
    }
}
