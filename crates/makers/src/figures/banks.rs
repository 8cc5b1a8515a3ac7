//! Lesson 6's transposition: 32 items read a column of a tile in local memory.

use std::collections::BTreeSet;

use anyhow::Result;
use common::numbers::count;

use super::{Drawing, Grid, Kernel, WARP, bank, turns};

pub fn draw() -> Result<String> {
    let side = Kernel::read("06-local-memory.cl", "transpose_tile")?.constant("SIDE")?;
    let mut d = Drawing::new(350.0);
    let mut described = Vec::new();
    for (padding, left) in [(0, 16.0), (1, 256.0)] {
        let row = side + padding;
        // Item x reads tile[x][0]: as many floats from the tile's beginning.
        let read = (0..WARP).map(|x| x * row);
        let banks: BTreeSet<usize> = read.clone().map(bank).collect();
        let turns = count(turns(read.clone()), "turn");
        let says = format!("{}, {turns}", count(banks.len(), "bank"));
        let grid = Grid::of((left, 52.0), 6.5);
        d.text(
            "bold",
            (left, 24.0),
            &format!("PAD {padding}: rows of {row}"),
        );
        d.text("tiny soft", (left, 46.0), "bank 0");
        d.text("tiny soft end", (grid.at(WARP, 0).0, 46.0), "bank 31");
        for y in 0..row {
            grid.run(&mut d, "local", (0, y), WARP);
        }
        let padding = (0..WARP * row).filter(|float| float % row >= WARP);
        let padding = padding.map(|float| ("cell", float));
        for (class, float) in padding.chain(read.map(|float| ("item", float))) {
            grid.cell(&mut d, class, bank(float), float / WARP);
        }
        d.text("bold", (left, 289.0), &says);
        described.push(format!("with rows of {row} floats {says}"));
    }
    d.key("item", (16.0, 306.0), "what 32 items read: a column");
    d.key("local", (256.0, 306.0), "the rest of the tile");
    d.key("cell", (256.0, 326.0), "padding, not read");
    let description = format!(
        "Local memory as 32 columns, one for each bank, holding a tile of {side} x {side} floats row \
         after row. The 32 elements of the tile's first column are marked: {}. The marks stand in \
         one column on the left, and on a diagonal on the right.",
        described.join(", ")
    );
    Ok(d.svg(
        "The column of a tile, in the banks of local memory",
        &description,
    ))
}
