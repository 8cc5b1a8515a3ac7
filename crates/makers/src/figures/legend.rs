//! What each colour means, in every figure.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

/// The class of a shape, and what it stands for.
const MEANINGS: [[(&str, &str); 7]; 2] = [
    [
        ("a", "A, or a part of it"),
        ("b", "B"),
        ("c", "C, and its sums"),
        ("a-soft", "paler: moved or walked over"),
        ("item", "one item, or what it reads"),
        ("warp", "one warp"),
        ("cell", "not concerned"),
    ],
    [
        ("private", "private memory"),
        ("local", "local memory"),
        ("global", "global memory"),
        ("gpu", "a GPU, measured"),
        ("cpu", "a CPU, measured"),
        ("limit", "what a device can do"),
        ("wait", "waiting, or not there"),
    ],
];

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(232.0);
    for (column, meanings) in MEANINGS.iter().enumerate() {
        let x = 14.0 + 244.0 * column as f64;
        for (row, (class, meaning)) in meanings.iter().enumerate() {
            let y = 14.0 + 30.0 * row as f64;
            match *class {
                "limit" => d.line(class, &[(x, y + 10.0), (x + 28.0, y + 10.0)]),
                "warp" => d.line(
                    class,
                    &[
                        (x, y + 15.0),
                        (x + 9.0, y + 5.0),
                        (x + 19.0, y + 15.0),
                        (x + 28.0, y + 5.0),
                    ],
                ),
                _ => d.rect(class, (x, y), 28.0, 20.0),
            }
            d.text("small", (x + 38.0, y + 14.5), meaning);
        }
    }
    Ok(Figure {
        title: "The colours of the figures".into(),
        description:
            "A list of colours. Blue is A, orange is B, green is C with its sums; pink is one \
             item, a violet line one warp. Yellow is private memory, turquoise local, grey global. \
             Strong blue bars and lines are measurements of a GPU, faint ones of a CPU, and a dashed \
             red line is what a device can do."
                .into(),
        drawing: d,
    })
}
