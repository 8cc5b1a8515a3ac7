//! Lesson 9: tiling for a CPU. The tile of sums in a CPU's registers, and A and B laid
//! out so that its caches work.

use std::process::ExitCode;

use common::Traffic;
use common::device::{Kind, Limits};
use common::element::Type;
use common::problem::Problem;
use common::shape::Shape;
use lesson::{Candidates, ChoiceFlags, Helper, Operand, Step, lesson_with};

fn main() -> ExitCode {
    let file = Some("09-tiling-for-a-cpu.cl");
    lesson_with(
        9,
        "tiling for a CPU",
        file,
        |lesson, flags: &ChoiceFlags| {
            let problem = lesson.problem()?;
            let session = lesson.session()?;
            let candidates = Candidates {
                steps: steps(&problem, &session.device.limits),
                told_by: &[],
                recording: "epyc.jsonl",
                suit: session.device.kind != Kind::Gpu,
            };
            flags.measure(lesson, &problem, candidates, |_| true)
        },
    )
}

/// Lanes of the vectors that lesson 8's kernels have.
const NARROW: usize = 4;
/// Items of a group that share a panel.
const GROUP: usize = 16;
/// Columns of a panel of A that one item packs.
const PACK_K: usize = 16;
/// Rows of a panel that are used by all tiles of an item before the next rows are.
const BLOCK_K: usize = 2048;

/// Rows or columns of C that are few: with more of them a tile pays.
const FEW_AT_MOST: usize = 128;

/// First the tile itself, wider and wider; then where its operands lie.
fn steps(problem: &Problem, limits: &Limits) -> Vec<Step> {
    let suiting = |vectors| {
        let tile = Tile::suiting(limits, problem.ty, vectors);
        tile.in_blocks(problem.shape, limits.compute_units)
    };
    let widest = Tile::vectors_for(limits, problem.ty, problem.shape.n);
    let [one, two, most] = [1, 2, widest].map(suiting);
    let mut steps = Vec::new();
    if one.width > NARROW {
        let narrow = Tile {
            width: NARROW,
            ..suiting(1)
        };
        steps.push(narrow.unpacked("sums in vectors of 4, no local memory"));
    }
    let unpacked = most.unpacked("as many sums as the registers hold");
    let packed_b = two
        .step("matmul_packed_b", "two vectors; B packed into panels")
        .helper(two.pack_b())
        .made_from(&unpacked.name());
    steps.extend([
        one.unpacked("sums in vectors as wide as the device's"),
        unpacked,
        packed_b,
        two.step("matmul_packed_ab", "A packed, too")
            .helper(two.pack_a())
            .helper(two.pack_b()),
        two.blocked("only B packed; many tiles per item, K in blocks")
            .made_from("matmul_packed_b"),
        most.blocked(match most.vectors {
            2 => "two vectors: of three, C would waste more",
            _ => "three vectors, fewer loads per multiply-add",
        })
        .variant("wide")
        .define("UNROLL", 4),
    ]);
    steps.extend(thin(&two, problem.shape));
    steps
}

/// The kernels for a C of few rows, or of few columns: with FEW sums side by side, no more
/// than a tile has rows.
fn thin(tile: &Tile, Shape { m, n, .. }: Shape) -> Vec<Step> {
    let strip = |few: usize| 2 * tile.rows / few;
    let (rows, columns) = (m.min(tile.rows), n.min(tile.rows));
    let step = |kernel, says, few, [high, wide]: [usize; 2]| {
        tile.step(kernel, says)
            .starts_anew()
            .exact_group([1, 1])
            .per_item([wide, high])
            .pad(high, wide, 1)
            .guarded()
            .define("FEW", few)
            .constant("STRIP", strip(few))
    };
    let wide = strip(rows) * tile.width;
    let mut steps = Vec::new();
    if m <= FEW_AT_MOST {
        let says = "few rows: B read once, as it lies";
        let traffic = Traffic::global("MP*K*NP/(STRIP*WIDTH) + K*N*MP/FEW", "M*N");
        steps.push(step("matmul_few_rows", says, rows, [rows, wide]).traffic(traffic));
    }
    if n <= FEW_AT_MOST {
        let says = "few columns: A read once, as it lies";
        let traffic = Traffic::global("MP*K*NP/FEW + K*NP*MP/STRIP", "M*N");
        let tall = [strip(columns), columns];
        steps.push(step("matmul_few_columns", says, columns, tall).traffic(traffic));
    }
    steps
}

/// The elements of C that one item keeps in registers: `rows` rows of `vectors`
/// vectors of `width` numbers. An item of the last kernel computes `tiles` of them.
struct Tile {
    width: usize,
    vectors: usize,
    rows: usize,
    tiles: usize,
}

impl Tile {
    /// Vectors as wide as the device's own. Eight rows of two, and the operands
    /// besides, take 19 registers; of three, 28. AVX-512 and ARM have 32; AVX2, whose
    /// vectors are those of 32 bytes, has 16, which is room for four rows.
    fn suiting(limits: &Limits, ty: Type, vectors: usize) -> Tile {
        let floats = limits.preferred_float_width.max(limits.native_float_width);
        let bytes = 4 * floats.clamp(4, 16);
        Tile {
            width: bytes / ty.size(),
            vectors,
            rows: if bytes == 32 { 4 } else { 8 },
            tiles: 1,
        }
    }

