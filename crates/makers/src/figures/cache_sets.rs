//! A column of a matrix in a first-level cache, at rows of two lengths.

use anyhow::Result;
use common::numbers::count;

use crate::figures::counting::set;
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::grid::Grid;

const SETS: usize = 64;
/// Lines that a set holds: 32 KiB in all, as in the recorded CPU.
const WAYS: usize = 8;
/// Elements of the column.
const ROWS: usize = 64;

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
        let grid = Grid {
            corner: (14.0, top + 30.0),
            step: (7.0, 7.0),
            gap: 0.8,
        };
        sets(&mut d, &grid, &lines);
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
            "The {ROWS} lines that one column of a matrix takes in an L1 cache of {SETS} sets with \
             {WAYS} lines each. The cache is drawn twice: {}.",
            described.join("; ")
        ),
        drawing: d,
    })
}

fn sets(d: &mut Drawing, grid: &Grid, lines: &[usize; SETS]) {
    for (i, count) in lines.iter().enumerate() {
        for way in 0..WAYS {
            let class = if way < *count { "item" } else { "cell" };
            grid.cell(d, class, i, way);
        }
        if *count > WAYS {
            let (x, y) = grid.at(i, WAYS);
            d.rect("item-soft", (x, y + 3.0), grid.size(1).0, 14.0);
            let words = format!("and {} more lines for this set", count - WAYS);
            d.text("small item", (x + 12.0, y + 15.0), &words);
        }
    }
}
