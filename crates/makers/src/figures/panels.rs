//! B as it lies and B in panels: the way of one item through memory.

use anyhow::Result;

use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;

const ROWS: usize = 4;
const COLUMNS: usize = 12;
/// Columns of a panel, here.
const PANEL: usize = 4;
/// The panel that the item reads. It is drawn last, so that no neighbour covers its edge.
const MINE: usize = 1;
const ORDER: [usize; COLUMNS / PANEL] = [0, 2, MINE];
const CELL: f64 = 30.0;
const STEP: f64 = 9.4;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(372.0);
    let row_major = |row: usize, column: usize| row * COLUMNS + column;
    let packed = |row: usize, column: usize| {
        let (panel, inside) = (column / PANEL, column % PANEL);
        (panel * ROWS + row) * PANEL + inside
    };
    d.text(
        "bold",
        (14.0, 24.0),
        "B, and the four columns that an item reads",
    );
    for panel in ORDER {
        let x = |column: usize| 14.0 + CELL * column as f64 + 8.0 * (column / PANEL) as f64;
        for row in 0..ROWS {
            for column in panel * PANEL..(panel + 1) * PANEL {
                let class = if panel == MINE { "b" } else { "cell" };
                d.rect(class, (x(column), 40.0 + CELL * row as f64), CELL, CELL);
            }
        }
        let middle = x(panel * PANEL) + CELL * PANEL as f64 / 2.0;
        d.text(
            "small soft middle",
            (middle, 178.0),
            &format!("panel {panel}"),
        );
        let mut path: Vec<Point> = Vec::new();
        for row in 0..ROWS {
            let y = 40.0 + CELL * (row as f64 + 0.5);
            path.push((x(panel * PANEL) + 8.0, y));
            path.push((x((panel + 1) * PANEL - 1) + CELL - 8.0, y));
        }
        d.arrow(&path);
    }
    d.text("small", (400.0, 56.0), "k = 0");
    d.text("small", (400.0, 56.0 + 3.0 * CELL), "k = 3");
    memory(
        &mut d,
        214.0,
        "row-major in memory: a piece of each row, N apart",
        row_major,
    );
    memory(
        &mut d,
        292.0,
        "packed in panels: one piece, from its beginning to its end",
        packed,
    );
    d.text(
        "small soft",
        (14.0, 352.0),
        "Packing is a kernel too, and its time counts.",
    );
    Ok(Figure {
        title: "B in panels".into(),
        description: "A matrix B of 4 rows and 12 columns, cut into three panels of 4 columns; a line \
             runs through each panel row by row. An item reads the panel in the middle. Below, memory as \
             one line: row-major, what the item reads is four separate pieces; packed in panels, it is one \
             piece from its beginning to its end."
            .into(),
        drawing: d,
    })
}

fn memory(d: &mut Drawing, top: f64, name: &str, place: impl Fn(usize, usize) -> usize) {
    d.text("small", (14.0, top), name);
    for panel in ORDER {
        let class = if panel == MINE { "b" } else { "cell" };
        for (row, inside) in (0..ROWS).flat_map(|row| (0..PANEL).map(move |i| (row, i))) {
            let column = panel * PANEL + inside;
            let x = 14.0 + STEP * place(row, column) as f64;
            d.rect(class, (x, top + 10.0), STEP, 30.0);
        }
    }
}
