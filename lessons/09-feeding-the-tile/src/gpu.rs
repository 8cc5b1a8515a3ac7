//! The steps for a GPU: numbers are asked for before they are needed.

use common::device::Limits;
use common::element::Type;
use common::{Operand, Preparation, Step, Traffic};

/// Rows and columns of C that a group computes, and those of one item.
const TM: usize = 64;
const TN: usize = 128;
const RM: usize = 8;
const RN: usize = 8;
/// The side of the squares that a group packs.
const PACK: usize = 32;
/// The generation of NVIDIA's GPUs that was the first to have a copy engine for
/// local memory, as compute capability.
const HOPPER: usize = 9;

/// How the items of a warp stand, and the order of their multiply-adds.
#[derive(Clone, Copy)]
struct Order {
    warp: [usize; 2],
    plough: usize,
}

/// One step for each thing that the tile still waits for.
pub fn steps(ty: Type, limits: &Limits) -> Vec<Step> {
    let lines = Order {
        warp: [16, 2],
        plough: 0,
    };
    let blocks = Order {
        warp: [4, 8],
        ..lines
    };
    let ploughed = Order {
        plough: 1,
        ..blocks
    };
    let step = |kernel, says, order| step(kernel, says, order, ty);
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
            "neighbouring multiply-adds share",
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
        )
        .variant("hopper")
        .define("HOPPER", 1)
        .vendor_specific();
        steps.push(packed(engine));
    }
    steps
}

/// A kernel on matrices that the host pads to whole tiles, as in lesson 8.
fn step(kernel: &str, says: &str, order: Order, ty: Type) -> Step {
    // Numbers twice as wide need local memory for half as many.
    let depth = if ty == Type::Double { 8 } else { 16 };
    Step::new(kernel, says)
        .exact_group([TN / RN, TM / RM])
        .per_item([RN, RM])
        .pad(TM, TN, depth)
        .define("TM", TM)
        .define("TN", TN)
        .define("TK", depth)
        .define("RM", RM)
        .define("RN", RN)
        .define("LX", order.warp[0])
        .define("LY", order.warp[1])
        .define("PLOUGH", order.plough)
        .constant("PACK", PACK)
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
    let traffic =
        Traffic::global(fetched, "M*N").local("MP*NP*(KP + 1)/RN + MP*NP*(KP + 1)/RM", fetched);
    step.prepare(a).prepare(b).traffic(traffic)
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
