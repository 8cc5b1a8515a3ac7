//! A launch of 8 x 4 items in groups of 4 x 2, and the order of the items in a group.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

const GLOBAL: (usize, usize) = (8, 4);
const GROUP: (usize, usize) = (4, 2);
/// The item that the chapter speaks of.
const X: (usize, usize) = (5, 1);
const CELL: f64 = 46.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 62.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(338.0);
    d.text(
        "code middle",
        (240.0, 20.0),
        "get_global_id(0) across, get_global_id(1) down",
    );
    // A group's items stand together; between two groups there is a gap.
    let x_of = |x: usize| LEFT + CELL * x as f64 + 14.0 * (x / GROUP.0) as f64;
    let y_of = |y: usize| TOP + CELL * y as f64 + 14.0 * (y / GROUP.1) as f64;
    for x in 0..GLOBAL.0 {
        d.text(
            "small soft middle",
            (x_of(x) + CELL / 2.0, 46.0),
            &x.to_string(),
        );
    }
    for y in 0..GLOBAL.1 {
        d.text(
            "small soft end",
            (LEFT - 12.0, y_of(y) + CELL / 2.0 + 5.0),
            &y.to_string(),
        );
        for x in 0..GLOBAL.0 {
            let class = if (x, y) == X { "item-soft" } else { "cell" };
            d.rect(class, (x_of(x), y_of(y)), CELL, CELL);
        }
    }
    for group_y in 0..GLOBAL.1 / GROUP.1 {
        for group_x in 0..GLOBAL.0 / GROUP.0 {
            let (x, y) = (group_x * GROUP.0, group_y * GROUP.1);
            warp(&mut d, (x_of(x), y_of(y)));
            let (width, height) = (CELL * GROUP.0 as f64, CELL * GROUP.1 as f64);
            d.rect(
                "frame",
                (x_of(x) - 2.0, y_of(y) - 2.0),
                width + 4.0,
                height + 4.0,
            );
        }
    }
    for y in 0..GLOBAL.1 {
        for x in 0..GLOBAL.0 {
            let number = (y % GROUP.1) * GROUP.0 + x % GROUP.0;
            let at = (x_of(x) + CELL / 2.0, y_of(y) + CELL / 2.0 + 4.5);
            d.text("small bold middle on", at, &number.to_string());
        }
    }
    let bottom = y_of(GLOBAL.1) + 8.0;
    let says = [
        "A dot is an item, with its number in its group. A line is",
        "the order in which they fill a warp, here one of 8.",
    ];
    d.paragraph("small", (14.0, bottom + 6.0), 18.0, &says);
    let [group, local] = [
        (X.0 / GROUP.0, X.1 / GROUP.1),
        (X.0 % GROUP.0, X.1 % GROUP.1),
    ];
    let ids = format!(
        "item ({}, {}) of the range: item {local:?} of group {group:?}",
        X.0, X.1
    );
    d.text("small bold item", (14.0, bottom + 46.0), &ids);
    Ok(Figure {
        title: "A range of 8 x 4 items in groups of 4 x 2".into(),
        description: format!(
            "Eight columns and four rows of items, cut into four groups of 4 x 2. Dimension 0 goes to \
             the right. In each group the items are numbered 0 to 7, first along dimension 0, then \
             the next row; a line goes through them in this order, which is the order in which they \
             fill a warp. Marked: {ids}."
        ),
        drawing: d,
    })
}

/// The line through a group's items in the order of their numbers.
fn warp(d: &mut Drawing, (left, top): (f64, f64)) {
    let centre = |number: usize| {
        let (x, y) = (number % GROUP.0, number / GROUP.0);
        (
            left + CELL * (x as f64 + 0.5),
            top + CELL * (y as f64 + 0.5),
        )
    };
    let points: Vec<_> = (0..GROUP.0 * GROUP.1).map(centre).collect();
    d.line("warp", &points);
    for point in &points {
        d.dot("item", *point, 12.0);
    }
}
