//! The steps: each asks for its operands earlier, or moves them with less work.

use common::Traffic;
use common::device::Limits;
use common::element::Type;
use common::shape::Shape;
use lesson::{Helper, Operand, Step};

use crate::tile::{GUARDED, LARGE, PACK, SMALL, SMALLEST, STAGED, Tile};

/// How many items a warp is wide, where it forms a block.
const BLOCK: usize = 8;
/// Rows or columns of a tile that are computed without tiling.
const THIN: usize = 8;
/// Items that share a sum, in a group of as many such sums, and the rows or columns of C that
/// are few: with more of them a tile pays.
const LANES: usize = 16;
const FEW_AT_MOST: usize = 128;
/// How many shares a sum may have.
const SHARES: [usize; 11] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
/// Pairs of tiles in local memory, all but one of them under way.
const STAGES: usize = 3;
/// The generation of NVIDIA's GPUs that was the first to load into local memory.
const AMPERE: usize = 8;
/// The generation of NVIDIA's GPUs that was the first to have a copy engine for
/// local memory, as compute capability.
const HOPPER: usize = 9;

/// The macros by which launches of one name are told apart.
pub const TOLD_BY: [&str; 3] = ["SHARES", "TM", "TN"];

/// One step for each thing that the tile still waits for; of some steps many launches.
pub fn candidates(shape: Shape, ty: Type, limits: &Limits) -> Vec<Step> {
    let tile = if SMALL.suits(shape) { SMALL } else { SMALLEST };
    let mut steps = Vec::from(asked_early(tile, ty));
    steps.extend(packed_tiles(tile, shape, ty));
    steps.extend(group_copies(tile, shape, ty, limits));
    let shares = |shares, tile| in_shares(tile, shape, ty, shares);
    steps.extend(whole_and_cut(GUARDED, shares, shape, ty, limits));
    let stages = |shares, tile| in_stages(tile, shape, ty, shares, limits);
    steps.extend(whole_and_cut(STAGED, stages, shape, ty, limits));
    steps.extend(by_lanes(shape));
    steps
}

/// The steps on matrices that the host pads: when a number is asked for.
fn asked_early(tile: Tile, ty: Type) -> [Step; 5] {
    // As the items are numbered, a warp is as wide as the group.
    let lines = tile.items()[0];
    let step = |kernel, says, warp, serpentine| tile.step(kernel, says, ty, warp, serpentine);
    [
        step(
            "matmul_prefetch",
            "the next tiles' loads start early",
            lines,
            0,
        )
        .starts_anew()
        .traffic(copied("M*N*K/TN + M*N*K/TM", READ)),
        step(
            "matmul_two_tiles",
            "two of each tile, one barrier",
            lines,
            0,
        )
        .variant("lines")
        .traffic(copied(FETCHED, READ)),
        step("matmul_two_tiles", "a warp's items form a block", BLOCK, 0)
            .variant("blocks")
            .traffic(copied(FETCHED, READ)),
        step("matmul_fragments", "local memory is read ahead", BLOCK, 0)
            .variant("4x4")
            .traffic(copied(FETCHED, READ_AHEAD)),
        step(
            "matmul_fragments",
            "multiply-adds that share are neighbours",
            BLOCK,
            1,
        )
        .variant("serpentine")
        .traffic(copied(FETCHED, READ_AHEAD)),
    ]
}

/// The steps on operands that the device packs.
fn packed_tiles(tile: Tile, shape: Shape, ty: Type) -> Vec<Step> {
    let kernel = "matmul_packed_tiles";
    let small = |says| packed(tile.step(kernel, says, ty, BLOCK, 1));
    let mut steps = vec![small("A and B packed, tile by tile")];
    steps.extend(larger(kernel, shape, ty));
    steps.push(
        small("groups swizzled: bands of 8 tiles")
            .variant("swizzled")
            .define("SWIZZLE", 8)
            .made_from(kernel),
    );
    steps
}

/// The steps in which no item carries a number into local memory.
fn group_copies(tile: Tile, shape: Shape, ty: Type, limits: &Limits) -> Vec<Step> {
    let kernel = "matmul_group_copy";
    let small = |says| packed(tile.step(kernel, says, ty, BLOCK, 1));
    let by_group = small("copies by the whole group").made_from("matmul_packed_tiles");
    let mut steps = vec![by_group];
    if limits.nvidia_compute_capability >= HOPPER {
        let mut by_engine = vec![small("by NVIDIA's copy engine")];
        by_engine.extend(larger(kernel, shape, ty));
        steps.extend(by_engine.into_iter().map(|step| {
            let variant = format!("hopper {}", step.variant);
            let step = step.variant(variant.trim_end()).define("HOPPER", 1);
            step.vendor_specific()
        }));
    }
    steps
}