    /// Three, or two where that takes fewer multiply-adds and loads, because less of
    /// the last panel lies beyond C: counted for one row of tiles and one k. They are
    /// added up, since where that was measured a load costs time beside multiply-adds,
    /// even where nobody waits for it: it lowers the clock.
    fn vectors_for(limits: &Limits, ty: Type, columns: usize) -> usize {
        let operations = |vectors: usize| {
            let tile = Tile::suiting(limits, ty, vectors);
            let each = tile.rows * vectors + tile.rows + vectors;
            columns.div_ceil(tile.columns()) * each
        };
        if operations(2) < operations(3) { 2 } else { 3 }
    }

    /// Up to 128 tiles for one item, since each uses the panel that the first one
    /// brought into the cache; but so few that every compute unit gets at least 32
    /// items, which a driver can spread evenly. The items below one another get as many
    /// tiles each: a driver that hands out items by their number would give the whole
    /// ones to one thread, and what is left to another.
    fn in_blocks(self, s: Shape, units: usize) -> Tile {
        let down = s.m.div_ceil(self.rows);
        let panels = s.n.div_ceil(self.columns());
        let enough = |tiles: &usize| down.div_ceil(*tiles) * panels >= 32 * units;
        let most = [128, 64, 32, 16, 8, 4, 2].into_iter().find(enough);
        let items = down.div_ceil(most.unwrap_or(1));
        Tile {
            tiles: down.div_ceil(items),
            ..self
        }
    }

    /// Columns of a tile, and of a panel of B.
    fn columns(&self) -> usize {
        self.vectors * self.width
    }

    /// A kernel with one tile per item. All get the same macros, so that the file is
    /// built once.
    fn step(&self, kernel: &str, says: &str) -> Step {
        Step::new(kernel, says)
            .exact_group([1, GROUP])
            .per_item([self.columns(), self.rows])
            .pad(self.rows, self.columns(), 1)
            .define("WIDTH", self.width)
            .define("VECTORS", self.vectors)
            .define("ROWS", self.rows)
            .define("GROUP", GROUP)
            .define("PACK_K", PACK_K)
            .define("TILES", self.tiles)
            .define("BLOCK_K", BLOCK_K)
            .constant("PANEL", self.columns())
            .traffic(Traffic::global("MP*K*NP/PANEL + K*NP*MP/ROWS", "M*N"))
    }

    /// The kernel that reads A and B as they lie, on matrices that the host pads.
    fn unpacked(&self, says: &str) -> Step {
        self.step("matmul_register_tile_private", says)
            .variant(format!("{}x{}", self.rows, self.columns()))
            .pad(self.rows * GROUP, self.columns(), 1)
    }

    /// The kernel with many tiles per item.
    fn blocked(&self, says: &str) -> Step {
        self.step("matmul_blocked", says)
            .helper(self.pack_b())
            .exact_group([1, 1])
            .per_item([self.columns(), self.rows * self.tiles])
            .traffic(Traffic::global(
                "MP*K*NP/PANEL + K*NP*MP/ROWS + M*N*(ceil(K/BLOCK_K) - 1)",
                "M*N*ceil(K/BLOCK_K)",
            ))
    }

    /// Neighbouring items move neighbouring pieces of one row of B. Each moves little,
    /// so a group has many: a driver for CPUs takes its time for each group.
    fn pack_b(&self) -> Helper {
        Helper::new("pack_b", Operand::B)
            .group([16, 8])
            .per_item([self.columns(), 1])
            .traffic(Traffic::global("K*N", "K*NP"))
    }

    /// Neighbouring items move neighbouring pieces of the same rows of A.
    fn pack_a(&self) -> Helper {
        Helper::new("pack_a", Operand::A)
            .per_item([PACK_K, self.rows])
            .traffic(Traffic::global("M*K", "MP*K"))
    }
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
            let Tile { width, rows, .. } = Tile::suiting(limits, ty, 2);
            (width, rows)
        };
        assert_eq!(tile(&limits(16, 16), Type::Float), (16, 8));
        assert_eq!(tile(&limits(16, 16), Type::Double), (8, 8));
        assert_eq!(tile(&limits(1, 8), Type::Float), (8, 4), "AVX2");
        assert_eq!(tile(&limits(1, 1), Type::Double), (2, 8), "a GPU");
        assert_eq!(tile(&limits(0, 0), Type::Int), (4, 8), "it does not tell");
    }

    #[test]
    fn every_unit_gets_several_items() {
        let tile = || Tile::suiting(&limits(16, 16), Type::Float, 2);
        let tiles = |s, units| tile().in_blocks(s, units).tiles;
        assert_eq!(tiles(Shape::cube(4096), 2), 128);
        assert_eq!(tiles(Shape::cube(1024), 2), 64);
        assert_eq!(tiles(Shape::cube(16), 2), 1);
        let (m, n, k) = (264, 1100, 1);
        assert_eq!(tiles(Shape { m, n, k }, 2), 17, "33 tiles for two items");
    }

    #[test]
    fn a_third_vector_must_not_stick_out_of_c() {
        let limits = limits(16, 16);
        let vectors = |n| Tile::vectors_for(&limits, Type::Float, n);
        // Panels of 48 columns: 22, 1, 2; of 32 columns: 32, 2, 2.
        assert_eq!([1024, 48, 64].map(vectors), [3, 3, 2]);
    }
}
