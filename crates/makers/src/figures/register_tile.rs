//! The tile of an item on a CPU: which vector registers hold what.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::kernel::Kernel;

/// Vector registers that AVX-512 has.
const REGISTERS: usize = 32;
const CELL: f64 = 92.0;
const HIGH: f64 = 20.0;

pub fn draw() -> Result<Figure> {
    let kernel = Kernel::read("09-tiling-for-a-cpu.cl", "matmul_register_tile_private")?;
    let (width, vectors) = (kernel.constant("WIDTH")?, kernel.constant("VECTORS")?);
    let rows = kernel.constant("ROWS")?;
    let used = rows * vectors + vectors + 1;
    let (left, top) = (150.0, 82.0);
    let mut d = Drawing::new(top + (HIGH + 5.0) * rows as f64 + 66.0);
    d.measure_across(
        left,
        left + (CELL + 6.0) * vectors as f64 - 6.0,
        26.0,
        &format!("{vectors} vectors of {width} columns"),
    );
    let place = |v: usize, row: f64| (left + (CELL + 6.0) * v as f64, top + (HIGH + 5.0) * row);
    for v in 0..vectors {
        d.rect("b", place(v, -1.7), CELL, HIGH);
        let (x, y) = place(v, -1.7);
        d.text("small middle", (x + CELL / 2.0, y + 14.5), "B: row k");
        for row in 0..rows {
            d.rect("c", place(v, row as f64), CELL, HIGH);
            for lane in 1..width {
                let (x, y) = place(v, row as f64);
                let x = x + CELL * lane as f64 / width as f64;
                d.line("grid", &[(x, y + 3.0), (x, y + HIGH - 3.0)]);
            }
        }
    }
    for row in 0..rows {
        let y = top + (HIGH + 5.0) * row as f64;
        d.rect(
            if row == 0 { "a" } else { "a-soft" },
            (left - 34.0, y),
            24.0,
            HIGH,
        );
    }
    d.text("small end", (left - 42.0, top + 14.5), "A, in turn");
    let bottom = top + (HIGH + 5.0) * rows as f64;
    d.measure_down(
        left - 46.0,
        top + HIGH + 5.0,
        bottom - 5.0,
        &format!("{rows} rows"),
    );
    let sum =
        format!("{rows} x {vectors} sums, {vectors} of B, 1 of A: {used} of {REGISTERS} registers");
    d.text("small bold middle", (240.0, bottom + 24.0), &sum);
    let loads = format!(
        "for each k: {} loads, {} multiply-adds of {width} lanes",
        vectors + rows,
        rows * vectors
    );
    d.text("small middle", (240.0, bottom + 44.0), &loads);
    Ok(Figure {
        title: "The register tile of a CPU".into(),
        description: format!(
            "{rows} rows of {vectors} vectors of {width} sums, all in registers. Above them {vectors} \
             vectors of a row of B, which every row uses. To their left the {rows} elements of A, one \
             register for each in turn. {sum}; {loads}."
        ),
        drawing: d,
    })
}
