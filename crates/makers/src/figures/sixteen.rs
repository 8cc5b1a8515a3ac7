//! The memory model's example: sixteen ints, aligned to a sector and not.

use anyhow::Result;

use crate::figures::counting::{FLOAT, SECTOR, sectors};
use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

const ITEMS: usize = 16;
/// Where memory begins in the picture, and its units for each byte.
const FIRST: usize = 0x1220;
const BYTE: f64 = 4.4;
const LEFT: f64 = 28.0;

/// Address of the first int, and what to think of it.
const STARTS: [(usize, &str); 3] = [
    (0x1240, "aligned to a sector"),
    (0x1234, "aligned to an int"),
    (0x1232, "not aligned: no int may lie here"),
];

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(344.0);
    let mut described = Vec::new();
    for (i, (start, says)) in STARTS.iter().enumerate() {
        let top = 26.0 + 106.0 * i as f64;
        let ints: Vec<usize> = (0..ITEMS).map(|item| start + item * FLOAT).collect();
        let touched = sectors(ints.iter().copied(), FLOAT);
        d.text("code bold", (LEFT, top), &format!("{start:#x}"));
        d.text("small soft", (LEFT + 62.0, top), says);
        let count = format!("{} sectors", touched.len());
        d.text("bold end", (452.0, top), &count);
        for sector in FIRST / SECTOR..FIRST / SECTOR + 3 {
            let class = if touched.contains(&sector) {
                "a-soft"
            } else {
                "cell"
            };
            let x = x_of(sector * SECTOR);
            d.rect(class, (x, top + 12.0), BYTE * SECTOR as f64, 40.0);
            d.text(
                "code soft",
                (x + 4.0, top + 70.0),
                &format!("{:#x}", sector * SECTOR),
            );
        }
        for (item, address) in ints.iter().enumerate() {
            let astride = sectors([*address], FLOAT).len() > 1;
            let class = if astride { "item" } else { "item-soft" };
            d.rect(
                class,
                (x_of(*address), top + 18.0),
                BYTE * FLOAT as f64,
                28.0,
            );
            let class = if astride {
                "tiny middle on"
            } else {
                "tiny middle"
            };
            d.text(
                class,
                (x_of(*address) + BYTE * 2.0, top + 36.0),
                &item.to_string(),
            );
        }
        described.push(format!("from {start:#x} on, {says}, they touch {count}"));
    }
    let last = STARTS[STARTS.len() - 1].0;
    let is_astride = |item: &usize| sectors([last + item * FLOAT], FLOAT).len() > 1;
    let astride: Vec<String> = (0..ITEMS)
        .filter(is_astride)
        .map(|item| item.to_string())
        .collect();
    Ok(Figure {
        title: "Sixteen items and the sectors that they touch".into(),
        description: format!(
            "Memory in sectors of {SECTOR} bytes, and sixteen items that read neighbouring ints: {}. \
             In the last case the ints of items {} lie across the border of two sectors, so that {} \
             sectors would be moved if each request were served on its own.",
            described.join("; "),
            astride.join(" and "),
            ITEMS + astride.len()
        ),
        drawing: d,
    })
}

fn x_of(address: usize) -> f64 {
    LEFT + BYTE * (address - FIRST) as f64
}
