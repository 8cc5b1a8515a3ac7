//! Where a mutant is run: the shapes for each kernel, and how each is run.

use process::lessons::Lesson;

/// A shape, and how it is run.
pub type Place = (&'static str, Stage);

/// How a mutant is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    /// By the simulator, as quickly as it goes. It interprets a kernel, and so is
    /// done with a small shape before a driver has compiled it: most mutants end here.
    Quick,
    /// By the simulator, with all that it can see.
    Thorough,
    /// By a driver.
    Device,
    /// By a GPU's driver, where there is one: the slowest to build, and so the last.
    Gpu,
}

/// Partial groups and tiles in all directions; sums in two pieces; several groups,
/// also of the largest tiles.
const SHAPES: &[&str] = &["37x91x53", "5x6x1030", "130x260x35"];
/// For kernels on padded matrices: several groups of full tiles as well. What a kernel
/// leaves out at the end of a padded matrix, nobody sees.
const PADDED: &[&str] = &["256x384x35", "37x91x53"];

/// The runs that a mutant must survive, the cheap ones first.
pub fn places(lesson: &Lesson, kernel: &str) -> Vec<Place> {
    let own_sizes = kernel.starts_with("copy");
    // 1025: one element more than the pieces in which lessons 5 to 7 take a sum, and
    // than any tile. 1024: exactly one piece, and full tiles.
    let (quick, thorough, device): (&[_], &[_], &[_]) = match lesson.number {
        // Several groups of float4 with three floats behind them; whole ones.
        2 => (&["303"], &["1303", "1000"], &["1303"]),
        _ if own_sizes => (&["9"], &["9"], &["9"]),
        // All sides differ, and none is a whole number of tiles.
        _ if prints(kernel) => (&["3x7x5"], &["3x7x5", "3x5x4"], &["7x3x5"]),
        // Several tiles of 32 x 32 in both directions.
        _ if kernel.starts_with("transpose") => (&["37x41x9"], &["37x41x9"], SHAPES),
        5..=7 => (
            &["13x11x10", "3x2x1025"],
            // 16 columns: whole vectors.
            &["37x21x35", "3x2x1025", "3x2x1024", "7x16x9"],
            SHAPES,
        ),
        // More panels than a group packs, the last of which lacks a column; a panel of A
        // that lacks none, a row, a column. K in one whole block, and in two; one group,
        // so that it can be counted: of a whole tile, of one that lacks a row, a column.
        // Many tiles for an item. A second block of K that finds a tile of C which lacks
        // a row, a column: the simulator sees the sums that are read behind C.
        9 => (
            &["9x9x17", "9x143x5", "40x9x15", "9x48x2049", "8x49x2049"],
            &[
                "37x64x35", "40x9x15", "39x9x16", "3x2x2048", "3x2x2049", "8x8x2049", "7x8x2049",
                "8x7x2049",
            ],
            &["37x91x53", "130x260x35", "9x40x2050", "1100x3300x3"],
        ),
        // Tiles of all sizes; K in whole tiles, where a panel's depth needs no rounding;
        // thin tiles only, which can be counted, just as thin as allowed, and beside
        // others; two bands of tiles, and more tiles than a tile has columns. Rows of whole
        // fours that end within a tile; a last tile of whole rows of B, which lack a column,
        // or four; and tiles that lack nothing but a row, a column, a k.
        10 => (
            &["9x9x17", "5x9x17", "9x5x17", "37x41x17", "20x36x28"],
            &[
                "37x64x35",
                "64x100x17",
                "9x9x16",
                "8x9x17",
                "9x8x17",
                "5x140x17",
                "9x127x32",
                "9x124x32",
                "31x41x16",
                "41x31x16",
                "37x41x31",
                "32x120x16",
                "120x32x16",
                "140x3x17",
            ],
            &[
                "37x91x53",
                "120x250x35",
                "120x252x36",
                "131x129x35",
                "300x65x3",
                "9x1030x3",
                "1030x9x3",
            ],
        ),
        // Two rounds of the deepest tile.
        8 => (&["9x11x17"], &["37x64x35"], PADDED),
        // Panels of 48, 10 and 8 columns, of which the last lacks one; a whole tile.
        11 => (
            &["9x11x17"],
            &["37x64x35", "5x47x3", "5x49x3", "8x48x3"],
            PADDED,
        ),
        _ => (&["37x21x35", "1x1x1"], &["37x21x35"], SHAPES),
    };
    let at = |stage| move |size: &&'static str| (*size, stage);
    let quick = quick.iter().map(at(Stage::Quick));
    let thorough = thorough.iter().map(at(Stage::Thorough));
    let gpu = device.iter().map(at(Stage::Gpu));
    let device = device.iter().map(at(Stage::Device));
    quick.chain(thorough).chain(device).chain(gpu).collect()
}

/// The kernel that tells what it does.
pub fn prints(kernel: &str) -> bool {
    kernel == "trace_tiles"
}
