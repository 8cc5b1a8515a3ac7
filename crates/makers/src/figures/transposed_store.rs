//! Lesson 8's best kernel: which elements of C an item owns by its one index formula, and in
//! which banks a warp puts A when it transposes it.

use anyhow::{Result, ensure};

use crate::figures::counting::{WARP, bank, turns};
use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;
use crate::figures::grid::Grid;
use crate::figures::kernel::Kernel;

/// What this figure explains, as the kernel says it.
const INDEX: &str = "(4 * (y + r / 4 * GY) + r % 4) * (N / 4) + x + j * GX";
/// The item that is marked.
const ITEM: (usize, usize) = (2, 3);
/// Elements of a vector.
const FOUR: usize = 4;

pub fn draw() -> Result<Figure> {
    let kernel = Kernel::read("08-tiling.cl", "matmul_register_tile_vector")?;
    let now = kernel.index("C4")?;
    ensure!(
        now == INDEX,
        "the index of C4 is {now} now: explain it anew"
    );
    let of = |name| kernel.constant(name);
    let (tm, tn, tk, rm, rn) = (of("TM")?, of("TN")?, of("TK")?, of("RM")?, of("RN")?);
    let (gx, gy) = (tn / rn, tm / rm);
    let mut d = Drawing::new(520.0);
    d.text(
        "bold",
        (14.0, 24.0),
        "1  the vectors of C that an item owns",
    );
    let grid = Grid {
        corner: (70.0, 62.0),
        step: (6.0, 2.6),
        gap: 0.0,
    };
    let (x, y) = ITEM;
    let places = (0..rm).flat_map(|r| (0..rn / FOUR).map(move |j| (r, j)));
    let places: Vec<(usize, usize)> = places
        .map(|(r, j)| (x + j * gx, FOUR * (y + r / FOUR * gy) + r % FOUR))
        .collect();
    owned(&mut d, &grid, (tn / FOUR, tm), &places);
    let rows = format!("r = 0..3: rows {} to {}", places[0].1, places[0].1 + 3);
    let says = [
        ("small soft", format!("x = {x}, y = {y}, as marked")),
        ("small soft", format!("GX = {gx}, GY = {gy}")),
        ("small bold", "row of the tile".into()),
        ("code", "4 * (y + r / 4 * GY)".into()),
        ("code", "  + r % 4".into()),
        ("small", rows),
        ("small", format!("r = 4..7: {} below", FOUR * gy)),
        ("small bold", "float4 of the row".into()),
        ("code", "x + j * GX".into()),
        ("small", format!("j = 0, 1: {} and {}", x, x + gx)),
    ];
    for (i, (class, words)) in says.iter().enumerate() {
        d.text(class, (286.0, 70.0 + 18.0 * i as f64), words);
    }
    d.text("bold", (14.0, 276.0), "2  one store of a warp into a_tile");
    let mut described = Vec::new();
    for (pad, top) in [(0, 298.0), (4, 398.0)] {
        described.push(banks(&mut d, top, (tm, tk), pad));
    }
    d.key(
        "item",
        (14.0, 494.0),
        "what 32 items store at once: 8 rows of A, at 4 k",
    );
    Ok(Figure {
        title: "The index of a register tile, and the banks of its transposed store".into(),
        description: format!(
            "Two pictures of lesson 8's best kernel. First a group's tile of C, {tm} rows of {} vectors of \
             four, with what item ({x}, {y}) owns: two blocks of four rows, {} rows apart, each with two \
             vectors, {gx} vectors apart. Then local memory as 32 columns, one for each bank, with the \
             words that a warp stores at once while it transposes A: {}.",
            tn / FOUR,
            FOUR * gy,
            described.join("; ")
        ),
        drawing: d,
    })
}

/// The group's tile of C, and an item's vectors in it.
fn owned(d: &mut Drawing, grid: &Grid, (columns, rows): (usize, usize), places: &[(usize, usize)]) {
    let (wide, high) = (grid.step.0 * columns as f64, grid.step.1 * rows as f64);
    d.rect("c-soft", grid.corner, wide, high);
    for (column, row) in places {
        grid.cell(d, "item", *column, *row);
    }
    let (left, top): Point = grid.corner;
    let says = format!("{columns} float4");
    d.text("small soft middle", (left + wide / 2.0, top - 8.0), &says);
    d.text("small soft end", (left - 6.0, top + 10.0), "row 0");
    let last = format!("{}", rows - 1);
    d.text("small soft end", (left - 6.0, top + high), &last);
}

/// Where the words of a store lie that puts 8 neighbours into every fourth row.
fn banks(d: &mut Drawing, top: f64, (tm, tk): (usize, usize), pad: usize) -> String {
    let per_row = WARP / (tk / FOUR);
    let words = (0..tk).step_by(FOUR);
    let words = words.flat_map(|k| (0..per_row).map(move |row| (k, k * (tm + pad) + row)));
    let words: Vec<(usize, usize)> = words.collect();
    let cycles = turns(words.iter().map(|(_, word)| *word));
    let head = format!("PAD {pad}: rows of {}", tm + pad);
    d.text("small", (14.0, top), &head);
    let ways = format!("{cycles} words in a bank: {cycles} cycles");
    d.text("small bold end", (454.0, top), &ways);
    let grid = Grid {
        corner: (70.0, top + 8.0),
        step: (12.0, 15.0),
        gap: 1.0,
    };
    for (row, k) in (0..tk).step_by(FOUR).enumerate() {
        let at = (62.0, grid.at(0, row).1 + 11.5);
        d.text("tiny soft end", at, &format!("k = {k}"));
        for column in 0..WARP {
            let is_stored = words
                .iter()
                .any(|(of, word)| *of == k && bank(*word) == column);
            let class = if is_stored { "item" } else { "local" };
            grid.cell(d, class, column, row);
        }
    }
    format!(
        "with rows of {} words the busiest bank has {cycles}",
        tm + pad
    )
}
