//! Lesson 6's tiles: a group walks along k, one pair of tiles in each iteration.

use anyhow::Result;

use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;
use crate::figures::kernel::Kernel;

/// Tiles along k, and along the sides of C.
const ITERATIONS: usize = 3;
const ACROSS: usize = 2;
const TILE: f64 = 25.0;

pub fn draw() -> Result<Figure> {
    let side = Kernel::read("06-local-memory.cl", "matmul_tiled")?.constant("TS")?;
    let mut d = Drawing::new(344.0);
    for iteration in 0..ITERATIONS {
        frame(&mut d, iteration, (18.0 + 158.0 * iteration as f64, 44.0));
    }
    d.measure_down(44.0, 44.0, 44.0 + TILE, "TS");
    steps(&mut d, side);
    Ok(Figure {
        title: "A group walks along k".into(),
        description: format!(
            "Three frames, one for each iteration. In each, the group owns one tile of C, of {side} x \
             {side} elements. It copies one tile of A, which moves to the right from frame to frame \
             along the tile's rows, and one tile of B, which moves down along its columns, into \
             local memory. An iteration is: copy one element of each, barrier, add up {side} products \
             from the two tiles, barrier."
        ),
        drawing: d,
    })
}

/// A to the left of C, B above it.
fn frame(d: &mut Drawing, iteration: usize, (left, top): Point) {
    let along = TILE * ITERATIONS as f64;
    let (c_x, c_y) = (left + along + 9.0, top + along + 9.0);
    d.text(
        "bold",
        (left, top - 22.0),
        &format!("iteration {}", iteration + 1),
    );
    let mut matrix = |name: &str, class: &str, at: Point, columns: usize, rows: usize, marked| {
        let mut tile = |class: &str, (column, row): (usize, usize)| {
            let (x, y) = (at.0 + TILE * column as f64, at.1 + TILE * row as f64);
            d.rect(class, (x, y), TILE, TILE);
        };
        for i in 0..columns * rows {
            tile("cell", (i % columns, i / columns));
        }
        tile(class, marked);
        let middle = at.0 + TILE * columns as f64 / 2.0;
        let y = if name == "B" {
            at.1 - 6.0
        } else {
            at.1 + TILE * rows as f64 + 17.0
        };
        d.text(&format!("small bold middle {class}"), (middle, y), name);
    };
    // The group's tile of C is the right one of the second row.
    matrix("A", "a", (left, c_y), ITERATIONS, ACROSS, (iteration, 1));
    matrix("B", "b", (c_x, top), ACROSS, ITERATIONS, (1, iteration));
    matrix("C", "c", (c_x, c_y), ACROSS, ACROSS, (1, 1));
    let (mine_x, mine_y) = (c_x + 1.5 * TILE, c_y + 1.5 * TILE);
    let a_right = left + TILE * (iteration as f64 + 1.0);
    d.arrow(&[(a_right + 1.0, mine_y), (c_x + TILE - 2.0, mine_y)]);
    let b_bottom = top + TILE * (iteration as f64 + 1.0);
    d.arrow(&[(mine_x, b_bottom + 1.0), (mine_x, c_y + TILE - 2.0)]);
}

/// What happens in every iteration, and who does it.
fn steps(d: &mut Drawing, side: usize) {
    let top = 254.0;
    d.text(
        "small soft",
        (18.0, top - 10.0),
        &format!("in every iteration, each of the {side} x {side} items"),
    );
    let add = format!("add up {side} products");
    let boxes = [
        ("global", "copy 1 of A, 1 of B", 142.0),
        ("", "barrier", 62.0),
        ("local", &add, 156.0),
        ("", "barrier", 62.0),
    ];
    let mut x = 18.0;
    for (class, words, width) in boxes {
        let class = if class.is_empty() { "box" } else { class };
        d.rect(class, (x, top), width, 34.0);
        d.text("small middle", (x + width / 2.0, top + 22.0), words);
        x += width + 6.0;
    }
    d.text(
        "small soft",
        (38.0, top + 56.0),
        "global memory, once for each element of a tile",
    );
    d.text(
        "small soft",
        (38.0, top + 76.0),
        &format!("local memory, {side} times for each element of a tile"),
    );
    d.rect("global", (18.0, top + 45.0), 12.0, 12.0);
    d.rect("local", (18.0, top + 65.0), 12.0, 12.0);
}
