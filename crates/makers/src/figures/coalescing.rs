//! Lesson 4's four kernels: what 32 neighbouring items read at one k, and how many
//! sectors that is.

use anyhow::Result;

use crate::figures::counting::{FLOAT, SECTOR, WARP, sectors};
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::grid::Grid;
use crate::figures::kernel::Kernel;

const FILE: &str = "04-coalescing.cl";
/// The kernel, its array of B, and what is said of it.
const KERNELS: [(&str, &str, [&str; 2]); 4] = [
    ("matmul_id0_rows", "B", [ROWS, AS_IT_IS]),
    ("matmul_id0_columns", "B", [COLUMNS, AS_IT_IS]),
    ("matmul_id0_rows_bt", "Bt", [ROWS, "B transposed"]),
    ("matmul_id0_columns_bt", "Bt", [COLUMNS, "B transposed"]),
];
const ROWS: &str = "id 0 counts rows";
const COLUMNS: &str = "id 0 counts columns";
const AS_IT_IS: &str = "B as it is";
/// The matrices are WARP x WARP here, and this is the k of the moment.
const K: f64 = 13.0;
const CELL: f64 = 3.1;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(396.0);
    let mut described = Vec::new();
    for (i, (name, b, says)) in KERNELS.iter().enumerate() {
        let kernel = Kernel::read(FILE, name)?;
        let (left, top) = (12.0 + 240.0 * (i % 2) as f64, 20.0 + 180.0 * (i / 2) as f64);
        d.text("bold", (left, top), says[0]);
        d.text("small soft", (left, top + 17.0), says[1]);
        let mut counts = Vec::new();
        for (array, class, x) in [("A", "a", left), (b, "b", left + 113.0)] {
            let elements = elements(&kernel, array)?;
            counts.push(sectors(elements.iter().map(|e| e * FLOAT), FLOAT).len());
            matrix(&mut d, class, &Grid::of((x, top + 26.0), CELL), &elements);
            d.text(&format!("small bold {class}"), (x + 4.0, top + 40.0), array);
        }
        let sum: usize = counts.iter().sum();
        let count = format!("{} + {} = {sum} sectors", counts[0], counts[1]);
        d.text("bold", (left, top + 145.0), &count);
        described.push(format!("{}, {}: {count}", says[0], says[1]));
    }
    key(&mut d);
    Ok(Figure {
        title: "What 32 neighbouring items read at one k".into(),
        description: format!(
            "Four panels, each with a matrix A and a matrix B of 32 x 32 floats, in which the \
             elements are marked that 32 neighbouring items read at one k, with the sectors of 32 \
             bytes around them. {}. One panel alone is different: where neighbours read neighbours.",
            described.join("; ")
        ),
        drawing: d,
    })
}

/// The element that each item of the warp reads of an array.
fn elements(kernel: &Kernel, array: &str) -> Result<Vec<usize>> {
    let along = kernel.of_id(0)?;
    let of_item = |item: usize| {
        kernel.element(array, |name| match name {
            "M" | "N" | "K" => Some(WARP as f64),
            "k" => Some(K),
            name if name == along => Some(item as f64),
            "row" | "column" => Some(5.0),
            _ => None,
        })
    };
    (0..WARP).map(of_item).collect()
}

fn matrix(d: &mut Drawing, class: &str, grid: &Grid, elements: &[usize]) {
    let side = CELL * WARP as f64;
    d.rect("cell", grid.corner, side, side);
    let floats = SECTOR / FLOAT;
    let sectors = sectors(elements.iter().map(|e| e * FLOAT), FLOAT);
    let all = |d: &mut Drawing, class: &str| {
        for sector in &sectors {
            let first = sector * floats;
            grid.run(d, class, (first % WARP, first / WARP), floats);
        }
    };
    all(d, &format!("{class}-soft"));
    for element in elements {
        grid.cell(d, "item", element % WARP, element / WARP);
    }
    // The edges lie over the items, so that sectors can be counted.
    all(d, &format!("{class}-edge"));
}

fn key(d: &mut Drawing) {
    d.rect("a-soft", (12.0, 374.0), 24.0, 10.0);
    d.rect("a-edge", (12.0, 374.0), 24.0, 10.0);
    d.text("small", (42.0, 383.0), "a sector, which is moved: 8 floats");
    d.rect("item", (318.0, 373.0), 10.0, 10.0);
    d.text("small", (334.0, 383.0), "what an item reads");
}
