//! Lesson 8's best kernel: which elements of C an item owns by its one index formula, and in
//! which banks a warp puts A when it transposes it.

use anyhow::{Result, ensure};

use super::{Drawing, Grid, Kernel, WARP, bank, turns};

/// What this figure explains, as the kernel says it.
const INDEX: &str = "(4 * (y + r / 4 * GY) + r % 4) * (N / 4) + x + j * GX";
/// The item that is marked.
const ITEM: (usize, usize) = (2, 3);
/// Elements of a vector.
const FOUR: usize = 4;

pub fn draw() -> Result<String> {
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
    let head = "1  the vectors of C that an item owns";
    d.text("bold", (14.0, 24.0), head);
    // The group's tile of C, and an item's vectors in it.
    let grid = Grid::new((70.0, 62.0), (6.0, 2.6), 0.0);
    let (right, bottom) = grid.at(tn / FOUR, tm);
    d.rect("c-soft", grid.corner, right - 70.0, bottom - 62.0);
    let (x, y) = ITEM;
    let first_row = FOUR * y;
    for r in 0..rm {
        for j in 0..rn / FOUR {
            let row = FOUR * (y + r / FOUR * gy) + r % FOUR;
            grid.cell(&mut d, "item", x + j * gx, row);
        }
    }
    let says = format!("{} float4", tn / FOUR);
    d.text(
        "small soft middle",
        (f64::midpoint(70.0, right), 54.0),
        &says,
    );
    d.text("small soft end", (64.0, 72.0), "row 0");
    d.text("small soft end", (64.0, bottom), &format!("{}", tm - 1));
    let says = [
        ("small soft", format!("x = {x}, y = {y}, as marked")),
        ("small soft", format!("GX = {gx}, GY = {gy}")),
        ("small bold", "row of the tile".into()),
        ("code", "4 * (y + r / 4 * GY)".into()),
        ("code", "  + r % 4".into()),
        (
            "small",
            format!("r = 0..3: rows {first_row} to {}", first_row + 3),
        ),
        ("small", format!("r = 4..7: {} below", FOUR * gy)),
        ("small bold", "float4 of the row".into()),
        ("code", "x + j * GX".into()),
        ("small", format!("j = 0, 1: {x} and {}", x + gx)),
    ];
    for (i, (class, words)) in says.iter().enumerate() {
        d.text(class, (286.0, 70.0 + 18.0 * i as f64), words);
    }
    d.text("bold", (14.0, 276.0), "2  one store of a warp into a_tile");
    let stores = [(0, 298.0), (4, 398.0)].map(|(pad, top)| banks(&mut d, top, (tm, tk), pad));
    let says = "what 32 items store at once: 8 rows of A, at 4 k";
    d.key("item", (14.0, 494.0), says);
    let description = format!(
        "Two pictures of lesson 8's best kernel. First a group's tile of C, {tm} rows of {} vectors of \
         four, with what item ({x}, {y}) owns: two blocks of four rows, {} rows apart, each with two \
         vectors, {gx} vectors apart. Then local memory as 32 columns, one for each bank, with the \
         words that a warp stores at once while it transposes A: {}.",
        tn / FOUR,
        FOUR * gy,
        stores.join("; ")
    );
    let title = "The index of a register tile, and the banks of its transposed store";
    Ok(d.svg(title, &description))
}

/// Where the words of a store lie that puts 8 neighbours into every fourth row.
fn banks(d: &mut Drawing, top: f64, (tm, tk): (usize, usize), pad: usize) -> String {
    let row = tm + pad;
    let per_row = WARP / (tk / FOUR);
    let stored = |k: usize| (0..per_row).map(move |at| k * row + at);
    let rows = (0..tk).step_by(FOUR);
    let cycles = turns(rows.clone().flat_map(stored));
    d.text("small", (14.0, top), &format!("PAD {pad}: rows of {row}"));
    let ways = format!("{cycles} words in a bank: {cycles} cycles");
    d.text("small bold end", (454.0, top), &ways);
    let grid = Grid::new((70.0, top + 8.0), (12.0, 15.0), 1.0);
    for (at, k) in rows.enumerate() {
        let words = (62.0, grid.at(0, at).1 + 11.5);
        d.text("tiny soft end", words, &format!("k = {k}"));
        for column in 0..WARP {
            let is_stored = stored(k).any(|word| bank(word) == column);
            let class = if is_stored { "item" } else { "local" };
            grid.cell(d, class, column, at);
        }
    }
    format!("with rows of {row} words the busiest bank has {cycles}")
}
