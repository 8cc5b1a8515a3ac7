//! Lesson 8's register tile: from the matrix to the group's tile, to the item's, to one k.

use anyhow::Result;

use crate::figures::drawing::{Drawing, Point};
use crate::figures::figure::Figure;
use crate::figures::kernel::Kernel;

pub fn draw() -> Result<Figure> {
    let kernel = Kernel::read("08-tiling.cl", "matmul_register_tile")?;
    let constant = |name| kernel.constant(name);
    let (tm, tn, tk) = (constant("TM")?, constant("TN")?, constant("TK")?);
    let (rm, rn) = (constant("RM")?, constant("RN")?);
    let (gx, gy) = (tn / rn, tm / rm);
    let mut d = Drawing::new(564.0);
    matrix(&mut d, (tm, tn, tk));
    group(&mut d, (tm, tn), (rm, rn), (gx, gy));
    one_k(&mut d, (rm, rn));
    Ok(Figure {
        title: "From the matrix to one item at one k".into(),
        description: format!(
            "Three pictures, each a part of the one before. First the matrices: a group owns a tile \
             of C of TM = {tm} rows and TN = {tn} columns, and needs a band of A and a band of B, of \
             which it copies TK = {tk} at a time. Then this tile: one item owns {rm} x {rn} of its \
             elements, GX = {gx} columns and GY = {gy} rows apart. Then one k: {rm} elements of A and \
             {rn} elements of B, {} reads, for {} multiply-adds.",
            rm + rn,
            rm * rn
        ),
        drawing: d,
    })
}

/// A, B and C, to a scale of their own.
fn matrix(d: &mut Drawing, (tm, tn, tk): (usize, usize, usize)) {
    let unit = 0.21; // a tile of 64 x 128 is 13 x 27 units, and 512 x 512 the matrix
    let (high, wide, deep) = (tm as f64 * unit, tn as f64 * unit, tk as f64 * unit);
    let side = 107.5;
    d.text("bold", (14.0, 24.0), "1  the group's tile");
    let (a, c, b_top) = ((46.0, 172.0), (172.0, 172.0), 46.0);
    for corner in [a, c, (c.0, b_top)] {
        d.rect("cell", corner, side, side);
    }
    let (tile_x, tile_y) = (c.0 + 2.0 * wide, c.1 + 3.0 * high);
    d.rect("a-soft", (a.0, tile_y), side, high);
    d.rect("a", (a.0 + 40.0, tile_y), deep, high);
    d.rect("b-soft", (tile_x, b_top), wide, side);
    d.rect("b", (tile_x, b_top + 40.0), wide, deep);
    d.rect("c", (tile_x, tile_y), wide, high);
    d.text("bold a", (a.0 + 6.0, a.1 + 18.0), "A");
    d.text("bold b", (c.0 + 6.0, b_top + 18.0), "B");
    d.text("bold c", (c.0 + 6.0, c.1 + 18.0), "C");
    d.measure_down(38.0, tile_y, tile_y + high, "TM");
    d.measure_across(a.0 + 40.0, a.0 + 40.0 + deep, a.1 - 8.0, "TK");
    d.measure_across(tile_x, tile_x + wide, b_top - 6.0, "TN");
    let says = [
        format!("TM = {tm} rows"),
        format!("TN = {tn} columns"),
        format!("TK = {tk} deep"),
    ];
    d.paragraph("small", (306.0, 64.0), 20.0, &says);
    let says = [
        "Local memory holds",
        "what A and B have",
        "marked: all copy it,",
        "then go on along k.",
    ];
    d.paragraph("small soft", (306.0, 134.0), 18.0, &says);
}

/// The group's tile: one item's elements in it.
fn group(
    d: &mut Drawing,
    (tm, tn): (usize, usize),
    (rm, rn): (usize, usize),
    (gx, gy): (usize, usize),
) {
    let (left, top, unit) = (46.0, 336.0, 1.5);
    d.text("bold", (14.0, 306.0), "2  one item's elements");
    let (wide, high) = (tn as f64 * unit, tm as f64 * unit);
    d.rect("c-soft", (left, top), wide, high);
    for r in 0..rm {
        for c in 0..rn {
            let (x, y) = (left + (c * gx) as f64 * unit, top + (r * gy) as f64 * unit);
            d.rect("item", (x, y), 4.0, 4.0);
        }
    }
    d.measure_across(left, left + gx as f64 * unit, top - 6.0, "GX");
    let below = top + high + 22.0;
    d.measure_across(left, left + wide, below, &format!("TN = {tn}"));
    d.measure_down(left - 8.0, top, top + gy as f64 * unit, "GY");
    let says = [
        format!("{rm} x {rn} sums, GX = {gx} columns"),
        format!("and GY = {gy} rows apart, so that"),
        "neighbours read neighbours".to_string(),
    ];
    d.paragraph("small soft", (14.0, top + high + 48.0), 18.0, &says);
    let items = format!("{gx} x {gy} = {} items", gx * gy);
    d.text("small", (14.0, top + high + 108.0), &items);
}

/// One k: a column of A, a row of B, all pairs.
fn one_k(d: &mut Drawing, (rm, rn): (usize, usize)) {
    let cell: f64 = 17.0;
    let (left, top) = (306.0, 372.0);
    d.text("bold", (266.0, 306.0), "3  one k of an item");
    let place = |column: f64, row: f64| -> Point { (left + cell * column, top + cell * row) };
    for c in 0..rn {
        d.rect("b", place(c as f64, -1.4), cell, cell);
    }
    for r in 0..rm {
        d.rect("a", place(-1.4, r as f64), cell, cell);
        for c in 0..rn {
            d.rect("private", place(c as f64, r as f64), cell, cell);
        }
    }
    d.measure_across(
        left,
        left + cell * rn as f64,
        top - 32.0,
        &format!("RN = {rn}"),
    );
    d.measure_down(left - 32.0, top, top + cell * rm as f64, "RM");
    let bottom = top + cell * rm as f64;
    let says = [
        format!("{rm} + {rn} = {} reads,", rm + rn),
        format!("{rm} x {rn} = {} multiply-adds", rm * rn),
    ];
    d.paragraph("small", (266.0, bottom + 26.0), 18.0, &says);
}
