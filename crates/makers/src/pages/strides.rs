//! Lesson 4's copies with a distance between neighbours' reads, beside what counting
//! gives: memory moves whole pieces, and of each only a part is wanted.

use crate::figures::counting::{LINE, SECTOR, share_of_use};
use anyhow::{Context, Result};
use common::numbers::percent;
use process::data::recording::Recording;

use super::markdown::{Table, or_dash};
use super::table::{captions, label};

/// The copies, with the bytes that each of their items reads and writes.
const COPIES: [(&str, usize); 2] = [("copy_stride", 4), ("copy_stride_vector", 16)];
/// Bytes that a memory moves at once: sectors, and lines or pairs of sectors.
const PIECES: [usize; 2] = [SECTOR, LINE];

/// A row for each copy of the first run: counted shares, and each device's shares of its
/// own limit.
pub fn table(runs: &[&str]) -> Result<String> {
    let runs = Recording::read_all(runs, "lesson04")?;
    let mut table = Table::new("copy").figures("bytes apart");
    for piece in PIECES {
        table = table.figures(format!("counted, pieces of {piece} bytes"));
    }
    for run in &runs {
        table = table.figures(format!("{}, of limit", label(run, &runs)));
    }
    for (copy, bytes) in COPIES {
        let first = runs.first().context("strides of no run")?;
        let names = first.records.iter().map(|record| &record.kernel);
        let strides = names.filter_map(|name| stride(name, copy));
        for stride in strides {
            let apart = stride * bytes;
            let kernel = format!("{copy} {stride}");
            let mut row = vec![format!("`{kernel}`"), apart.to_string()];
            row.extend(PIECES.map(|piece| percent(share_of_use(bytes, apart, piece))));
            row.extend(runs.iter().map(|run| share(run, &kernel)));
            table.row(row);
        }
    }
    Ok(format!("{table}{}", captions(&runs)))
}

fn stride(name: &str, copy: &str) -> Option<usize> {
    let rest = name.strip_prefix(copy)?.strip_prefix(' ')?;
    rest.parse().ok()
}

fn share(run: &Recording, kernel: &str) -> String {
    let found = run.records.iter().find(|record| record.kernel == kernel);
    or_dash(found.and_then(|record| record.share_of_limit), percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stride_has_a_row() {
        let table = table(&["pocl-1024", "h200-4096"]).unwrap();
        for row in ["| `copy_stride 1` | 4 |", "| `copy_stride_vector 4` | 64 |"] {
            assert!(table.contains(row), "{table}");
        }
        assert!(super::table(&[]).is_err());
    }
}
