//! Lesson 11's landscape: the rate of every shape of an item's tile, and where the registers end.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use common::numbers::significant;
use process::data::recording::{Recording, file};

use super::{Drawing, Point};
use crate::printed::numbers;

/// A search that tried them all.
const RUN: &str = "pocl-1024-landscape";
const KERNEL: &str = "matmul_tunable_packed";
/// Vector registers that AVX2 has, and floats in each: the recorded CPU's.
const REGISTERS: usize = 16;
const LANES: usize = 8;

/// The left, top corner of the first cell, and the size of each.
const CORNER: Point = (118.0, 66.0);
const CELL: (f64, f64) = (62.0, 32.0);

/// GFLOP/s by rows and columns of an item's tile.
type Rates = BTreeMap<(usize, usize), f64>;

pub fn draw() -> Result<String> {
    let device = Recording::read(RUN, "lesson11")?.device();
    let rates = rates(&file(RUN, "lesson11", "txt")?)?;
    let best = rates
        .iter()
        .max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (best, most) = best.context("no rates")?;
    let rows: BTreeSet<usize> = rates.keys().map(|tile| tile.0).collect();
    let columns: BTreeSet<usize> = rates.keys().map(|tile| tile.1).collect();
    let bottom = corner(0, rows.len()).1;
    let mut d = Drawing::new(bottom + 76.0);
    heads(&mut d, &rows, &columns);
    for (i, row) in rows.iter().enumerate() {
        for (j, column) in columns.iter().enumerate() {
            // As strong as its share of the best rate.
            let Some(rate) = rates.get(&(*row, *column)) else {
                d.rect("wait", corner(j, i), CELL.0, CELL.1);
                continue;
            };
            d.shade("cpu", corner(j, i), CELL, rate / most);
            let best = if rate < most { "" } else { " bold" };
            let class = format!("small{best} middle");
            d.text(&class, middle(j, i), &significant(*rate));
        }
    }
    // The line between what fits and what does not, from the top right to the bottom left.
    let edge = columns.iter().enumerate().rev().flat_map(|(j, column)| {
        let row = rows
            .iter()
            .take_while(|rows| fits((**rows, *column)))
            .count();
        [corner(j + 1, row), corner(j, row)]
    });
    d.line("roof", &edge.collect::<Vec<Point>>());
    d.line("roof", &[(14.0, bottom + 20.0), (40.0, bottom + 20.0)]);
    let says = [
        (
            48.0,
            format!("below and right of it {REGISTERS} registers are too few"),
        ),
        (14.0, format!("GFLOP/s, {device}: the stronger the faster")),
        (
            14.0,
            "dashed: left out, more sums than any CPU can keep".into(),
        ),
    ];
    for (i, (x, words)) in says.iter().enumerate() {
        d.text("small", (*x, bottom + 24.5 + 20.0 * i as f64), words);
    }
    let beyond = rates.iter().filter(|(tile, _)| !fits(**tile));
    let beyond = beyond.map(|(_, rate)| *rate).fold(0.0, f64::max);
    let (shapes, (rows, columns)) = (rates.len(), best);
    let [most, beyond] = [*most, beyond].map(significant);
    let description = format!(
        "A heat map: the rate of each of {shapes} shapes of an item's tile on {device}, by its rows, \
         downwards, and its columns, to the right. The rates rise with both, up to {most} GFLOP/s at \
         {rows} rows of {columns} columns. A line like stairs runs from the top right to the bottom \
         left: beyond it the {REGISTERS} vector registers are too few, and the best rate there is \
         {beyond}."
    );
    Ok(d.svg("The landscape that the tuner walks", &description))
}

/// The left, top corner of a cell.
fn corner(column: usize, row: usize) -> Point {
    let (x, y) = (CELL.0 * column as f64, CELL.1 * row as f64);
    (CORNER.0 + x, CORNER.1 + y)
}

/// Where words stand in the middle of it.
fn middle(column: usize, row: usize) -> Point {
    let (x, y) = corner(column, row);
    (x + CELL.0 / 2.0, y + CELL.1 / 2.0 + 4.5)
}

/// The map that the lesson printed: a line of columns, then a line for each number of rows.
fn rates(printed: &str) -> Result<Rates> {
    let mut lines = printed.lines().map(str::trim);
    let heading = format!("{KERNEL}: GFLOP/s by rows");
    let head = lines.find(|line| line.starts_with(&heading));
    head.context("no map was printed")?;
    let columns = numbers(lines.next().unwrap_or_default());
    let mut rates = Rates::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let (rows, cells) = line.split_once(' ').context("a row without a rate")?;
        for (column, cell) in columns.iter().zip(cells.split_whitespace()) {
            // What was left out is a dot.
            if let [rate] = numbers(cell)[..] {
                rates.insert((rows.parse()?, *column as usize), rate);
            }
        }
    }
    ensure!(!rates.is_empty(), "an empty map");
    Ok(rates)
}

/// Whether the sums, a row's vectors of B and an element of A have a register each.
fn fits((rows, columns): (usize, usize)) -> bool {
    let vectors = columns / LANES;
    rows * vectors + vectors < REGISTERS
}

/// What stands above the columns and beside the rows.
fn heads(d: &mut Drawing, rows: &BTreeSet<usize>, columns: &BTreeSet<usize>) {
    let left = CORNER.0 - 10.0;
    for (words, y) in [("columns", 24.0), ("vectors", 42.0), ("rows", 60.0)] {
        d.text("small soft end", (left, y), words);
    }
    for (j, column) in columns.iter().enumerate() {
        let (x, _) = middle(j, 0);
        for (number, y) in [(*column, 24.0), (column / LANES, 42.0)] {
            d.text("small soft middle", (x, y), &number.to_string());
        }
    }
    for (i, row) in rows.iter().enumerate() {
        let (_, y) = middle(0, i);
        d.text("small soft end", (left, y), &row.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_as_it_was_printed() {
        let printed = format!(
            "x\n  {KERNEL}: GFLOP/s by rows (down), columns of an item's tile\n            8     24\n     \
             1  23.6   70.8░\n     4     ·    187█\n\n  picture\n"
        );
        let read = rates(&printed).unwrap();
        let expected = [((1, 8), 23.6), ((1, 24), 70.8), ((4, 24), 187.0)];
        assert_eq!(read, Rates::from(expected));
        assert!(rates("x").is_err());
    }

    #[test]
    fn four_rows_of_24_columns_are_the_last_that_fit() {
        assert!(fits((4, 24)) && !fits((5, 24)) && fits((14, 8)) && !fits((2, 48)));
    }
}
