//! The same matrix row-major and column-major: the order of its elements in memory.

use anyhow::Result;

use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;

const ROWS: usize = 3;
const COLUMNS: usize = 4;
const CELL: f64 = 38.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(312.0);
    let row_major = |row: usize, column: usize| row * COLUMNS + column;
    let column_major = |row: usize, column: usize| column * ROWS + row;
    d.text("bold", (30.0, 24.0), "row-major");
    d.text("code soft", (30.0, 44.0), "row * 4 + column");
    matrix(&mut d, (30.0, 56.0), row_major);
    d.text("bold", (290.0, 24.0), "column-major");
    d.text("code soft", (290.0, 44.0), "column * 3 + row");
    matrix(&mut d, (290.0, 56.0), column_major);
    memory(&mut d, 224.0, "row-major in memory", row_major);
    memory(&mut d, 284.0, "column-major in memory", column_major);
    Ok(Figure {
        title: "A matrix of 3 rows and 4 columns in memory".into(),
        description: "A matrix of 3 x 4 elements, twice, each element with its place in memory. \
             Row-major, the places 0 to 3 run along the first row, and the second row follows. \
             Column-major, the places 0 to 2 run down the first column. Below, memory as one line: \
             the marked row is 4 neighbours in the first case, and 4 elements 3 apart in the second."
            .into(),
        drawing: d,
    })
}

/// The row that is marked. It is drawn last, so that no neighbour covers its edge.
const MARKED: usize = 1;
const ORDER: [usize; ROWS] = [0, 2, MARKED];

fn matrix(d: &mut Drawing, (left, top): Point, place: impl Fn(usize, usize) -> usize) {
    let corner = |row: usize, column: usize| (left + CELL * column as f64, top + CELL * row as f64);
    let mut path = vec![(0.0, 0.0); ROWS * COLUMNS];
    for row in ORDER {
        for column in 0..COLUMNS {
            let (x, y) = corner(row, column);
            d.rect(if row == MARKED { "a" } else { "cell" }, (x, y), CELL, CELL);
            path[place(row, column)] = (x + CELL / 2.0, y + CELL / 2.0);
        }
    }
    d.line("arrow", &path);
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let (x, y) = corner(row, column);
            let number = place(row, column).to_string();
            d.dot("box", (x + CELL / 2.0, y + CELL / 2.0), 11.0);
            d.text(
                "small middle",
                (x + CELL / 2.0, y + CELL / 2.0 + 4.5),
                &number,
            );
        }
    }
}

fn memory(d: &mut Drawing, top: f64, name: &str, place: impl Fn(usize, usize) -> usize) {
    d.text("small soft", (30.0, top - 19.0), name);
    let step = 34.5;
    for row in ORDER {
        for column in 0..COLUMNS {
            let x = 30.0 + step * place(row, column) as f64;
            d.rect(
                if row == MARKED { "a" } else { "cell" },
                (x, top - 12.0),
                step,
                26.0,
            );
            d.text(
                "small middle",
                (x + step / 2.0, top + 6.0),
                &place(row, column).to_string(),
            );
        }
    }
}
