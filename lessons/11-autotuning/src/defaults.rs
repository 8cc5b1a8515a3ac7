//! Where the search begins: a shape for a device that nobody has tuned for,
//! from what the device says about itself.

use common::device::{Device, Kind};
use common::element::Type;
use common::shape::Shape;

use crate::point::{Family, Point};
use crate::space::Room;

/// A default of each family; the one that should suit the device comes last.
pub fn defaults(device: &Device, ty: Type, shape: Shape) -> [Point; 3] {
    // A GPU's compiler must unroll loops to keep arrays in registers. One that runs
    // the items of a group one after another keeps them in memory at every barrier
    // anyway, and does it better in loops.
    let unroll = if device.kind == Kind::Gpu { 16 } else { 1 };
    let units = device.limits.compute_units;
    let local = local(&Room::of(device, ty), units, shape, unroll);
    let private = private(device, ty, shape);
    let packed = packed(&private, units, shape);
    // Where local memory is a memory of its own, it answers many items at once.
    // Elsewhere, on CPUs, a tile in it is a copy from the cache to the cache.
    if device.limits.local_mem_dedicated || device.kind == Kind::Gpu {
        [packed, private, local]
    } else {
        [local, private, packed]
    }
}

/// 64 x 128 per group and 8 x 8 per item, the shape of lesson 8, made smaller
/// for three reasons.
fn local(room: &Room, compute_units: usize, shape: Shape, unroll: usize) -> Point {
    let (mut tm, mut tn) = (64, 128);
    // A tile larger than C computes zeros.
    while tm > 16 && tm / 2 >= shape.m {
        tm /= 2;
    }
    while tn > 16 && tn / 2 >= shape.n {
        tn /= 2;
    }
    // Fewer groups than two for each unit leave units idle.
    let groups = |tm, tn| shape.m.div_ceil(tm) * shape.n.div_ceil(tn);
    while tm * tn > 32 * 32 && groups(tm, tn) < 2 * compute_units {
        if tn > tm { tn /= 2 } else { tm /= 2 }
    }
    // A group must be allowed, and two should fit local memory, so that one can
    // compute while the other waits.
    let point = |tm: usize, tn: usize, tk: usize| Point {
        family: Family::Local,
        values: vec![tm, tn, tk, 8, 8, 4, 4, unroll],
    };
    let half = Room {
        local_bytes: room.local_bytes / 2,
        max_sides: room.max_sides.clone(),
        ..*room
    };
    // 16 floats of depth, or 8 doubles: 64 bytes, which is a cache line.
    let mut tk = 64 / room.element_bytes;
    while point(tm, tn, tk).broken_constraint(&half).is_some() && tk > 4 {
        tk /= 2;
    }
    while point(tm, tn, tk).broken_constraint(&half).is_some() && tm.max(tn) > 16 {
        if tn >= tm { tn /= 2 } else { tm /= 2 }
    }
    point(tm, tn, tk)
}

/// As many sums as the registers hold beside one row of B and one number of A.
fn private(device: &Device, ty: Type, shape: Shape) -> Point {
    let limits = &device.limits;
    let group = |most: usize| most.min(limits.max_work_group_size).max(1);
    let (lanes, vectors, rows, x, y) = if device.kind == Kind::Gpu {
        // Lanes are neighbouring items there: 16 of them read a row of vectors.
        (4, 1, 8, group(16), group(256) / group(16))
    } else {
        // The native width says how wide the registers are, in floats.
        let floats = limits.native_float_width.max(limits.preferred_float_width);
        let lanes = (floats.clamp(4, 16) * 4 / ty.size()).next_power_of_two();
        // With the widest comes a file of 32 (AVX-512); AVX2 and SSE have 16.
        let rows = if floats >= 16 { 8 } else { 4 };
        (lanes, 3, rows, 1, group(16))
    };
    // Rows of padding are computed like any other: an eighth is the most that a
    // tall group is worth. And every unit should find a group to run.
    let mut y = y.max(1);
    let down = |y: usize| shape.m.div_ceil(rows * y);
    let across = shape.n.div_ceil(lanes * vectors * x);
    let wasteful = |y: usize| down(y) * rows * y > shape.m.next_multiple_of(rows) * 9 / 8;
    while y > 1 && (wasteful(y) || down(y) * across < limits.compute_units) {
        y /= 2;
    }
    Point {
        family: Family::Private,
        values: vec![lanes, vectors, rows, x, y, 1],
    }
}

/// The same tile, and as many of them for each panel as leave every unit four
/// items or more, so that a driver can spread them evenly.
fn packed(private: &Point, compute_units: usize, shape: Shape) -> Point {
    let [lanes, vectors, rows] = ["LANES", "VECTORS", "ROWS"].map(|name| private.get(name));
    let across = shape.n.div_ceil(lanes * vectors);
    let mut tiles = 64;
    while tiles > 1 && shape.m.div_ceil(rows * tiles) * across < 4 * compute_units {
        tiles /= 2;
    }
    Point {
        family: Family::Packed,
        values: vec![lanes, vectors, rows, tiles, 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::tests::ROOM;

    #[test]
    fn the_local_default_fits_any_device() {
        for (max_group, kib, units) in [(1, 32, 1), (64, 16, 8), (256, 64, 40), (1024, 48, 132)] {
            for bytes in [4, 8] {
                let room = Room {
                    max_group,
                    local_bytes: kib << 10,
                    element_bytes: bytes,
                    sum_bytes: 512,
                    ..ROOM
                };
                for side in [1, 37, 512, 4096] {
                    let point = local(&room, units, Shape::cube(side), 1);
                    let broken = point.broken_constraint(&room);
                    let needs_more = max_group < 4;
                    assert!(broken.is_none() || needs_more, "{point}: {broken:?}");
                }
            }
        }
    }

    #[test]
    fn few_groups_make_smaller_tiles() {
        let tile = |side, units| {
            let point = local(&ROOM, units, Shape::cube(side), 16);
            point.get("TM") * point.get("TN")
        };
        assert_eq!(tile(4096, 132), 64 * 128);
        assert!(tile(1024, 132) < 64 * 128);
        assert_eq!(tile(1024, 8), 64 * 128);
    }
}
