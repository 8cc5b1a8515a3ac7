//! A tile's column in local memory: the turns that its banks are counted to take, beside
//! what was measured.

use crate::figures::counting::{self, WARP};
use anyhow::{Context, Result};
use common::numbers::factor;

use super::super::markdown::Table;
use super::{first, name};
use crate::probe::Machine;

/// A column of a tile with rows of several lengths, in words and in vectors of four.
pub fn table(machines: &[Machine]) -> Result<String> {
    let mut table = Table::new("a warp reads")
        .figures("a row, words")
        .figures("counted passes");
    for machine in machines {
        table = table.figures(format!("{}: times the neighbours' time", name(machine)));
    }
    for (probe, words) in [("local_read", 1), ("local_read_vector", 4)] {
        for figure in first(machines)?.of_probe(probe) {
            let variant = &figure.variant;
            let (length, high) = variant.split_once(' ').context("a row and a height")?;
            let (length, high): (usize, usize) = (length.parse()?, high.parse()?);
            let turns = turns(length, high, words);
            let mut row = vec![
                reads(length, high, words),
                (length * words).to_string(),
                turns.to_string(),
            ];
            for of in machines {
                let neighbours = of.figure(probe, "1 32")?.nanoseconds;
                let time = of.figure(probe, variant)?.nanoseconds;
                row.push(factor(time / neighbours));
            }
            table.row(row);
        }
    }
    Ok(table.to_string())
}

fn reads(row: usize, high: usize, words: usize) -> String {
    let what = if words == 1 { "words" } else { "`float4`" };
    match (row, WARP / high.max(1)) {
        (1, _) => format!("neighbouring {what}"),
        (_, 1) => format!("a column of {high} {what}"),
        (_, columns) => format!("{columns} columns of {high} {what}"),
    }
}

/// How often the busiest bank must answer: a word of each lane, or of four words
/// those of a quarter of the lanes at a time.
fn turns(row: usize, high: usize, words: usize) -> usize {
    let lanes: Vec<usize> = (0..WARP).collect();
    let parts = lanes.chunks(WARP / words);
    let of_part = parts.map(|lanes| {
        let vectors = lanes.iter().map(|lane| lane % high * row + lane / high);
        counting::turns(vectors.flat_map(|at| words * at..words * (at + 1)))
    });
    of_part.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_bank_decides() {
        // A column of a tile with rows of 32 words lies in one bank, one of 33 in all.
        let words = [1, 2, 32, 33].map(|row| turns(row, 32, 1));
        assert_eq!(words, [1, 2, 32, 1]);
        // Two columns of 16: one word of padding leaves two lanes in one bank, two none.
        assert_eq!([16, 17, 18].map(|row| turns(row, 16, 1)), [8, 2, 1]);
        // Vectors of four words take four turns, wherever they lie.
        assert_eq!([1, 8, 9].map(|row| turns(row, 32, 4)), [4, 32, 4]);
    }

    #[test]
    fn a_row_says_what_is_read() {
        assert_eq!(reads(1, 32, 1), "neighbouring words");
        assert_eq!(reads(33, 32, 1), "a column of 32 words");
        assert_eq!(reads(17, 16, 1), "2 columns of 16 words");
        assert_eq!(reads(9, 32, 4), "a column of 32 `float4`");
    }
}
