//! Lesson 4's four kernels: what 32 neighbouring items read at one k, and how many
//! sectors that is.

use anyhow::Result;

use super::{Drawing, FLOAT, Grid, Kernel, SECTOR, WARP, pieces};

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

pub fn draw() -> Result<String> {
    let mut d = Drawing::new(396.0);
    let mut described = Vec::new();
    for (i, (name, b, says)) in KERNELS.iter().enumerate() {
        let kernel = Kernel::read("04-coalescing.cl", name)?;
        let (left, top) = (12.0 + 240.0 * (i % 2) as f64, 20.0 + 180.0 * (i / 2) as f64);
        d.text("bold", (left, top), says[0]);
        d.text("small soft", (left, top + 17.0), says[1]);
        let mut counts = Vec::new();
        for (array, class, x) in [("A", "a", left), (b, "b", left + 113.0)] {
            let elements = elements(&kernel, array)?;
            counts.push(matrix(&mut d, class, (x, top + 26.0), &elements));
            d.text(&format!("small bold {class}"), (x + 4.0, top + 40.0), array);
        }
        let count = format!(
            "{} + {} = {} sectors",
            counts[0],
            counts[1],
            counts[0] + counts[1]
        );
        d.text("bold", (left, top + 145.0), &count);
        described.push(format!("{}, {}: {count}", says[0], says[1]));
    }
    d.rect("a-soft", (12.0, 374.0), 24.0, 10.0);
    d.rect("a-edge", (12.0, 374.0), 24.0, 10.0);
    d.text("small", (42.0, 383.0), "a sector, which is moved: 8 floats");
    d.rect("item", (318.0, 373.0), 10.0, 10.0);
    d.text("small", (334.0, 383.0), "what an item reads");
    let description = format!(
        "Four panels, each with a matrix A and a matrix B of 32 x 32 floats, in which the elements \
         are marked that 32 neighbouring items read at one k, with the sectors of 32 bytes around \
         them. {}. One panel alone is different: where neighbours read neighbours.",
        described.join("; ")
    );
    Ok(d.svg("What 32 neighbouring items read at one k", &description))
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

/// Draws a matrix with these elements, and the sectors that they lie in; says how many.
fn matrix(d: &mut Drawing, class: &str, corner: (f64, f64), elements: &[usize]) -> usize {
    let grid = Grid::of(corner, CELL);
    d.rect("cell", corner, CELL * WARP as f64, CELL * WARP as f64);
    let floats = SECTOR / FLOAT;
    let sectors = pieces(elements.iter().map(|e| e * FLOAT), FLOAT, SECTOR);
    let all = |d: &mut Drawing, kind: &str| {
        for first in sectors.iter().map(|sector| sector * floats) {
            grid.run(
                d,
                &format!("{class}-{kind}"),
                (first % WARP, first / WARP),
                floats,
            );
        }
    };
    all(d, "soft");
    for element in elements {
        grid.cell(d, "item", element % WARP, element / WARP);
    }
    // The edges lie over the items, so that sectors can be counted.
    all(d, "edge");
    sectors.len()
}
