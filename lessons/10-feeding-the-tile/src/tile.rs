//! The tiles of C: what a group computes, and what an item does of it.

use common::device::Limits;
use common::element::Type;
use common::shape::Shape;
use lesson::Step;

/// Bytes of a tile's row or column: 16 floats, or 8 doubles.
const TILE_BYTES: usize = 64;
/// Items of a warp.
const WARP: usize = 32;
/// The side of the squares that a group packs.
pub const PACK: usize = 32;

/// The elements of C that a group computes, and those of one item: rows and columns.
#[derive(Clone, Copy)]
pub struct Tile {
    pub group: [usize; 2],
    pub item: [usize; 2],
}

pub const LARGE: Tile = Tile {
    group: [128, 128],
    item: [8, 16],
};
pub const SMALL: Tile = Tile {
    group: [64, 128],
    item: [8, 8],
};
/// For matrices that are smaller than a tile.
pub const SMALLEST: Tile = Tile {
    group: [32, 32],
    item: [4, 4],
};

const SQUARE: Tile = Tile {
    group: [64, 64],
    item: [8, 8],
};
const FLAT: Tile = Tile {
    group: [32, 128],
    item: [8, 8],
};
const HIGH: Tile = Tile {
    group: [64, 32],
    item: [8, 4],
};

/// Tiles for a C of any size, of operands that nobody packs.
pub const GUARDED: [Tile; 5] = [LARGE, SQUARE, FLAT, HIGH, SMALLEST];
/// The same where more than two pairs of tiles must find room in local memory.
pub const STAGED: [Tile; 5] = [SMALL, SQUARE, FLAT, HIGH, SMALLEST];

impl Tile {
    /// Whether the sums of an item find no room in its registers.
    pub fn is_large_for(self, ty: Type) -> bool {
        self.item == LARGE.item && ty == Type::Double
    }

    /// Whether at least half of what the groups compute lies within C.
    pub fn suits(self, s: Shape) -> bool {
        self.padded(s) <= 2 * s.m * s.n
    }

    /// The elements that the groups compute.
    pub fn padded(self, s: Shape) -> usize {
        let [high, wide] = self.group;
        s.m.next_multiple_of(high) * s.n.next_multiple_of(wide)
    }

    /// Items of a group, side by side and below one another.
    pub fn items(self) -> [usize; 2] {
        let Tile { group, item } = self;
        [group[1] / item[1], group[0] / item[0]]
    }

    /// A kernel on matrices that the host pads to whole tiles, as in lesson 8. A warp
    /// is `warp` items wide; `serpentine` is the order of the multiply-adds.
    pub fn step(self, kernel: &str, says: &str, ty: Type, warp: usize, serpentine: usize) -> Step {
        let Tile {
            group: [tm, tn],
            item: [rm, rn],
        } = self;
        // Numbers twice as wide need local memory for half as many.
        let depth = if ty == Type::Double { 8 } else { 16 };
        Step::new(kernel, says)
            .exact_group(self.items())
            .per_item([rn, rm])
            .pad(tm, tn, depth)
            .define("TM", tm)
            .define("TN", tn)
            .define("TK", depth)
            .define("RM", rm)
            .define("RN", rn)
            .define("LX", warp)
            .define("LY", WARP / warp)
            .define("SERPENTINE", serpentine)
            .constant("PACK", PACK)
    }
}

/// Whether a group of so many items, and its tiles of A and of B, find room.
pub fn has_room(step: &Step, limits: &Limits) -> bool {
    let Shape { m, n, .. } = step.multiples;
    // Unpacked, A is transposed on its way, and its rows are four numbers longer.
    let pad = if step.shares > 1 || step.helpers.is_empty() {
        4
    } else {
        0
    };
    let defined = |name: &str| step.defines.iter().find(|(known, _)| known == name);
    let pairs = defined("STAGES").map_or(2, |(_, pairs)| *pairs);
    let tiles = pairs * TILE_BYTES * (m + pad + n);
    let items: usize = step.group.iter().product();
    items <= limits.max_work_group_size && tiles as u64 <= limits.local_mem_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_that_lies_mostly_beyond_c_does_not_suit() {
        let shape = |m, n| Shape { m, n, k: 1 };
        assert!(SMALL.suits(shape(1024, 1024)) && LARGE.suits(shape(4097, 4097)));
        assert!(SMALL.suits(shape(64, 64)), "half of it");
        assert!(!SMALL.suits(shape(37, 21)));
    }

    #[test]
    fn a_group_is_made_of_whole_warps() {
        for tile in [LARGE, SMALL, SMALLEST] {
            let [wide, high] = tile.items();
            assert_eq!((wide % 8, high % 4), (0, 0), "as blocks");
            assert_eq!(high % (WARP / wide), 0, "also as lines");
        }
    }
}