/// Twice the sums in an item, in tiles that C suits, and with a thin edge computed apart;
/// of doubles the sums would not find room.
fn larger(kernel: &str, shape: Shape, ty: Type) -> Vec<Step> {
    let mut steps = Vec::new();
    if LARGE.is_large_for(ty) {
        return steps;
    }
    let large = |says| {
        let step = LARGE.step(kernel, says, ty, BLOCK, 1);
        packed(step).define("PUT_STEP", 12)
    };
    if LARGE.suits(shape) {
        steps.push(large("8x16 elements per item").variant("large"));
    }
    if let Some(edge) = Edge::of(shape) {
        let step = large("8x16, thin tiles without tiling").variant("thin");
        steps.push(edge.computed_apart(step));
    }
    steps
}

/// The launches of a kernel that reads A and B as they are: each sum whole, and in shares, in
/// every tile. Of each the fastest at the nearest shape comes into the table.
fn whole_and_cut(
    tiles: [Tile; 5],
    step: impl Fn(usize, Tile) -> Step,
    shape: Shape,
    ty: Type,
    limits: &Limits,
) -> Vec<Step> {
    let mut tiles = Vec::from(tiles);
    tiles.retain(|tile| !tile.is_large_for(ty));
    // Where nothing is known, the first: of least work beyond C.
    tiles.sort_by_key(|tile| tile.padded(shape));
    let whole = tiles.iter().map(|tile| step(1, *tile).starts_anew());
    let cut = tiles.iter().flat_map(|tile| {
        let [high, wide] = tile.group;
        let groups = shape.m.div_ceil(high) * shape.n.div_ceil(wide);
        // More groups than a unit has room for only wait for one another.
        let most = (32 * limits.compute_units / groups).min(shape.k.div_ceil(8));
        let shares = SHARES.iter().filter(move |shares| **shares <= most.max(2));
        shares.map(|shares| step(*shares, *tile))
    });
    whole.chain(cut).collect()
}

/// A kernel on matrices as they are, which cuts each sum into `shares`.
pub fn in_shares(tile: Tile, shape: Shape, ty: Type, shares: usize) -> Step {
    let [high, wide] = tile.group;
    let says = match shares {
        1 => format!("A and B as they are, tiles of {high}x{wide}"),
        _ => format!("sums in {shares} shares, tiles of {high}x{wide}"),
    };
    let warp = tile.items()[0].min(BLOCK);
    let is_whole = shape.n.is_multiple_of(4) && shape.k.is_multiple_of(4);
    let step = tile.step("matmul_shares", &says, ty, warp, 1);
    let step = step.variant(if shares == 1 { "whole" } else { "cut" });
    let fetched = "MP*NP*(KP + SHARES*TK)/TN + MP*NP*(KP + SHARES*TK)/TM";
    let read = "MP*NP*(KP + SHARES)/RN + MP*NP*(KP + SHARES)/RM";
    let step = step
        .guarded()
        .define("SHARES", shares)
        .define("WHOLE", usize::from(is_whole))
        .traffic(Traffic::global(fetched, "SHARES*M*N").local(read, fetched));
    if shares == 1 {
        return step;
    }
    let sum = Helper::new("sum_shares", Operand::C)
        .group([32, 8])
        .per_item([if is_whole { 4 } else { 1 }, 1])
        .traffic(Traffic::global("SHARES*M*N", "M*N"));
    step.shares(shares, sum)
}

/// The same with several pairs of tiles under way.
pub fn in_stages(tile: Tile, shape: Shape, ty: Type, shares: usize, limits: &Limits) -> Step {
    let mut step = in_shares(tile, shape, ty, shares).define("STAGES", STAGES);
    step.kernel = "matmul_stages".into();
    let put = "MP*NP*KP/TN + MP*NP*KP/TM";
    let read = "MP*NP*(KP + SHARES)/RN + MP*NP*(KP + SHARES)/RM";
    let loads = Traffic::global("M*K*NP/TN + K*N*MP/TM", "SHARES*M*N");
    step = step.traffic(loads.local(read, put));
    if limits.nvidia_compute_capability < AMPERE {
        return step;
    }
    let variant = format!("ampere {}", step.variant);
    step.variant(variant).define("AMPERE", 1).vendor_specific()
}

