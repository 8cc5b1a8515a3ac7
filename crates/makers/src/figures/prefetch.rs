//! Fetching and multiplying over time: in turn, and at once.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

const TILES: usize = 3;
/// Units of time that a fetch and a multiplication of a tile take here.
const FETCH: f64 = 68.0;
const MULTIPLY: f64 = 58.0;
const LEFT: f64 = 80.0;
const HIGH: f64 = 26.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(268.0);
    d.text("bold", (14.0, 24.0), "fetch, then multiply");
    d.text(
        "bold",
        (14.0, 136.0),
        "fetch the next tile while multiplying this one",
    );
    for (top, early) in [(36.0, false), (148.0, true)] {
        for (name, y) in [("fetch", top), ("multiply", top + HIGH + 6.0)] {
            d.text("small soft end", (LEFT - 8.0, y + 17.5), name);
        }
        let (mut bus, mut arithmetic) = (LEFT, LEFT);
        for tile in 0..tiles(early) {
            let fetched = bus + FETCH;
            bar(&mut d, "global", (bus, top), FETCH, tile);
            let begin = fetched.max(arithmetic);
            if begin > arithmetic + 1.0 && tile > 0 {
                d.rect(
                    "wait",
                    (arithmetic, top + HIGH + 6.0),
                    begin - arithmetic,
                    HIGH,
                );
            }
            bar(&mut d, "c", (begin, top + HIGH + 6.0), MULTIPLY, tile);
            arithmetic = begin + MULTIPLY;
            bus = if early { fetched } else { arithmetic };
        }
    }
    d.arrow(&[(LEFT, 232.0), (466.0, 232.0)]);
    d.text("small soft", (14.0, 237.0), "time");
    d.text(
        "small",
        (14.0, 258.0),
        "Dashed: arithmetic waits. The longer row decides.",
    );
    Ok(Figure {
        title: "Fetching and multiplying, in turn and at once".into(),
        description: format!(
            "Two time charts with a row for fetching and a row for multiplying. In turn, each tile is \
             fetched, then multiplied, and one row always waits for the other: {} tiles fit. At once, \
             the next tile is fetched while this one is multiplied: {} tiles fit in the same time, \
             and the slower of the two rows has no gap.",
            tiles(false),
            tiles(true)
        ),
        drawing: d,
    })
}

/// Tiles that fit the width.
fn tiles(early: bool) -> usize {
    if early { TILES + 1 } else { TILES }
}

fn bar(d: &mut Drawing, class: &str, (x, y): (f64, f64), width: f64, tile: usize) {
    d.rect(class, (x, y), width, HIGH);
    d.text(
        "small middle",
        (x + width / 2.0, y + 17.5),
        &format!("tile {tile}"),
    );
}
