//! Lesson 6's transposition: 32 items read a column of a tile in local memory.

use std::collections::BTreeSet;

use anyhow::Result;
use common::numbers::count;

use crate::figures::counting::{WARP, bank, turns};
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::grid::Grid;
use crate::figures::kernel::Kernel;

const CELL: f64 = 6.5;

pub fn draw() -> Result<Figure> {
    let side = Kernel::read("06-local-memory.cl", "transpose_tile")?.constant("SIDE")?;
    let mut d = Drawing::new(350.0);
    let mut described = Vec::new();
    for (padding, left) in [(0, 16.0), (1, 256.0)] {
        // Item x reads tile[x][0]: as many floats from the tile's beginning.
        let floats: Vec<usize> = (0..WARP).map(|x| x * (side + padding)).collect();
        let banks: BTreeSet<usize> = floats.iter().map(|float| bank(*float)).collect();
        let turns = turns(floats.iter().copied());
        let head = format!("PAD {padding}: rows of {}", side + padding);
        d.text("bold", (left, 24.0), &head);
        d.text("tiny soft", (left, 46.0), "bank 0");
        let right = left + CELL * WARP as f64;
        d.text("tiny soft end", (right, 46.0), "bank 31");
        memory(
            &mut d,
            &Grid::of((left, 52.0), CELL),
            side + padding,
            &floats,
        );
        let says = format!("{}, {}", count(banks.len(), "bank"), count(turns, "turn"));
        d.text("bold", (left, 289.0), &says);
        described.push(format!("with rows of {} floats {says}", side + padding));
    }
    let keys = [
        ("item", (16.0, 306.0), "what 32 items read: a column"),
        ("local", (256.0, 306.0), "the rest of the tile"),
        ("cell", (256.0, 326.0), "padding, not read"),
    ];
    for (class, at, words) in keys {
        d.key(class, at, words);
    }
    Ok(Figure {
        title: "The column of a tile, in the banks of local memory".into(),
        description: format!(
            "Local memory as 32 columns, one for each bank, holding a tile of {side} x {side} floats \
             row after row. The 32 elements of the tile's first column are marked: {}. The marks \
             stand in one column on the left, and on a diagonal on the right.",
            described.join(", ")
        ),
        drawing: d,
    })
}

/// Words of local memory, a row for each 32: those of the tile, of its padding, and
/// those that are read.
fn memory(d: &mut Drawing, grid: &Grid, row: usize, read: &[usize]) {
    for y in 0..row {
        grid.run(d, "local", (0, y), WARP);
    }
    let padding = (0..WARP * row).filter(|float| float % row >= WARP);
    let padding = padding.map(|float| ("cell", float));
    for (class, float) in padding.chain(read.iter().map(|float| ("item", *float))) {
        grid.cell(d, class, bank(float), float / WARP);
    }
}
