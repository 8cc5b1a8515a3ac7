//! Which kernel, before the run: the instructions that each needs, counted.

use common::shape::Shape;
use lesson::{Operand, Step};

/// What a step needs on a CPU, in instructions on whole vectors: the multiply-adds and
/// loads of its tiles, the count and the jump of each turn of the loop over k, and a load
/// and a store for what is packed, of A's elements one by one. The kinds are added up, as
/// [`Tile::vectors_for`](crate::Tile::vectors_for) does.
///
/// Infinite where B is read as it lies. How many of its rows fall into one set of the cache
/// decides there, by a factor of three; and the host pads, whose work is in nobody's time.
pub fn cost(step: &Step, shape: Shape) -> f64 {
    if step.helpers.is_empty() {
        return f64::INFINITY;
    }
    let define = |name: &str| step.defines.iter().find(|(known, _)| known == name);
    let number = |name: &str| define(name).map_or(1, |(_, value)| *value) as f64;
    let (rows, vectors, width) = (number("ROWS"), number("VECTORS"), number("WIDTH"));
    let Shape { m, n, k } = step.padded(shape);
    let [m, n, k] = [m, n, k].map(|length| length as f64);
    let tiles = m / rows * (n / (vectors * width));
    let turn = 2.0 / number("UNROLL");
    let packing = step.helpers.iter().map(|one| match one.operand {
        Operand::A => 2.0 * m * k,
        _ => 2.0 * k * n / width,
    });
    tiles * k * (rows * vectors + rows + vectors + turn) + packing.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use common::device::Limits;
    use common::element::Type;
    use common::matrix::Fill;
    use common::problem::Problem;
    use lesson::choose;

    /// Of a CPU whose vectors have so many floats.
    fn limits(floats: usize) -> Limits {
        Limits {
            native_float_width: floats,
            compute_units: 2,
            ..Limits::default()
        }
    }

    fn chosen(floats: usize, shape: Shape, ty: Type) -> Vec<String> {
        let limits = limits(floats);
        let problem = Problem::new(shape, ty, Fill::Count, 0);
        let steps = choose(steps(&problem, &limits), |step| cost(step, shape));
        let chosen = steps.iter().filter(|step| step.chosen);
        chosen.map(Step::name).collect()
    }

    #[test]
    fn the_fewest_instructions_win() {
        let shape = |n, k| Shape { m: 64, n, k };
        let (ten_panels, two) = (shape(480, 9), shape(64, 5000));
        for shape in [ten_panels, two, shape(1, 1)] {
            assert_eq!(chosen(16, shape, Type::Float), ["matmul_blocked wide"]);
        }
        let count = |name: &str, shape| {
            let limits = limits(16);
            let problem = Problem::new(shape, Type::Float, Fill::Count, 0);
            let steps = steps(&problem, &limits);
            let step = steps.iter().find(|step| step.name() == name);
            step.map(|step| cost(step, shape))
        };
        // 8 rows of tiles; 10 panels of 3 vectors, or 15 of 2.
        let wide = 80.0 * 9.0 * (24.0 + 8.0 + 3.0 + 0.5) + 2.0 * 9.0 * 30.0;
        assert_eq!(count("matmul_blocked wide", ten_panels), Some(wide));
        let two = 120.0 * 9.0 * (16.0 + 8.0 + 2.0 + 2.0) + 2.0 * 9.0 * 30.0;
        assert_eq!(count("matmul_packed_b", ten_panels), Some(two));
        let both = two + 2.0 * 64.0 * 9.0;
        assert_eq!(count("matmul_packed_ab", ten_panels), Some(both));
        let unpacked = count("matmul_register_tile_private 8x48", ten_panels);
        assert_eq!(unpacked, Some(f64::INFINITY));
    }

    #[test]
    fn exactly_one_is_chosen() {
        for ty in [Type::Float, Type::Double, Type::Int] {
            for (m, n, k) in [(1, 1, 1), (5, 300, 7), (64, 96, 64), (37, 21, 300)] {
                for floats in [0, 4, 8, 16] {
                    let chosen = chosen(floats, Shape { m, n, k }, ty);
                    assert_eq!(chosen.len(), 1, "{m}x{n}x{k} {ty:?} {floats}");
                }
            }
        }
    }
}
