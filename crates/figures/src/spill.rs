//! Lesson 5: a sum has room in registers, a row has not.

use anyhow::{Context, Result};
use common::numbers::bytes;
use toolbox::recording::Recording;

use crate::Figure;
use crate::drawing::Drawing;

pub fn draw() -> Result<Figure> {
    let run = Recording::read("h200-4096", "lesson05")?;
    let private = |kernel: &str| {
        let mut records = run.records.iter();
        let record = records.find(|record| record.kernel.starts_with(kernel));
        record
            .and_then(|record| record.private_bytes)
            .with_context(|| format!("no size of {kernel}"))
    };
    let (sum, row) = (
        private("matmul_private_sum")?,
        private("matmul_row_private")?,
    );
    let mut d = Drawing::new(318.0);
    for (left, code, says) in [
        (14.0, "REAL sum;", "one number"),
        (254.0, "REAL a[ROW];", "a number for each k"),
    ] {
        d.text("code bold", (left, 26.0), code);
        d.text("small soft", (left, 46.0), says);
        d.rect("private", (left, 60.0), 212.0, 74.0);
        d.text("small", (left + 10.0, 80.0), "registers");
    }
    for (i, name) in ["sum", "row", "k", "column"].iter().enumerate() {
        for left in [24.0, 264.0] {
            let name = if left > 200.0 && i == 0 { "a[k]" } else { name };
            let class = if i == 0 { "item-soft" } else { "cell" };
            let x = left + 49.0 * i as f64;
            d.rect(class, (x, 92.0), 46.0, 28.0);
            d.text("tiny middle", (x + 23.0, 110.0), name);
        }
    }
    d.arrow(&[(47.0, 134.0), (47.0, 208.0)]);
    d.text("small soft", (58.0, 168.0), "one store, at the end");
    d.arrow(&[(287.0, 208.0), (287.0, 136.0)]);
    d.text("small soft", (298.0, 168.0), "a load for every a[k]");
    for left in [14.0, 254.0] {
        d.rect("global", (left, 210.0), 212.0, 62.0);
    }
    d.text("small", (24.0, 230.0), "global memory");
    d.rect("c", (24.0, 240.0), 46.0, 22.0);
    d.text("tiny middle", (47.0, 255.0), "C");
    d.text("small", (264.0, 230.0), "spilled: behind the caches");
    for i in 0..24 {
        d.rect("item-soft", (264.0 + 8.0 * f64::from(i), 240.0), 8.0, 22.0);
    }
    d.text(
        "small bold",
        (14.0, 298.0),
        &format!("private: {}", bytes(sum)),
    );
    d.text(
        "small bold",
        (254.0, 298.0),
        &format!("private: {} an item", bytes(row)),
    );
    Ok(Figure {
        title: "What fits into registers, and what spills".into(),
        description: format!(
            "Two columns. On the left a sum stands in a register, and is stored to C once, at the end; \
             the driver of {} says {} of private memory. On the right a private array has no room \
             in registers and lies in memory behind the caches, so that every a(k) is a load; the \
             driver says {} for each item.",
            run.device(),
            bytes(sum),
            bytes(row)
        ),
        drawing: d,
    })
}
