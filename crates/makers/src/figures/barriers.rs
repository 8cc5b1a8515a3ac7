//! How a CPU driver runs a group: as a loop over its items, which a barrier cuts.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

const ITEMS: usize = 4;
const STEP: f64 = 27.0;
const LEFT: f64 = 14.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(300.0);
    let width = STEP * 4.0;
    d.text("bold", (LEFT, 24.0), "without a barrier: one loop");
    for item in 0..ITEMS {
        let x = LEFT + (width + 5.0) * item as f64;
        d.rect("item-soft", (x, 52.0), width, 34.0);
        d.text("small middle", (x + width / 2.0, 73.5), "all its work");
        d.text(
            "tiny soft middle",
            (x + width / 2.0, 46.0),
            &format!("item {item}"),
        );
    }
    d.text(
        "small soft",
        (LEFT, 106.0),
        "An item's sum stays in a register until it is done.",
    );
    d.text("bold", (LEFT, 142.0), "with a barrier: two loops");
    for item in 0..ITEMS {
        for (half, (class, words)) in [("local", "copy"), ("c", "add")].iter().enumerate() {
            let x = LEFT + STEP * 1.98 * item as f64 + 237.0 * half as f64;
            d.rect(class, (x, 170.0), STEP * 1.86, 34.0);
            d.text("small middle", (x + STEP * 0.93, 191.5), words);
            d.text(
                "tiny soft middle",
                (x + STEP * 0.93, 164.0),
                &item.to_string(),
            );
        }
    }
    d.line("frame", &[(LEFT + 225.0, 154.0), (LEFT + 225.0, 222.0)]);
    d.text("small bold middle", (LEFT + 225.0, 237.0), "barrier");
    d.rect("private", (LEFT, 246.0), 452.0, 26.0);
    d.text(
        "small middle",
        (LEFT + 226.0, 263.5),
        "what items keep across it: one sum for each, in memory",
    );
    d.text("tiny soft end", (466.0, 290.0), "time, on one core");
    d.arrow(&[(LEFT, 286.0), (LEFT + 340.0, 286.0)]);
    Ok(Figure {
        title: "A group on a CPU: a loop over its items".into(),
        description: "Two time lines of one core that runs a group of four items. Without a barrier \
             it runs item after item, all of its work at once, and the sum stays in a register. With \
             a barrier it runs the first part of all items, then the second part of all items; what \
             an item keeps across the barrier is stored in memory, once for each item."
            .into(),
        drawing: d,
    })
}
