//! Where the search begins: a shape for a device that nobody has tuned for, from what the
//! device says about itself.

use common::device::{Device, Kind};
use common::element::Type;
use common::shape::Shape;

use crate::space::{Point, Room};

/// A default of each family; the one that should suit the device comes last.
pub fn defaults(device: &Device, ty: Type, shape: Shape) -> [Point; 3] {
    let limits = &device.limits;
    let is_gpu = device.kind == Kind::Gpu;
    let units = limits.compute_units;
    // A GPU's compiler must unroll loops to keep arrays in registers. One that runs
    // the items of a group one after another keeps them in memory at every barrier
    // anyway, and does it better in loops.
    let unroll = if is_gpu { 16 } else { 1 };
    let local = local(&Room::of(device, ty), units, shape, unroll);
    // As many sums as the registers hold beside one row of B and one number of A.
    let most = limits.max_work_group_size.max(1);
    let (lanes, vectors, rows, x, y) = if is_gpu {
        // Lanes are neighbouring items there: 16 of them read a row of vectors.
        (4, 1, 8, most.min(16), most.min(256) / most.min(16))
    } else {
        // The native width says how wide the registers are, in floats. With the widest
        // comes a file of 32 (AVX-512); AVX2 and SSE have 16.
        let floats = limits.native_float_width.max(limits.preferred_float_width);
        let lanes = (floats.clamp(4, 16) * 4 / ty.size()).next_power_of_two();
        (lanes, 3, if floats >= 16 { 8 } else { 4 }, 1, most.min(16))
    };
    let down = |rows: usize| shape.m.div_ceil(rows);
    let across = |columns: usize| shape.n.div_ceil(columns);
    // Rows of padding are computed like any other: an eighth is the most that a tall
    // group is worth. And every unit should find a group to run.
    let suits = |y: &usize| {
        let high = rows * y;
        let is_wasteful = down(high) * high > shape.m.next_multiple_of(rows) * 9 / 8;
        !is_wasteful && down(high) * across(lanes * vectors * x) >= units
    };
    let y = halves(y).find(suits).unwrap_or(1);
    // With panels, as many tiles for each as leave every unit four items or more, so that
    // a driver can spread them evenly.
    let suits = |tiles: &usize| down(rows * tiles) * across(lanes * vectors) >= 4 * units;
    let tiles = halves(64).find(suits).unwrap_or(1);
    let point = |family, values: &[usize]| Point {
        family,
        values: values.into(),
    };
    let private = point(1, &[lanes, vectors, rows, x, y, 1]);
    let packed = point(2, &[lanes, vectors, rows, tiles, 1]);
    // Where local memory is a memory of its own, it answers many items at once.
    // Elsewhere, on CPUs, a tile in it is a copy from the cache to the cache.
    if limits.local_mem_dedicated || is_gpu {
        [packed, private, local]
    } else {
        [local, private, packed]
    }
}

/// This number, a half of it, a quarter ... to 1.
fn halves(from: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(from.max(1)), |n| (*n > 1).then_some(n / 2))
}

/// 64 x 128 per group and 8 x 8 per item, the shape of lesson 8; or the first smaller one
/// that leaves every unit two groups, and of which two fit local memory, so that one can
/// compute while the other waits.
fn local(room: &Room, units: usize, shape: Shape, unroll: usize) -> Point {
    let half = |(name, value): (&'static str, usize)| match name {
        "LOCAL" => (name, value / 2),
        _ => (name, value),
    };
    let bytes = room.get("BYTES").unwrap_or(4);
    let half = Room(room.0.iter().copied().map(half).collect());
    // A tile larger than C computes zeros.
    let within = |most: usize, length: usize| {
        let is_small = |side: &usize| *side <= 16 || side / 2 < length;
        halves(most).find(is_small).unwrap_or(16)
    };
    let tiles = [(64, 128), (64, 64), (32, 64), (32, 32), (16, 32), (16, 16)];
    let tiles = tiles.map(|(tm, tn)| (within(tm, shape.m), within(tn, shape.n)));
    let groups = |tm: usize, tn: usize| shape.m.div_ceil(tm) * shape.n.div_ceil(tn);
    let is_busy = |tm, tn| tm * tn <= 32 * 32 || groups(tm, tn) >= 2 * units;
    // 16 floats of depth, or 8 doubles: 64 bytes, which is a cache line.
    let depths = || halves(64 / bytes).filter(|tk| *tk >= 4);
    let points = tiles
        .iter()
        .filter(|(tm, tn)| is_busy(*tm, *tn))
        .flat_map(|(tm, tn)| {
            depths().map(|tk| Point {
                family: 0,
                values: vec![*tm, *tn, tk, 8, 8, 4, 4, unroll],
            })
        });
    let mut points: Vec<Point> = points.collect();
    let fits = points.iter().position(|point| point.suits(&half));
    points.swap_remove(fits.unwrap_or(points.len() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::tests::room;

    #[test]
    fn the_local_default_fits_any_device() {
        for (max_group, kib, units) in [(1, 32, 1), (64, 16, 8), (256, 64, 40), (1024, 48, 132)] {
            for bytes in [4, 8] {
                let changes = [("GROUP", max_group), ("LOCAL", kib << 10), ("BYTES", bytes)];
                let room = room(&changes);
                for side in [1, 37, 512, 4096] {
                    let point = local(&room, units, Shape::cube(side), 1);
                    assert!(point.suits(&room) || max_group < 4, "{point}");
                }
            }
        }
    }

    #[test]
    fn few_groups_make_smaller_tiles() {
        let tile = |side, units| {
            let point = local(&room(&[]), units, Shape::cube(side), 16);
            point.values[0] * point.values[1]
        };
        assert_eq!(tile(4096, 132), 64 * 128);
        assert!(tile(1024, 132) < 64 * 128);
        assert_eq!(tile(1024, 8), 64 * 128);
    }
}
