//! How fast a GPU's unit gets through the tiles of each kernel.

use common::element::Type;
use common::shape::Shape;
use lesson::Step;

/// How a unit gets through a kernel's tiles: nanoseconds for each k with one group in it,
/// nanoseconds more for each further group beside that one, and the groups of a wave.
///
/// Measured on an H200 by this lesson, without the launches, the packing and the adding, at
/// the 24 shapes of `data/choice/h200.jsonl` and the 47 of `data/choice/h200-shares.jsonl`
/// and `data/choice/h200-stages.jsonl`. On another GPU the times differ; their order decides.
pub struct Pace {
    pub alone: f64,
    pub further: f64,
    pub room: usize,
}

const fn pace(alone: f64, further: f64, room: usize) -> Pace {
    Pace {
        alone,
        further,
        room,
    }
}

/// How much longer it takes where a load gets one number instead of four, and a copy.
const LOADED_ONE_BY_ONE: f64 = 1.12;
const COPIED_ONE_BY_ONE: f64 = 1.07;
/// Bytes of A and B that a unit has near: half of the H200's second-level cache.
const NEAR: usize = 25 << 20;

/// The paces of the kernels that are the fastest anywhere.
pub fn pace_of(step: &Step, shape: Shape) -> Option<Pace> {
    if ["matmul_shares", "matmul_stages"].contains(&step.kernel.as_str()) {
        return pace_of_unpacked(step);
    }
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

/// The paces of the kernels that read A and B as they are, by their tiles.
fn pace_of_unpacked(step: &Step) -> Option<Pace> {
    let Shape { m, n, .. } = step.multiples;
    let is_staged = step.kernel == "matmul_stages";
    let Pace {
        alone,
        further,
        room,
    } = match (is_staged, m, n) {
        (false, 128, 128) => pace(153.0, 20.0, 2),
        (false, 64, 64) => pace(53.0, 16.0, 4),
        (false, 32, 128) => pace(47.0, 17.0, 4),
        (false, 64, 32) => pace(28.0, 12.0, 8),
        (false, 32, 32) => pace(18.0, 7.3, 6),
        (true, 64, 128) => pace(53.0, 41.0, 5),
        (true, 64, 64) => pace(46.0, 19.5, 6),
        (true, 32, 128) => pace(50.5, 18.0, 6),
        (true, 64, 32) => pace(29.0, 12.5, 8),
        (true, 32, 32) => pace(18.0, 7.8, 12),
        _ => return None,
    };
    let slower = match value(&step.defines, "WHOLE") {
        Some(1) => 1.0,
        _ if is_staged => COPIED_ONE_BY_ONE,
        _ => LOADED_ONE_BY_ONE,
    };
    Some(pace(alone * slower, further * slower, room))
}

/// The value of this name, if it is there.
pub fn value(named: &[(String, usize)], name: &str) -> Option<usize> {
    let found = named.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| *value)
}
