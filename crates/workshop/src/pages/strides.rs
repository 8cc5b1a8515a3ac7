//! Lesson 4's copies with a distance between neighbours' reads, beside what counting
//! gives: memory moves whole pieces, and of each only a part is wanted.

use anyhow::{Context, Result};
use common::numbers::percent;
use toolbox::recording::Recording;

use super::markdown::{Table, or_dash};
use super::table::{captions, label};

/// The copies, with the bytes that each of their items reads and writes.
const COPIES: [(&str, usize); 2] = [("copy_stride", 4), ("copy_stride_vector", 16)];
/// Bytes that a memory moves at once: sectors, and lines or pairs of sectors.
const PIECES: [usize; 2] = [32, 64];

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
            row.extend(PIECES.map(|piece| percent(counted(bytes, apart, piece))));
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

/// Bytes that are wanted over bytes that move: an item reads `bytes`, and whatever else of
/// the piece lies before the next item's; it writes `bytes`.
fn counted(bytes: usize, apart: usize, piece: usize) -> f64 {
    let read = apart.min(piece).max(bytes);
    2.0 * bytes as f64 / (read + bytes) as f64
}

fn share(run: &Recording, kernel: &str) -> String {
    let found = run.records.iter().find(|record| record.kernel == kernel);
    or_dash(found.and_then(|record| record.share_of_limit), percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_nobody_else_wants_moves_whole() {
        let of_floats = [4, 8, 16, 32, 64].map(|apart| counted(4, apart, 32));
        let percents = of_floats.map(|share| (100.0 * share).round());
        assert_eq!(percents, [100.0, 67.0, 40.0, 22.0, 22.0]);
        assert_eq!((100.0 * counted(4, 64, 64)).round(), 12.0);
        assert_eq!(counted(16, 16, 32), 1.0);
        assert_eq!((100.0 * counted(16, 32, 32)).round(), 67.0);
    }

    #[test]
    fn every_stride_has_a_row() {
        let table = table(&["pocl-1024", "h200-4096"]).unwrap();
        for row in ["| `copy_stride 1` | 4 |", "| `copy_stride_vector 4` | 64 |"] {
            assert!(table.contains(row), "{table}");
        }
        assert!(super::table(&[]).is_err());
    }
}