/// The kernels for a C of few rows, or of few columns, whose sums are shared by lanes.
fn by_lanes(Shape { m, n, .. }: Shape) -> Vec<Step> {
    let step = |kernel, says, few: usize, loads| {
        let traffic = Traffic::global(loads, "M*N").local("M*N*LANES", "MP*NP*FEW");
        Step::new(kernel, says)
            .starts_anew()
            .exact_group([LANES, LANES])
            .pad(LANES, LANES, 1)
            .guarded()
            .define("FEW", few.min(LANES))
            .constant("LANES", LANES)
            .traffic(traffic)
    };
    let rows = step(
        "matmul_rows_by_lanes",
        "few rows: B read once, as it lies",
        m,
        "NP*K*(1 + FEW)*MP/LANES",
    );
    let columns = step(
        "matmul_columns_by_lanes",
        "few columns: A read once, as it lies",
        n,
        "MP*K*(1 + FEW)*NP/LANES",
    );
    let few = [(m, rows), (n, columns)].into_iter();
    let few = few.filter(|(length, _)| *length <= FEW_AT_MOST);
    few.map(|(_, step)| step).collect()
}

/// What is left of C beside whole tiles of the large kind, where that is at most
/// `THIN` rows, or columns.
struct Edge {
    /// Rows and columns of C that are computed in tiles.
    tiled: [usize; 2],
    /// Items that compute the rest, each a piece of a row or of a column.
    items: usize,
}

impl Edge {
    /// The edge, if it is thin, and most of the other tiles lies within C.
    fn of(Shape { m, n, .. }: Shape) -> Option<Edge> {
        let tiled = |length: usize, tile| match length % tile {
            rest @ 1..=THIN => length - rest,
            _ => length.next_multiple_of(tile),
        };
        let [high, wide] = LARGE.group;
        let tiled = [tiled(m, high), tiled(n, wide)];
        let below = if tiled[0] < m { n } else { 0 };
        let beside = if tiled[1] < n { m.min(tiled[0]) } else { 0 };
        let items = below + beside;
        let suits = tiled[0] * tiled[1] <= 2 * m * n;
        (items > 0 && suits).then_some(Edge { tiled, items })
    }

    fn computed_apart(&self, step: Step) -> Step {
        let fetched = "MT*NT*(KP + TK)/TN + MT*NT*(KP + TK)/TM";
        let read = "MT*NT*(KP + 1)/RN + MT*NT*(KP + 1)/RM";
        let loads = "MT*NT*(KP + TK)/TN + MT*NT*(KP + TK)/TM + EDGE*KP*(1 + THIN)";
        step.define("THIN", THIN)
            .constant("MT", self.tiled[0])
            .constant("NT", self.tiled[1])
            .constant("EDGE", self.items)
            .traffic(Traffic::global(loads, "M*N").local(read, fetched))
    }
}

/// The same with A and B packed by the device, which pads as well.
fn packed(step: Step) -> Step {
    let pack = |kernel, operand| {
        Helper::new(kernel, operand)
            .group([PACK, 8])
            .per_item([1, 4])
    };
    let a = pack("pack_a_tiles", Operand::A)
        .traffic(Traffic::global("M*K", "MP*KP").local("MP*KP", "MP*PACK*ceil(K/PACK)"));
    let b = pack("pack_b_tiles", Operand::B).traffic(Traffic::global("K*N", "KP*NP"));
    let fetched = "MP*NP*(KP + TK)/TN + MP*NP*(KP + TK)/TM";
    let read = "MP*NP*(KP + 1)/RN + MP*NP*(KP + 1)/RM";
    step.helper(a)
        .helper(b)
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
    fn an_edge_is_thin_or_there_is_none() {
        let edge = |m, n| {
            let shape = Shape { m, n, k: 1 };
            Edge::of(shape).map(|edge| (edge.tiled, edge.items))
        };
        assert_eq!(edge(4097, 4097), Some(([4096, 4096], 4097 + 4096)));
        assert_eq!(edge(136, 200), Some(([128, 256], 200)), "below");
        assert_eq!(edge(250, 257), Some(([256, 256], 250)), "beside");
        assert_eq!(edge(4096, 4096), None);
        assert_eq!(edge(4105, 4095), None, "nine rows are worth a tile");
        assert_eq!(edge(5, 300), Some(([0, 384], 300)), "nothing else");
        assert_eq!(edge(20, 20), None);
    }
}
