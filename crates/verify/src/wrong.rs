//! A wrong result, described in the learner's words, with a small map of where it is right, and where
//! not.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong with a result, in parts; Display puts them together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differences {
    /// What else happened, or in which run.
    pub above: Vec<String>,
    /// How many elements are wrong.
    pub count: String,
    /// What the whole looks like, most telling first.
    pub looks: Vec<Look>,
    /// Examples, and where they are: a line each.
    pub below: Vec<String>,
}

/// What a wrong result looks like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// It holds although the next run gives other numbers.
    Fact(String),
    /// It is so of these numbers.
    Chance(String),
    /// The same of a share by which each element is off, which is hardly a matter of the size.
    Share(String),
    /// Like nothing that is known.
    Unknown,
}

impl Differences {
    /// Of another run than the first: what its numbers look like is chance, and only facts are
    /// told.
    pub fn facts(mut self) -> Differences {
        self.looks.retain(|look| matches!(look, Look::Fact(_)));
        self
    }

    /// All of it, in lines.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let count = Some(&self.count).filter(|count| !count.is_empty());
        let looks = self.looks.iter().map(|look| format!("  looks like: {look}"));
        self.above.iter().chain(count).cloned().chain(looks).chain(self.below.iter().cloned())
    }

    /// Its first line.
    pub fn in_short(&self) -> String {
        self.lines().next().unwrap_or_default()
    }

    /// The same, below this line.
    pub fn under(mut self, line: impl Into<String>) -> Differences {
        self.above.insert(0, line.into());
        self
    }
}

impl<Words: Into<String>> From<Words> for Differences {
    fn from(count: Words) -> Differences {
        Differences { count: count.into(), ..Differences::default() }
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.lines().collect::<Vec<_>>().join("\n"))
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Look::Fact(words) | Look::Chance(words) | Look::Share(words) => words,
            Look::Unknown => "nothing known",
        })
    }
}

/// One wrong element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    /// Row of C.
    pub row: usize,
    /// Column of C.
    pub col: usize,
    /// What the kernel wrote; NaN where it wrote nothing.
    pub got: f64,
    /// What the f64 sum gives.
    pub want: f64,
    /// Whether the element still held the poison.
    pub untouched: bool,
}

/// A wrong result, described.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Size of C.
    pub rows: usize,
    /// Size of C.
    pub cols: usize,
    /// How many elements are wrong.
    pub count: usize,
    /// The wrong elements, row after row; of very many only every so-many-th.
    pub mismatches: Vec<Mismatch>,
    /// For how many wrong elements each of them stands.
    pub every: usize,
    /// What the whole looks like, most telling first.
    pub looks_like: Vec<Look>,
}

impl From<Wrong> for Differences {
    fn from(wrong: Wrong) -> Differences {
        let compared = wrong.rows * wrong.cols;
        let example = |m: &Mismatch| {
            let (want, mut got) = apart(m.want, m.got);
            if m.untouched {
                got = "nothing".into();
            }
            let (row, col) = (m.row, m.col);
            format!("  C[{row}][{col}] must be {want}, the kernel wrote {got}")
        };
        let mut below: Vec<String> = wrong.mismatches.iter().take(5).map(example).collect();
        if compared > 1 {
            below.push(format!("  where ({}):", LEGEND));
            below.extend(map(&wrong));
        }
        Differences {
            count: match wrong.count {
                1 => format!("1 of {compared} elements is wrong"),
                count => format!("{count} of {compared} elements are wrong"),
            },
            looks: wrong.looks_like,
            below,
            above: Vec::new(),
        }
    }
}

/// Two numbers, in as many digits as a float has, or all where that would hide in what they
/// differ.
fn apart(one: f64, other: f64) -> (String, String) {
    let rounded = |value: f64| match format!("{value:.7e}").parse() {
        Ok(rounded) if value.fract() != 0.0 => rounded,
        _ => value,
    };
    match [one, other].map(rounded).map(readable) {
        [one, other] if one != other => (one, other),
        _ => (readable(one), readable(other)),
    }
}

/// All digits, unless zeros would be most of them.
fn readable(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-9) {
        format!("{value:.4e}")
    } else {
        value.to_string()
    }
}

