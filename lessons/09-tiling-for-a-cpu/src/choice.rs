//! Which kernel, before the run: the instructions that each needs, counted.

use common::shape::Shape;
use runner::{Operand, Step};

/// The multiply-adds and loads of vectors that a step needs on a CPU, with those of
/// packing. Infinite where B is read as it lies: how many rows fall into one set of the
/// cache decides there, by a factor of five, and it would need the host's padding, which
/// is in nobody's time.
///
/// The two kinds are added up, as the lesson does for the width of its widest tile. An
/// element that is packed counts as one load and one store, and A's, which are moved one
/// by one, as often as a vector of B. From one block of K to the next the sums are stored
/// and loaded again.
pub fn cost(step: &Step, shape: Shape) -> f64 {
    if step.preparations.is_empty() {
        return f64::INFINITY;
    }
    let define = |name: &str| step.defines.iter().find(|(known, _)| known == name);
    let number = |name: &str| define(name).map_or(1, |(_, value)| *value);
    let (rows, vectors, width) = (number("ROWS"), number("VECTORS"), number("WIDTH"));
    let padded = step.padded(shape);
    let tiles = (padded.m / rows) * (padded.n / (vectors * width));
    let each_k = rows * vectors + rows + vectors;
    let blocks = match step.kernel.as_str() {
        "matmul_blocked" => shape.k.div_ceil(number("BLOCK_K")),
        _ => 1,
    };
    let again = 2 * rows * vectors * (blocks - 1);
    let packing = step.preparations.iter().map(|one| match one.operand {
        Operand::A => 2 * padded.m * padded.k,
        Operand::B => 2 * padded.k * padded.n / width,
    });
    (tiles * (each_k * shape.k + again) + packing.sum::<usize>()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use common::device::Limits;
    use common::element::Type;
    use common::matrix::Fill;
    use common::problem::Problem;
    use runner::choose;

    fn chosen(floats: usize, shape: Shape, ty: Type) -> Vec<String> {
        let limits = Limits {
            native_float_width: floats,
            compute_units: 2,
            ..Limits::default()
        };
        let problem = Problem::new(shape, ty, Fill::Count, 0);
        let steps = choose(steps(&problem, &limits), |step| cost(step, shape));
        let chosen = steps.iter().filter(|step| step.chosen);
        chosen.map(Step::name).collect()
    }

    #[test]
    fn the_fewest_instructions_win() {
        let chosen = |n, k| chosen(16, Shape { m: 64, n, k }, Type::Float);
        assert_eq!(chosen(480, 9), ["matmul_blocked wide"], "10 panels, not 15");
        let narrow = "of three vectors, C would waste more; then the plainest";
        assert_eq!(chosen(64, 9), ["matmul_packed_b"], "{narrow}");
        assert_eq!(chosen(1, 5000), ["matmul_packed_b"]);
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
