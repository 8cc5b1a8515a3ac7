//! Shapes that nobody can have tuned to: drawn from a seed.

use verify::shape::Shape;

/// Thirty different shapes, of no more multiply-adds than this each: six squares, four with a
/// single row or column; sides are as often between 16 and 32 as between 4096 and 8192.
pub fn thirty(seed: u64, most: f64) -> Vec<Shape> {
    let mut draw = Draw(seed);
    let mut shapes: Vec<Shape> = Vec::new();
    while shapes.len() < 30 {
        let [m, n, k] = [8192, 8192, 16384].map(|longest| draw.up_to(longest));
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
    /// From 16 on, evenly on a logarithmic scale.
    fn up_to(&mut self, longest: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (z ^ (z >> 31)) as f64 / u64::MAX as f64;
        (16.0 * (longest as f64 / 16.0).powf(share)) as usize
    }
}
