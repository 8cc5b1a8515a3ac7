//! A column of a matrix in a first-level cache, at rows of two lengths.

use anyhow::Result;
use common::numbers::count;

use crate::figures::counting::set;
use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;

const SETS: usize = 64;
/// Lines that a set holds: 32 KiB in all, as in the recorded CPU.
const WAYS: usize = 8;
/// Elements of the column.
const ROWS: usize = 64;
const CELL: f64 = 7.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(356.0);
    let mut described = Vec::new();
    for (i, bytes) in [4096, 4160].into_iter().enumerate() {
        let mut lines = [0; SETS];
        for row in 0..ROWS {
            lines[set(row * bytes)] += 1;
        }
        let used = lines.iter().filter(|count| **count > 0).count();
        let kept: usize = lines.iter().map(|count| WAYS.min(*count)).sum();
        let top = 24.0 + 166.0 * i as f64;
        d.text("bold", (14.0, top), &format!("rows of {bytes} bytes"));
        let stay = format!("{}: {kept} of {ROWS} stay", count(used, "set"));
        d.text("bold end", (462.0, top), &stay);
        sets(&mut d, (14.0, top + 30.0), &lines);
        described.push(format!(
            "with rows of {bytes} bytes they fall into {used} of the {SETS} sets, and {kept} stay"
        ));
    }
    let says: [&str; 2] = [
        &format!("A column is a set, with a box for each of its {WAYS} lines."),
        "Pink: lines that 64 elements of a column of B bring in.",
    ];
    d.paragraph("small soft", (14.0, 326.0), 18.0, &says);
    Ok(Figure {
        title: "One column of a matrix in the sets of a cache".into(),
        description: format!(
            "A first-level cache of {SETS} sets with {WAYS} lines each, drawn twice. The {ROWS} lines \
             that one column of a matrix takes are marked: {}.",
            described.join("; ")
        ),
        drawing: d,
    })
}

fn sets(d: &mut Drawing, (left, top): Point, lines: &[usize; SETS]) {
    for (i, count) in lines.iter().enumerate() {
        for way in 0..WAYS {
            let class = if way < *count { "item" } else { "cell" };
            let (x, y) = (left + CELL * i as f64, top + CELL * way as f64);
            d.rect(class, (x, y), CELL - 0.8, CELL - 0.8);
        }
        if *count > WAYS {
            let x = left + CELL * i as f64;
            d.rect(
                "item-soft",
                (x, top + CELL * WAYS as f64 + 3.0),
                CELL - 0.8,
                14.0,
            );
            let words = format!("and {} more lines for this set", count - WAYS);
            d.text(
                "small item",
                (x + CELL + 5.0, top + CELL * WAYS as f64 + 15.0),
                &words,
            );
        }
    }
}
