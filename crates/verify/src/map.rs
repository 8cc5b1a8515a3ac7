//! A small map of C: where it is right, and where it is not.

use crate::wrong::Wrong;

/// At most so many cells; a cell stands for a block of elements where C is larger.
const HEIGHT: usize = 16;
const WIDTH: usize = 32;

/// The characters: what a cell's block is.
const RIGHT: char = '.';
const PARTLY: char = '+';
const WRONG: char = '#';
const UNTOUCHED: char = 'o';

/// What the characters mean.
pub const LEGEND: &str = "'.' right, '+' partly wrong, '#' wrong, 'o' never written";

/// The map in lines: one of column numbers, then one for each row of cells with the
/// number of its first row.
pub fn map(wrong: &Wrong) -> Vec<String> {
    // A cell's rows and columns; the last ones of C may have fewer.
    let (height, width) = (wrong.rows.div_ceil(HEIGHT), wrong.cols.div_ceil(WIDTH));
    let (rows, cols) = (wrong.rows.div_ceil(height), wrong.cols.div_ceil(width));
    let mut counts = vec![vec![(0, 0); cols]; rows];
    for m in &wrong.mismatches {
        let (all, untouched) = &mut counts[m.row / height][m.col / width];
        *all += 1;
        *untouched += usize::from(m.untouched);
    }
    let cell = |row: usize, col: usize| {
        let (all, untouched) = counts[row][col];
        let area = height.min(wrong.rows - row * height) * width.min(wrong.cols - col * width);
        match all {
            0 => RIGHT,
            some if (some + 1) * wrong.every <= area => PARTLY,
            some if some == untouched => UNTOUCHED,
            _ => WRONG,
        }
    };
    let last = (wrong.cols - 1).to_string();
    let room = cols.saturating_sub(1);
    let head = match wrong.cols {
        1 => "  column 0".to_string(),
        _ if room <= last.len() => format!("  columns 0 to {last}"),
        _ => format!("  column  0{last:>room$}"),
    };
    let line = |row: usize| {
        let cells: String = (0..cols).map(|col| cell(row, col)).collect();
        format!("  {:>6} |{cells}|", row * height)
    };
    std::iter::once(head).chain((0..rows).map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mismatch;

    fn wrong(rows: usize, cols: usize, is_bad: impl Fn(usize, usize) -> bool) -> Wrong {
        let all = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        let mismatches = all
            .filter(|&(row, col)| is_bad(row, col))
            .map(|(row, col)| Mismatch { row, col, got: 1.0, want: 0.0, untouched: row == 0 })
            .collect();
        Wrong { rows, cols, count: 1, every: 1, mismatches, looks_like: Vec::new() }
    }

    #[test]
    fn a_small_matrix_has_a_cell_for_each_element() {
        let shown = map(&wrong(3, 4, |row, col| row == col));
        let expected = ["  column  0  3", "       0 |o...|", "       1 |.#..|", "       2 |..#.|"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_block_is_right_partly_wrong_or_wrong() {
        // 64 x 64 elements: cells of 4 rows and 2 columns.
        let lines = map(&wrong(64, 64, |row, col| row >= 60 || (row, col) == (8, 63)));
        assert_eq!(lines.len(), 17);
        assert_eq!(lines[0].len(), lines[1].len() - 1, "the last number ends over the last cell");
        assert_eq!(lines[1], format!("       0 |{}|", ".".repeat(32)));
        assert_eq!(lines[3], format!("       8 |{}+|", ".".repeat(31)));
        assert_eq!(lines[16], format!("      60 |{}|", "#".repeat(32)));
    }

    #[test]
    fn a_block_that_is_all_but_one_wrong_is_partly_wrong() {
        // Cells of 4 rows and 2 columns: seven of eight.
        let shown = map(&wrong(64, 64, |row, col| row < 4 && col < 2 && (row, col) != (3, 1)));
        let first = format!("       0 |+{}|", ".".repeat(31));
        assert_eq!(shown[1], first);
    }

    #[test]
    fn an_element_that_stands_for_several_counts_for_them() {
        // Cells of 64 rows and 32 columns; every third element of two cells is there,
        // and of one of these a row is missing.
        let mut large = wrong(1024, 1024, |row, col| {
            row < 64 && col < 64 && (row, col / 32) != (7, 1) && (row * 64 + col) % 3 == 0
        });
        large.every = 3;
        let shown = map(&large);
        let first = format!("       0 |#+{}|", ".".repeat(30));
        assert_eq!(shown[1], first);
    }

    #[test]
    fn few_columns_are_named_by_words() {
        let head = |cols: usize| map(&wrong(1, cols, |_, _| true)).remove(0);
        assert_eq!(head(1), "  column 0");
        assert_eq!(head(2), "  columns 0 to 1");
        assert_eq!(head(3), "  column  0 2");
        assert_eq!(head(12), "  column  0         11");
    }

    #[test]
    fn every_size_has_a_map_of_all_its_elements() {
        for (rows, cols) in [(1, 1), (1, 2), (2, 1), (1, 12), (17, 33), (100, 7), (1000, 10000)] {
            let mut last = wrong(1, 1, |_, _| false);
            (last.rows, last.cols) = (rows, cols);
            last.every = rows * cols;
            last.mismatches.push(Mismatch {
                row: rows - 1,
                col: cols - 1,
                got: 1.0,
                want: 0.0,
                untouched: false,
            });
            let map = map(&last);
            assert!(map[map.len() - 1].ends_with("#|"), "{rows} x {cols}");
            assert!(map.len() <= 1 + HEIGHT);
        }
    }
}
