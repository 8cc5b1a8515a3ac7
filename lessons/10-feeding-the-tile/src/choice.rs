//! Which kernel, before the run: the time that each should take, from the shape and the
//! device's limits alone. `pace` is what was measured for that.

mod pace;

use common::device::Limits;
use common::shape::Shape;
use lesson::{Operand, Step};

use pace::{pace_of, value};

/// Nanoseconds of the launch that adds shares up, and for an element of each share, which is
/// stored and loaded once: by fours, or one by one.
const ADDING: f64 = 5_500.0;
const SHARED_ELEMENT: f64 = 0.001;
const SHARED_ONE_BY_ONE: f64 = 0.004;
/// Nanoseconds until the groups of a wave have their first tiles, and have stored C.
const FILLING: f64 = 2_800.0;
const FILLING_PACKED: f64 = 4_000.0;
/// Nanoseconds of a launch, and of a packing kernel's launch with what it waits for.
const LAUNCH: f64 = 3_400.0;
const PACKING: f64 = 12_500.0;
/// Nanoseconds for an element that is packed: 8 bytes at 4 TB/s.
const PACKED_ELEMENT: f64 = 0.002;
/// Nanoseconds for each k of a group that computes a thin tile without tiling: so much
/// later some whole tile begins.
const THIN_TILE: f64 = 41.0;
/// Bytes of a tile's row or column: 16 floats, or 8 doubles.
const TILE_BYTES: usize = 64;

/// What to choose by: [`time`], and infinite where the copies of kernel 7 pass a register.
/// Its paces are not measured so, and it is no faster than kernel 6 then.
pub fn cost(step: &Step, shape: Shape, limits: &Limits) -> f64 {
    if step.kernel == "matmul_stages" && value(&step.defines, "AMPERE").is_none() {
        return f64::INFINITY;
    }
    time(step, shape, limits)
}

/// The time that a step should take, in nanoseconds; infinite where this device has no
/// room for its groups, where another kernel is always faster, and where the host would
/// pad: that work is in nobody's time, so it cannot be compared.
///
/// C is cut into tiles, a group for each. The busiest unit gets a whole number of them,
/// and works through them in waves of as many as find room. The last wave may hold fewer,
/// and then takes less time, though not in proportion: see [`Pace`].
pub fn time(step: &Step, shape: Shape, limits: &Limits) -> f64 {
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
    let groups = (rows / tile.m) * (columns / tile.n) * step.shares;
    let in_busiest = groups.div_ceil(limits.compute_units.max(1));
    let wave = |groups: usize| match groups {
        0 => 0.0,
        _ => pace.alone + (groups - 1) as f64 * pace.further,
    };
    let waves = (in_busiest / pace.room) as f64 * wave(pace.room) + wave(in_busiest % pace.room);
    let thin = constant("EDGE").map_or(0.0, |_| THIN_TILE);
    let depth = (padded.k / tile.k).div_ceil(step.shares) * tile.k;
    let filling = if packs(step) { FILLING_PACKED } else { FILLING };
    let filling = in_busiest.div_ceil(pace.room) as f64 * filling;
    (waves + thin) * depth as f64 + filling + helping(step, shape) + LAUNCH
}

fn packs(step: &Step) -> bool {
    step.helpers.iter().any(|one| one.operand != Operand::C)
}

/// The time of the kernels that run before this one, or after it.
fn helping(step: &Step, shape: Shape) -> f64 {
    let padded = step.padded(shape);
    let helping = step.helpers.iter().map(|one| match one.operand {
        Operand::C => {
            let element = match value(&step.defines, "WHOLE") {
                Some(1) => SHARED_ELEMENT,
                _ => SHARED_ONE_BY_ONE,
            };
            ADDING + (step.shares * shape.m * shape.n) as f64 * element
        }
        _ => {
            let elements: usize = one.operand.size(padded).iter().product();
            PACKING + elements as f64 * PACKED_ELEMENT
        }
    });
    helping.sum()
}

/// Whether a group of so many items, and its tiles of A and of B, find room.
fn has_room(step: &Step, limits: &Limits) -> bool {
    let Shape { m, n, .. } = step.multiples;
    // Unpacked, A is transposed on its way, and its rows are four numbers longer.
    let pad = if packs(step) { 0 } else { 4 };
    let pairs = value(&step.defines, "STAGES").unwrap_or(2);
    let tiles = pairs * TILE_BYTES * (m + pad + n);
    let items: usize = step.group.iter().product();
    items <= limits.max_work_group_size && tiles as u64 <= limits.local_mem_bytes
}

#[cfg(test)]
mod tests;
