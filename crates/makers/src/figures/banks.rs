//! Lesson 6's transposition: 32 items read a column of a tile in local memory.

use std::collections::BTreeSet;

use anyhow::Result;
use common::numbers::count;

use crate::figures::counting::{WARP, bank, turns};
use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;
use crate::figures::kernel::Kernel;

const CELL: f64 = 6.5;

pub fn draw() -> Result<Figure> {
    let side = Kernel::read("06-local-memory.cl", "transpose_tile")?.constant("SIDE")?;
    let mut d = Drawing::new(350.0);
    let mut described = Vec::new();
    for (padding, left) in [(0, 16.0), (1, 256.0)] {
        // Item x reads tile[x][0]: as many floats from the tile's beginning.
        let floats: Vec<usize> = (0..WARP).map(|x| x * (side + padding)).collect();
        let banks = floats
            .iter()
            .map(|float| bank(*float))
            .collect::<BTreeSet<_>>()
            .len();
        let turns = turns(floats.iter().copied());
        d.text(
            "bold",
            (left, 24.0),
            &format!("PAD {padding}: rows of {}", side + padding),
        );
        d.text("tiny soft", (left, 46.0), "bank 0");
        d.text(
            "tiny soft end",
            (left + CELL * WARP as f64, 46.0),
            "bank 31",
        );
        memory(&mut d, (left, 52.0), side + padding, &floats);
        let says = format!("{}, {}", count(banks, "bank"), count(turns, "turn"));
        d.text("bold", (left, 289.0), &says);
        described.push(format!("with rows of {} floats {says}", side + padding));
    }
    let keys = [
        ("item", (16.0, 306.0), "what 32 items read: a column"),
        ("local", (256.0, 306.0), "the rest of the tile"),
        ("cell", (256.0, 326.0), "padding, not read"),
    ];
    for (class, (x, y), words) in keys {
        d.rect(class, (x, y), 11.0, 11.0);
        d.text("small", (x + 17.0, y + 10.5), words);
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
fn memory(d: &mut Drawing, (left, top): Point, row: usize, read: &[usize]) {
    let place = |float: usize| {
        let (x, y) = (bank(float) as f64, (float / WARP) as f64);
        (left + CELL * x, top + CELL * y)
    };
    for y in 0..row {
        d.rect(
            "local",
            (left, top + CELL * y as f64),
            CELL * WARP as f64,
            CELL,
        );
    }
    for float in (0..WARP * row).filter(|float| float % row >= WARP) {
        d.rect("cell", place(float), CELL, CELL);
    }
    for float in read {
        d.rect("item", place(*float), CELL, CELL);
    }
}
