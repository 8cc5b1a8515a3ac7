//! Which kernel, before the run: the time that each should take, from the shape and the
//! device's limits alone.

use common::device::Limits;
use common::element::Type;
use common::shape::Shape;
use runner::Step;

/// How a unit gets through a kernel's tiles: nanoseconds for each k with one group in it,
/// nanoseconds more for each further group beside that one, and the groups that find room.
///
/// Measured on an H200 by this lesson, at 24 shapes; the launches and the packing are
/// taken off. On another GPU the times differ, and only their order matters.
struct Pace {
    alone: f64,
    further: f64,
    room: usize,
}

const fn pace(alone: f64, further: f64, room: usize) -> Pace {
    Pace {
        alone,
        further,
        room,
    }
}

/// Nanoseconds of a launch, and of a packing kernel's launch with what it waits for.
const LAUNCH: f64 = 4_000.0;
const PACKING: f64 = 12_500.0;
/// Nanoseconds for an element that is packed: 8 bytes at 4 TB/s.
const PACKED_ELEMENT: f64 = 0.002;
/// Nanoseconds for each k of a group that computes a thin tile without tiling. The last
/// groups begin so much later.
const THIN_TILE: f64 = 41.0;
/// Bytes of A and B that a unit has near: half of the H200's second-level cache.
const NEAR: usize = 25 << 20;

/// The time that a step should take, in nanoseconds; infinite where this device has no
/// room for its groups, where another kernel is always faster, and where the host would
/// pad: that work is in nobody's time, so it cannot be compared.
///
/// C is cut into tiles, a group for each. The busiest unit gets a whole number of them,
/// and works through them in waves of as many as find room. The last wave may hold fewer,
/// and then takes less time, though not in proportion: see [`Pace`].
pub fn cost(step: &Step, shape: Shape, limits: &Limits) -> f64 {
    if step.shape(shape) != shape || !has_room(step, limits) {
        return f64::INFINITY;
    }
    let Some(pace) = pace_of(step, shape) else {
        return f64::INFINITY;
    };
    let padded = step.padded(shape);
    let tile = step.multiples;
    let constant = |name: &str| value(&step.constants, name);
    let rows = constant("MT").unwrap_or(padded.m);
    let columns = constant("NT").unwrap_or(padded.n);
    let groups = (rows / tile.m) * (columns / tile.n);
    let in_busiest = groups.div_ceil(limits.compute_units.max(1));
    let wave = |groups: usize| match groups {
        0 => 0.0,
        _ => pace.alone + (groups - 1) as f64 * pace.further,
    };
    let waves = (in_busiest / pace.room) as f64 * wave(pace.room) + wave(in_busiest % pace.room);
    let thin = constant("EDGE").map_or(0.0, |_| THIN_TILE);
    let packing = step.preparations.iter().map(|one| {
        let elements: usize = one.operand.size(padded).iter().product();
        PACKING + elements as f64 * PACKED_ELEMENT
    });
    (waves + thin) * padded.k as f64 + packing.sum::<f64>() + LAUNCH
}

/// The paces of the kernels that are the fastest anywhere.
fn pace_of(step: &Step, shape: Shape) -> Option<Pace> {
    let Shape { m, n, k } = shape;
    let is_near = (m * k + k * n) * Type::Float.size() <= NEAR;
    let is_smallest = step.multiples.m == 32;
    Some(match (step.name().as_str(), is_smallest) {
        ("matmul_fragments serpentine", false) if is_near => pace(55.0, 40.0, 4),
        ("matmul_fragments serpentine", false) => pace(74.0, 34.0, 4),
        ("matmul_packed_tiles", false) => pace(59.0, 36.0, 4),
        ("matmul_packed_tiles large" | "matmul_packed_tiles thin", _) => pace(124.0, 33.0, 2),
        ("matmul_group_copy hopper", false) => pace(54.0, 34.0, 4),
        ("matmul_group_copy hopper large", _) => pace(130.0, 20.0, 2),
        ("matmul_group_copy hopper thin", _) => pace(139.0, 22.0, 2),
        ("matmul_two_tiles lines", true) => pace(30.0, 12.0, 16),
        ("matmul_packed_tiles", true) => pace(49.0, 5.0, 16),
        ("matmul_group_copy hopper", true) => pace(30.0, 5.0, 16),
        _ => return None,
    })
}

/// Whether a group of so many items, and two of its tiles of A and of B, find room.
fn has_room(step: &Step, limits: &Limits) -> bool {
    let Shape { m, n, k } = step.multiples;
    let tiles = 2 * k * (m + n) * Type::Float.size();
    let items: usize = step.group.iter().product();
    items <= limits.max_work_group_size && tiles as u64 <= limits.local_mem_bytes
}

fn value(named: &[(String, usize)], name: &str) -> Option<usize> {
    let found = named.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use common::matrix::Fill;
    use common::problem::Problem;
    use runner::choose;

    /// What an H200 tells of itself.
    fn h200() -> Limits {
        Limits {
            compute_units: 132,
            max_work_group_size: 1024,
            local_mem_bytes: 48 << 10,
            nvidia_compute_capability: 9,
            ..Limits::default()
        }
    }

    fn chosen(limits: &Limits, shape: Shape, ty: Type) -> Vec<String> {
        let problem = Problem::new(shape, ty, Fill::Count, 0);
        let steps = steps::steps(&problem, limits);
        let steps = choose(steps, |step| cost(step, shape, limits));
        let chosen = steps.iter().filter(|step| step.chosen);
        chosen.map(Step::name).collect()
    }

    #[test]
    fn the_shape_decides() {
        let chosen = |m, n, k| chosen(&h200(), Shape { m, n, k }, Type::Float);
        // Recorded on an H200: the fastest there, of those that pad in their own time.
        for (shape, kernel) in [
            ((640, 640, 640), "matmul_fragments serpentine"),
            ((900, 900, 32), "matmul_group_copy hopper"),
            ((900, 512, 900), "matmul_group_copy hopper"),
        ] {
            let (m, n, k) = shape;
            assert_eq!(chosen(m, n, k), [kernel], "{shape:?}");
        }
    }

    #[test]
    fn exactly_one_is_chosen_and_none_that_cannot_run() {
        let a_gpu = Limits {
            nvidia_compute_capability: 8,
            ..h200()
        };
        let a_cpu = Limits {
            compute_units: 2,
            max_work_group_size: 4096,
            local_mem_bytes: 512 << 10,
            ..Limits::default()
        };
        let small_groups = Limits {
            max_work_group_size: 64,
            ..h200()
        };
        let devices = [h200(), a_gpu, a_cpu];
        for ty in [Type::Float, Type::Double, Type::Int] {
            for (m, n, k) in [(1, 1, 1), (5, 300, 7), (128, 128, 64), (37, 21, 300)] {
                let shape = Shape { m, n, k };
                for limits in &devices {
                    let chosen = chosen(limits, shape, ty);
                    assert_eq!(chosen.len(), 1, "{shape} {ty:?} {limits:?}");
                    let is_hopper = chosen[0].contains("hopper");
                    assert!(limits.nvidia_compute_capability == 9 || !is_hopper);
                }
            }
            let shape = Shape::cube(128);
            assert_eq!(chosen(&small_groups, shape, ty), [""; 0], "{ty:?}");
        }
    }
}
