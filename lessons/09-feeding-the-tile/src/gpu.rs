//! The steps for a GPU: numbers are asked for before they are needed.

mod ablations;

use common::device::Limits;
use common::element::Type;
use common::matrix::Shape;
use common::verify::Problem;
use common::{Operand, Preparation, Step, Traffic};

/// Items of a warp.
const WARP: usize = 32;
/// How many items a warp is wide, where it forms a block.
const BLOCK: usize = 8;
/// The side of the squares that a group packs.
const PACK: usize = 32;
/// The generation of NVIDIA's GPUs that was the first to have a copy engine for
/// local memory, as compute capability.
const HOPPER: usize = 9;

/// One step for each thing that the tile still waits for.
pub fn steps(problem: &Problem, limits: &Limits) -> Vec<Step> {
    let ty = problem.ty;
    let tile = match SMALL.suits(problem.shape) {
        true => SMALL,
        false => SMALLEST,
    };
    // As the items are numbered, a warp is as wide as the group.
    let as_lines = |kernel, says| tile.step(kernel, says, ty, tile.items()[0], 0);
    let as_blocks = |kernel, says| tile.step(kernel, says, ty, BLOCK, 0);
    let ploughed = |kernel, says| tile.step(kernel, says, ty, BLOCK, 1);
    let mut steps = vec![
        as_lines("matmul_prefetch", "the next tiles' loads start early")
            .traffic(copied("M*N*K/TN + M*N*K/TM", READ))
            .ablations(ablations::PREFETCH),
        as_lines("matmul_two_tiles", "two of each tile, one barrier")
            .variant("lines")
            .traffic(copied(FETCHED, READ))
            .ablations(ablations::TWO_TILES),
        as_blocks("matmul_two_tiles", "a warp's items form a block")
            .variant("blocks")
            .traffic(copied(FETCHED, READ)),
        as_blocks("matmul_fragments", "local memory is read ahead")
            .variant("4x4")
            .traffic(copied(FETCHED, READ_AHEAD)),
        ploughed(
            "matmul_fragments",
            "multiply-adds that share are neighbours",
        )
        .variant("ploughed")
        .traffic(copied(FETCHED, READ_AHEAD))
        .ablations(ablations::FRAGMENTS),
        packed(ploughed(
            "matmul_packed_tiles",
            "A and B packed, tile by tile",
        ))
        .ablations(ablations::PACKED_TILES),
        packed(ploughed(
            "matmul_packed_tiles",
            "groups in bands of 8 tiles",
        ))
        .variant("bands")
        .define("BAND", 8),
    ];
    // Twice the sums in an item; of doubles they would not find room.
    let large = Some(LARGE).filter(|tile| tile.suits(problem.shape) && ty != Type::Double);
    let large = large.map(|tile| {
        move |kernel, says| {
            let step = tile.step(kernel, says, ty, BLOCK, 1);
            packed(step.define("PUT_STEP", 12))
        }
    });
    if let Some(large) = &large {
        steps.push(
            large("matmul_packed_tiles", "8x16 elements per item")
                .variant("large")
                .ablations(ablations::PACKED_TILES),
        );
    }
    steps.push(
        packed(ploughed("matmul_group_copy", "copies by the whole group"))
            .ablations(ablations::GROUP_COPY),
    );
    if limits.nvidia_compute_capability >= HOPPER {
        let mut by_engine = |step: Step, variant| {
            let step = step
                .variant(variant)
                .define("HOPPER", 1)
                .ablations(ablations::GROUP_COPY);
            steps.push(step.vendor_specific());
        };
        let small = ploughed("matmul_group_copy", "by NVIDIA's copy engine");
        by_engine(packed(small), "hopper");
        if let Some(large) = &large {
            let large = large("matmul_group_copy", "8x16 elements per item");
            by_engine(large, "hopper large");
        }
    }
    steps
}

/// The elements of C that a group computes, and those of one item: rows and columns.
#[derive(Clone, Copy)]
struct Tile {
    group: [usize; 2],
    item: [usize; 2],
}

const LARGE: Tile = Tile {
    group: [128, 128],
    item: [8, 16],
};
const SMALL: Tile = Tile {
    group: [64, 128],
    item: [8, 8],
};
/// For matrices that are smaller than a tile.
const SMALLEST: Tile = Tile {
    group: [32, 32],
    item: [4, 4],
};

impl Tile {
    /// Whether at least half of what the groups compute lies within C.
    fn suits(self, s: Shape) -> bool {
        let [high, wide] = self.group;
        let padded = s.m.next_multiple_of(high) * s.n.next_multiple_of(wide);
        padded <= 2 * s.m * s.n
    }

    /// Items of a group, side by side and below one another.
    fn items(self) -> [usize; 2] {
        let Tile { group, item } = self;
        [group[1] / item[1], group[0] / item[0]]
    }

    /// A kernel on matrices that the host pads to whole tiles, as in lesson 8. A warp
    /// is `warp` items wide; `plough` is the order of the multiply-adds.
    fn step(self, kernel: &str, says: &str, ty: Type, warp: usize, plough: usize) -> Step {
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
            .define("PLOUGH", plough)
            .constant("PACK", PACK)
    }
}

/// The same with A and B packed by the device, which pads as well.
fn packed(step: Step) -> Step {
    let pack = |kernel, operand| {
        Preparation::new(kernel, operand)
            .group([PACK, 8])
            .per_item([1, 4])
    };
    let a = pack("pack_a_tiles", Operand::A)
        .traffic(Traffic::global("M*K", "MP*KP").local("MP*KP", "MP*PACK*ceil(K/PACK)"));
    let b = pack("pack_b_tiles", Operand::B).traffic(Traffic::global("K*N", "KP*NP"));
    let fetched = "MP*NP*(KP + TK)/TN + MP*NP*(KP + TK)/TM";
    let read = "MP*NP*(KP + 1)/RN + MP*NP*(KP + 1)/RM";
    step.prepare(a)
        .prepare(b)
        .traffic(Traffic::global(fetched, "M*N").local(read, fetched))
}

/// Each tile once, and the last one twice.
const FETCHED: &str = "M*N*(K + TK)/TN + M*N*(K + TK)/TM";
/// What the items read of the tiles.
const READ: &str = "M*N*K/RN + M*N*K/RM";
/// The same, and the first numbers of the tile after the last.
const READ_AHEAD: &str = "M*N*(K + 1)/RN + M*N*(K + 1)/RM";

/// What a kernel moves that fetches tiles, puts them into local memory, and reads them.
fn copied(put: &'static str, read: &'static str) -> Traffic {
    Traffic::global(FETCHED, "M*N").local(read, put)
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
            assert_eq!((wide % BLOCK, high % (WARP / BLOCK)), (0, 0));
            assert_eq!(high % (WARP / wide), 0, "also as lines");
        }
    }
}
