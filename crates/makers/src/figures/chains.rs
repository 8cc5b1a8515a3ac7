//! Lesson 7's dot product: additions that wait for each other, and such that do not.

use anyhow::Result;

use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;

/// Cycles from the beginning of a multiply-add until its sum can be used.
const LATENCY: usize = 4;
const PRODUCTS: usize = 8;
const CYCLE: f64 = 12.5;
const LEFT: f64 = 60.0;
const BAR: f64 = 24.0;

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(324.0);
    let one = schedule(1);
    let four = schedule(4);
    d.text("bold", (14.0, 26.0), "one sum");
    chart(&mut d, 40.0, &one, 1);
    d.text("bold", (14.0, 106.0), "four sums");
    let end = chart(&mut d, 120.0, &four, 4);
    // Two rounds of additions make one sum of four.
    for (round, name) in ["add", "add"].iter().enumerate() {
        let x = LEFT + CYCLE * (end + LATENCY * round) as f64;
        d.rect(
            "private",
            (x, 120.0 + 1.5 * (BAR + 4.0)),
            CYCLE * LATENCY as f64,
            BAR,
        );
        d.text(
            "small middle",
            (x + CYCLE * LATENCY as f64 / 2.0, 137.0 + 1.5 * (BAR + 4.0)),
            name,
        );
    }
    axis(&mut d, 246.0, PRODUCTS * LATENCY);
    let says: [&str; 2] = [
        &format!("A box: a multiply-add, {LATENCY} cycles until its sum is there."),
        "Yellow: the four sums are added up, once at the end.",
    ];
    d.paragraph("small", (14.0, 292.0), 19.0, &says);
    let last = end + 2 * LATENCY;
    Ok(Figure {
        title: "One chain of additions, and four".into(),
        description: format!(
            "A time chart in cycles of {PRODUCTS} multiply-adds. With one sum each begins when the one \
             before it has ended: {} cycles. With four sums one begins in each cycle, so that four \
             overlap: {end} cycles, and {last} with the four sums added up.",
            PRODUCTS * LATENCY
        ),
        drawing: d,
    })
}

/// Row and first cycle of each product, with this many sums in turn: one begins in a
/// cycle, when the sum is free.
fn schedule(sums: usize) -> Vec<(usize, usize)> {
    let mut free = vec![0; sums];
    let mut next = 0;
    let places = (0..PRODUCTS).map(|k| {
        let row = k % sums;
        let start = next.max(free[row]);
        free[row] = start + LATENCY;
        next = start + 1;
        (row, start)
    });
    places.collect()
}

/// Draws it and gives the cycle in which it ends.
fn chart(d: &mut Drawing, top: f64, schedule: &[(usize, usize)], sums: usize) -> usize {
    for row in 0..sums {
        let y = top + (BAR + 4.0) * row as f64;
        d.text(
            "small soft end",
            (LEFT - 8.0, y + 17.0),
            &format!("sum {row}"),
        );
    }
    let wide = CYCLE * LATENCY as f64;
    for (k, (row, start)) in schedule.iter().enumerate() {
        let at: Point = (
            LEFT + CYCLE * *start as f64,
            top + (BAR + 4.0) * *row as f64,
        );
        d.rect("c", at, wide, BAR);
        d.text(
            "small middle",
            (at.0 + wide / 2.0, at.1 + 17.0),
            &format!("k = {k}"),
        );
    }
    schedule
        .iter()
        .map(|(_, start)| start + LATENCY)
        .max()
        .unwrap_or(0)
}

fn axis(d: &mut Drawing, y: f64, cycles: usize) {
    d.line("axis", &[(LEFT, y), (LEFT + CYCLE * cycles as f64, y)]);
    for cycle in (0..=cycles).step_by(LATENCY) {
        let x = LEFT + CYCLE * cycle as f64;
        d.line("axis", &[(x, y), (x, y + 4.0)]);
        d.text("small soft middle", (x, y + 18.0), &cycle.to_string());
    }
    d.text("small soft end", (LEFT - 12.0, y + 18.0), "cycle");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_sums_begin_one_product_in_each_cycle() {
        assert_eq!(schedule(1).last(), Some(&(0, 28)));
        assert_eq!(schedule(4).last(), Some(&(3, 7)));
    }
}