/// At most so many cells; a cell stands for a block of elements where C is larger.
const HEIGHT: usize = 16;
const WIDTH: usize = 32;

/// The characters: what a cell's block is.
const RIGHT: char = '.';
const PARTLY: char = '+';
const WRONG: char = '#';
const UNTOUCHED: char = 'o';

/// What the characters mean.
const LEGEND: &str = "'.' right, '+' partly wrong, '#' wrong, 'o' never written";

/// The map in lines: one of column numbers, then one for each row of cells with the
/// number of its first row.
pub(crate) fn map(wrong: &Wrong) -> Vec<String> {
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

    fn mismatch(row: usize, col: usize, got: f64, want: f64) -> Mismatch {
        Mismatch { row, col, got, want, untouched: false }
    }

    fn wrong(rows: usize, cols: usize, mismatches: Vec<Mismatch>) -> Wrong {
        Wrong { rows, cols, count: mismatches.len(), every: 1, mismatches, looks_like: Vec::new() }
    }

    #[test]
    fn a_wrong_result_is_told_with_its_elements_and_a_map() {
        let mut two = wrong(1, 2, vec![mismatch(0, 1, 2.0, 1.0)]);
        two.looks_like.push(Look::Chance("rain".into()));
        let told = "1 of 2 elements is wrong\n  \
                    looks like: rain\n  \
                    C[0][1] must be 1, the kernel wrote 2\n  \
                    where ('.' right, '+' partly wrong, '#' wrong, 'o' never written):\n  \
                    columns 0 to 1\n       0 |.#|";
        let told_of = |wrong: &Wrong| Differences::from(wrong.clone()).to_string();
        assert_eq!(told_of(&two), told);
        two.mismatches[0].untouched = true;
        let told = told_of(&two);
        assert!(told.contains("the kernel wrote nothing\n"), "{told}");
        assert!(told.ends_with("|.o|"), "{told}");
    }

    #[test]
    fn of_a_result_that_differs_only_facts_are_told() {
        let differences = Differences {
            above: vec!["overrun: C".into()],
            count: "1 is wrong".into(),
            looks: vec![
                Look::Fact("never written: 1".into()),
                Look::Chance("zero".into()),
                Look::Unknown,
            ],
            below: vec!["  C[0] is 1".into()],
        };
        assert_eq!(
            differences.facts().under("after all").to_string(),
            "after all\noverrun: C\n1 is wrong\n  looks like: never written: 1\n  C[0] is 1"
        );
        assert_eq!(Differences::from("bad").to_string(), "bad");
    }

    #[test]
    fn a_single_element_needs_no_map() {
        let one = wrong(1, 1, vec![mismatch(0, 0, 2.0, 1.0)]);
        assert_eq!(
            Differences::from(one).to_string(),
            "1 of 1 elements is wrong\n  C[0][0] must be 1, the kernel wrote 2"
        );
    }

    #[test]
    fn numbers_have_the_digits_that_tell_them_apart() {
        let shown = |one, other| {
            let (one, other) = apart(one, other);
            format!("{one} {other}")
        };
        assert_eq!(shown(-0.07409978680231788, -0.0963297188282013), "-0.074099787 -0.096329719");
        assert_eq!(shown(0.1, 0.10000000000000002), "0.1 0.10000000000000002");
        assert_eq!(shown(3.0, f64::NAN), "3 NaN");
        assert_eq!(shown(1071225242.0, 1.5), "1071225242 1.5");
    }

    #[test]
    fn a_number_is_no_row_of_zeros() {
        assert_eq!(readable(-32881159902376630000000000.0), "-3.2881e25");
        assert_eq!(readable(-1.4761227401735546), "-1.4761227401735546");
        assert_eq!(readable(0.0), "0");
        assert_eq!(readable(1e-9), "0.000000001");
        assert_eq!(readable(-1.23456e-10), "-1.2346e-10");
        assert_eq!(readable(f64::INFINITY), "inf");
        assert_eq!(readable(f64::NAN), "NaN");
        assert_eq!(readable(1071225242.0), "1071225242");
    }
}

#[cfg(test)]
mod tests_of_map {
    use super::*;

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
