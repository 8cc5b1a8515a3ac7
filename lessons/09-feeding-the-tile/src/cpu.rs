//! The steps for a CPU: its caches are fed by laying A and B out anew.

use common::device::Limits;
use common::element::Type;
use common::matrix::Shape;
use common::verify::Problem;
use common::{Operand, Preparation, Step, Traffic};

use crate::ablations;

/// Items of a group in the steps that share a panel within a group.
const GROUP: usize = 16;
/// Columns of a panel of A that one item packs.
const PACK_K: usize = 16;
/// Rows of a panel of B that stay in the cache while a block is computed.
const BLOCK_K: usize = 2048;

/// One step for each thing that lesson 8 still wastes.
pub fn steps(problem: &Problem, limits: &Limits) -> [Step; 4] {
    let tile = Tile::suiting(limits, problem.ty);
    let tiles = tiles_per_block(problem.shape, &tile, limits.compute_units);
    let Tile { rows, .. } = tile;
    let panel = tile.columns();
    [
        tile.step("matmul_unpacked", "lesson 8's: A and B as they lie")
            .exact_group([1, GROUP])
            .per_item([panel, rows])
            .pad(rows * GROUP, panel, 1)
            .traffic(Traffic::global("M*N*K/PANEL + M*N*K/ROWS", "M*N")),
        tile.step("matmul_packed_b", "B packed into panels")
            .ablations(ablations::PACKED_B)
            .exact_group([1, GROUP])
            .per_item([panel, rows])
            .pad(rows, panel, 1)
            .prepare(tile.pack_b())
            .traffic(Traffic::global("MP*K*NP/PANEL + K*NP*MP/ROWS", "M*N")),
        tile.step("matmul_packed_ab", "A packed, too")
            .ablations(ablations::PACKED_AB)
            .exact_group([1, GROUP])
            .per_item([panel, rows])
            .pad(rows, panel, 1)
            .prepare(tile.pack_a())
            .prepare(tile.pack_b())
            .traffic(Traffic::global("MP*K*NP/PANEL + K*NP*MP/ROWS", "M*N")),
        tile.step(
            "matmul_blocked",
            "B packed; K in blocks, many tiles per item",
        )
        .ablations(ablations::PACKED_B)
        .exact_group([1, 1])
        .per_item([panel, rows * tiles])
        .pad(rows, panel, 1)
        .define("TILES", tiles)
        .define("BLOCK_K", BLOCK_K)
        .prepare(tile.pack_b())
        .traffic(Traffic::global(
            "MP*K*NP/PANEL + K*NP*MP/ROWS + M*N*(ceil(K/BLOCK_K) - 1)",
            "M*N*ceil(K/BLOCK_K)",
        )),
    ]
}

/// The elements of C that one item keeps in registers: `rows` rows of `vectors`
/// vectors of `width` numbers.
struct Tile {
    width: usize,
    vectors: usize,
    rows: usize,
}

impl Tile {
    /// Vectors as wide as the device's own. Eight rows of two, and the operands
    /// besides, need 19 registers. AVX-512 and ARM have 32; AVX2, whose vectors
    /// are those with 32 bytes, has 16, which is room for four rows.
    fn suiting(limits: &Limits, ty: Type) -> Tile {
        let floats = limits.preferred_float_width.max(limits.native_float_width);
        let bytes = 4 * floats.clamp(4, 16);
        Tile {
            width: bytes / ty.size(),
            vectors: 2,
            rows: if bytes == 32 { 4 } else { 8 },
        }
    }

    fn columns(&self) -> usize {
        self.vectors * self.width
    }

    /// A kernel that is built for this tile.
    fn step(&self, kernel: &str, says: &str) -> Step {
        Step::new(kernel, says)
            .define("WIDTH", self.width)
            .define("VECTORS", self.vectors)
            .define("ROWS", self.rows)
            .define("GROUP", GROUP)
            .define("PACK_K", PACK_K)
            .constant("PANEL", self.columns())
    }

    /// Neighbouring items move neighbouring pieces of one row of B.
    fn pack_b(&self) -> Preparation {
        Preparation::new("pack_b", Operand::B)
            .per_item([self.columns(), 1])
            .traffic(Traffic::global("K*N", "K*NP"))
    }

    /// Neighbouring items move neighbouring pieces of the same rows of A.
    fn pack_a(&self) -> Preparation {
        Preparation::new("pack_a", Operand::A)
            .per_item([PACK_K, self.rows])
            .traffic(Traffic::global("M*K", "MP*K"))
    }
}

/// How many tiles an item computes with one panel: up to 64, but so few that every
/// compute unit gets at least four blocks, for a driver to spread them evenly.
fn tiles_per_block(s: Shape, tile: &Tile, units: usize) -> usize {
    let blocks = |tiles: usize| s.m.div_ceil(tile.rows * tiles) * s.n.div_ceil(tile.columns());
    let candidates = [64, 32, 16, 8, 4, 2];
    let enough = |tiles: &usize| blocks(*tiles) >= 4 * units;
    candidates.into_iter().find(enough).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(preferred: usize, native: usize) -> Limits {
        Limits {
            preferred_float_width: preferred,
            native_float_width: native,
            ..Limits::default()
        }
    }

    #[test]
    fn vectors_are_as_wide_as_those_of_the_device() {
        let tile = |limits: &Limits, ty| {
            let Tile { width, rows, .. } = Tile::suiting(limits, ty);
            (width, rows)
        };
        assert_eq!(tile(&limits(16, 16), Type::Float), (16, 8));
        assert_eq!(tile(&limits(16, 16), Type::Double), (8, 8));
        assert_eq!(tile(&limits(1, 8), Type::Float), (8, 4), "AVX2");
        assert_eq!(tile(&limits(1, 1), Type::Double), (2, 8), "a GPU");
        assert_eq!(tile(&limits(0, 0), Type::Int), (4, 8), "it does not tell");
    }

    #[test]
    fn every_unit_gets_blocks() {
        let tile = Tile::suiting(&limits(16, 16), Type::Float);
        let tiles = |s, units| tiles_per_block(s, &tile, units);
        assert_eq!(tiles(Shape::cube(4096), 2), 64);
        assert_eq!(tiles(Shape::cube(1024), 64), 16);
        assert_eq!(tiles(Shape::cube(16), 2), 1);
    }
}
