//! The steps for a GPU: numbers are asked for before they are needed.

use common::device::Limits;
use common::element::Type;
use common::matrix::Shape;
use common::verify::Problem;
use common::{Operand, Preparation, Step, Traffic};

/// Items of a warp.
const WARP: usize = 32;
/// The side of the squares that a group packs.
const PACK: usize = 32;
/// The generation of NVIDIA's GPUs that was the first to have a copy engine for
/// local memory, as compute capability.
const HOPPER: usize = 9;

/// One step for each thing that the tile still waits for.
pub fn steps(problem: &Problem, limits: &Limits) -> Vec<Step> {
    let tile = Tile::suiting(problem.shape, limits.compute_units);
    let step = |kernel, says, order| tile.step(kernel, says, order, problem.ty);
    let lines = Order {
        warp_width: tile.items()[0],
        plough: 0,
    };
    let blocks = Order {
        warp_width: 8,
        plough: 0,
    };
    let ploughed = Order {
        plough: 1,
        ..blocks
    };
    let mut steps = vec![
        step(
            "matmul_prefetch",
            "the next tiles' loads start early",
            lines,
        )
        .traffic(copied("M*N*K/TN + M*N*K/TM", READ)),
        step("matmul_two_tiles", "two of each tile, one barrier", lines)
            .variant("lines")
            .traffic(copied(FETCHED, READ)),
        step("matmul_two_tiles", "a warp's items form a block", blocks)
            .variant("blocks")
            .traffic(copied(FETCHED, READ)),
        step("matmul_fragments", "local memory is read ahead", blocks)
            .variant("4x4")
            .traffic(copied(FETCHED, READ_AHEAD)),
        step(
            "matmul_fragments",
            "multiply-adds that share stand together",
            ploughed,
        )
        .variant("ploughed")
        .traffic(copied(FETCHED, READ_AHEAD)),
        packed(step(
            "matmul_packed_tiles",
            "A and B packed, tile after tile",
            ploughed,
        )),
        packed(step(
            "matmul_group_copy",
            "copies by the whole group",
            ploughed,
        )),
    ];
    if limits.nvidia_compute_capability >= HOPPER {
        let engine = step(
            "matmul_group_copy",
            "the same by NVIDIA's copy engine",
            ploughed,
        );
        let engine = engine.variant("hopper").define("HOPPER", 1);
        steps.push(packed(engine.vendor_specific()));
    }
    steps
}

/// How wide a warp stands in C, in items, and the order of the multiply-adds.
#[derive(Clone, Copy)]
struct Order {
    warp_width: usize,
    plough: usize,
}

/// The elements of C that a group computes, and those of one item: rows and columns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tile {
    group: [usize; 2],
    item: [usize; 2],
}

impl Tile {
    /// The largest tile of which there are enough for every compute unit, and of
    /// which not too much lies beyond C.
    fn suiting(s: Shape, units: usize) -> Tile {
        const fn tile(group: [usize; 2], item: [usize; 2]) -> Tile {
            Tile { group, item }
        }
        const SMALLEST: Tile = tile([32, 32], [4, 4]);
        let candidates = [tile([64, 128], [8, 8]), tile([64, 64], [8, 8])];
        let suits = |tile: &Tile| {
            let [high, wide] = tile.group;
            let groups = s.m.div_ceil(high) * s.n.div_ceil(wide);
            groups >= units && groups * high * wide <= 2 * s.m * s.n
        };
        candidates.into_iter().find(suits).unwrap_or(SMALLEST)
    }

    /// Items of a group, side by side and below one another.
    fn items(self) -> [usize; 2] {
        let Tile { group, item } = self;
        [group[1] / item[1], group[0] / item[0]]
    }

    /// A kernel on matrices that the host pads to whole tiles, as in lesson 8.
    fn step(self, kernel: &str, says: &str, order: Order, ty: Type) -> Step {
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
            .define("LX", order.warp_width)
            .define("LY", WARP / order.warp_width)
            .define("PLOUGH", order.plough)
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
    fn tiles_are_large_where_there_are_enough_of_them() {
        let group = |s, units| Tile::suiting(s, units).group;
        assert_eq!(group(Shape::cube(4096), 132), [64, 128]);
        assert_eq!(group(Shape::cube(1024), 132), [64, 64]);
        assert_eq!(group(Shape::cube(512), 132), [32, 32]);
        let flat = Shape {
            m: 37,
            n: 21,
            k: 35,
        };
        assert_eq!(group(flat, 1), [32, 32], "most of a tile would be zeros");
    }

    #[test]
    fn a_group_is_made_of_whole_warps() {
        for s in [Shape::cube(4096), Shape::cube(1024), Shape::cube(1)] {
            let [wide, high] = Tile::suiting(s, 132).items();
            assert_eq!((wide % 8, wide * high % WARP), (0, 0));
            assert_eq!(high % (WARP / wide), 0, "also as lines");
        }
    }
}
