//! Where the wrong elements are, if all of them lie in a few rows or columns.

use std::collections::BTreeSet;

use super::{Case, Wrong};

/// Whether nearly all elements of a region are wrong: nine of ten, as one may be right by
/// chance.
fn fills(wrong: usize, region: usize) -> bool {
    10 * wrong >= 9 * region
}

/// The rows and columns outside of which nothing is wrong.
pub fn places(case: &Case) -> Option<String> {
    let wrong = case.wrong;
    if wrong.mismatches.len() < 2 {
        return only_one(wrong);
    }
    // Of very many only some are known.
    if wrong.every > 1 {
        return None;
    }
    let region = Region::of(wrong);
    if !region.is_filled(wrong) {
        return rows_and_columns(wrong).or_else(|| every_nth(wrong));
    }
    let rows = Span::of(&region.rows, wrong.rows)?;
    let cols = Span::of(&region.cols, wrong.cols)?;
    say(&rows, &cols)
}

fn only_one(wrong: &Wrong) -> Option<String> {
    let only = wrong.mismatches.first()?;
    (wrong.rows * wrong.cols > 1)
        .then(|| format!("one element: only C[{}][{}] is wrong", only.row, only.col))
}

fn say(rows: &Span, cols: &Span) -> Option<String> {
    let kind = match (rows, cols) {
        (Span::All, Span::All) => return None,
        (Span::Last(..), Span::All) => "last rows",
        (Span::All, Span::Last(..)) => "last columns",
        (Span::Last(..), Span::Last(..)) => "last rows and columns",
        (_, Span::All) => "some rows",
        (Span::All, _) => "some columns",
        _ => "a block",
    };
    let (row, col) = (rows.text("row"), cols.text("column"));
    let text = match (rows, cols) {
        (_, Span::All) => row,
        (Span::All, _) => col,
        _ => format!("{row} in {col}"),
    };
    let are = if rows.is_many() || cols.is_many() {
        "are"
    } else {
        "is"
    };
    let cause = if kind.starts_with("last") { LAST } else { "" };
    Some(format!("{kind}: only {text} {are} wrong{cause}"))
}

/// What to think of where the last are wrong.
const LAST: &str = "; look at the last tile, and at the bounds";

/// Rows and columns in which something is wrong.
struct Region {
    rows: BTreeSet<usize>,
    cols: BTreeSet<usize>,
}

impl Region {
    fn of(wrong: &Wrong) -> Region {
        Region {
            rows: wrong.mismatches.iter().map(|m| m.row).collect(),
            cols: wrong.mismatches.iter().map(|m| m.col).collect(),
        }
    }

    fn is_filled(&self, wrong: &Wrong) -> bool {
        fills(wrong.count, self.rows.len() * self.cols.len())
    }
}

/// The last rows and, of the others, the last columns.
fn rows_and_columns(wrong: &Wrong) -> Option<String> {
    let mut counts = vec![0; wrong.rows];
    wrong.mismatches.iter().for_each(|m| counts[m.row] += 1);
    let is_full = |count: &&usize| fills(**count, wrong.cols);
    let row = wrong.rows - counts.iter().rev().take_while(is_full).count();
    let above = wrong.mismatches.iter().filter(|m| m.row < row);
    let col = above.clone().map(|m| m.col).min()?;
    // Where these are none or all of C, one region holds all that is wrong.
    fills(above.count(), row * (wrong.cols - col)).then(|| {
        let rows = Span::Last(row, wrong.rows - 1).text("row");
        let cols = Span::Last(col, wrong.cols - 1).text("column");
        format!("last rows and columns: only {rows} and {cols} are wrong{LAST}")
    })
}

/// Every third element of C, say, counted through all rows.
fn every_nth(wrong: &Wrong) -> Option<String> {
    let flat = wrong.mismatches.iter().map(|m| m.row * wrong.cols + m.col);
    match Span::of(&flat.collect(), wrong.rows * wrong.cols)? {
        Span::Every(step, first) => Some(format!(
            "every n-th: one element of {step} is wrong, from number {first} on"
        )),
        _ => None,
    }
}

/// Some of the rows, or of the columns.
#[derive(Debug, PartialEq)]
enum Span {
    All,
    /// From one to the end.
    Last(usize, usize),
    /// From one to another.
    Within(usize, usize),
    /// Always so many on, from one to the end.
    Every(usize, usize),
}

impl Span {
    /// A set of numbers below `count`, if it has a simple form. A stretch of half of them or
    /// more is none: it is rather the others that are right for some reason.
    fn of(numbers: &BTreeSet<usize>, count: usize) -> Option<Span> {
        let (first, last) = (*numbers.first()?, *numbers.last()?);
        if last - first + 1 == numbers.len() {
            return match (first == 0, last + 1 == count) {
                (true, true) => Some(Span::All),
                _ if 2 * numbers.len() >= count => None,
                (false, true) => Some(Span::Last(first, last)),
                _ => Some(Span::Within(first, last)),
            };
        }
        let step = (last - first) / (numbers.len() - 1);
        let is_even = numbers
            .iter()
            .zip((first..).step_by(step))
            .all(|(a, b)| *a == b);
        let is_all = first < step && last + step >= count;
        (is_even && is_all && numbers.len() > 2).then_some(Span::Every(step, first))
    }

    fn is_many(&self) -> bool {
        match self {
            Span::All => false,
            Span::Last(first, last) | Span::Within(first, last) => first < last,
            Span::Every(..) => false,
        }
    }

    /// "rows 60 to 63".
    fn text(&self, word: &str) -> String {
        match self {
            Span::All => format!("all {word}s"),
            Span::Last(first, last) | Span::Within(first, last) if first == last => {
                format!("{word} {first}")
            }
            Span::Last(first, last) | Span::Within(first, last) => {
                format!("{word}s {first} to {last}")
            }
            Span::Every(step, first) => format!("one {word} of {step}, from {word} {first} on,"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mismatch;
    use super::super::tests::problem;
    use super::*;
    use crate::element::Type;
    use crate::matrix::{Fill, Matrix};
    use crate::shape::Shape;

    fn wrong(rows: usize, cols: usize, is_bad: impl Fn(usize, usize) -> bool) -> Wrong {
        let all = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        let mismatch = |(row, col)| Mismatch {
            row,
            col,
            got: 1.0,
            want: 0.0,
            untouched: false,
        };
        let bad = all.filter(|(row, col)| is_bad(*row, *col));
        let mismatches: Vec<Mismatch> = bad.map(mismatch).collect();
        Wrong {
            rows,
            cols,
            count: mismatches.len(),
            every: 1,
            mismatches,
            looks_like: Vec::new(),
        }
    }

    fn told(wrong: &Wrong) -> String {
        let shape = Shape {
            m: wrong.rows,
            n: wrong.cols,
            k: 1,
        };
        let c = Matrix::filled(wrong.rows, wrong.cols, Type::Float, Fill::Count, 0);
        let problem = problem(shape);
        places(&Case::new(&problem, &c, wrong)).unwrap_or_default()
    }

    fn at(rows: usize, cols: usize, is_bad: impl Fn(usize, usize) -> bool) -> String {
        told(&wrong(rows, cols, is_bad))
    }

    #[test]
    fn last_rows_and_columns_are_told() {
        let last = LAST.trim_start_matches("; ");
        assert_eq!(
            at(9, 8, |row, _| row > 5),
            format!("last rows: only rows 6 to 8 are wrong; {last}")
        );
        assert_eq!(
            at(9, 8, |row, _| row > 7),
            format!("last rows: only row 8 is wrong; {last}")
        );
        assert_eq!(
            at(9, 8, |_, col| col > 5),
            format!("last columns: only columns 6 to 7 are wrong; {last}")
        );
        assert_eq!(
            at(9, 8, |row, col| row > 5 && col > 6),
            format!("last rows and columns: only rows 6 to 8 in column 7 are wrong{LAST}")
        );
        assert_eq!(
            at(9, 8, |row, col| row > 5 || col > 6),
            format!("last rows and columns: only rows 6 to 8 and column 7 are wrong{LAST}")
        );
    }

    #[test]
    fn other_rows_columns_and_blocks_are_told() {
        assert_eq!(
            at(9, 8, |row, _| row < 2),
            "some rows: only rows 0 to 1 are wrong"
        );
        assert_eq!(
            at(9, 8, |row, _| row == 4),
            "some rows: only row 4 is wrong"
        );
        assert_eq!(
            at(9, 8, |row, _| row % 3 == 1),
            "some rows: only one row of 3, from row 1 on, is wrong"
        );
        assert_eq!(
            at(9, 8, |_, col| col == 4),
            "some columns: only column 4 is wrong"
        );
        assert_eq!(
            at(9, 8, |row, col| row < 2 && col > 5),
            "a block: only rows 0 to 1 in columns 6 to 7 are wrong"
        );
        assert_eq!(
            at(9, 8, |row, col| (row * 8 + col) % 5 == 2),
            "every n-th: one element of 5 is wrong, from number 2 on"
        );
    }

    #[test]
    fn one_element_is_no_tile() {
        assert_eq!(
            at(9, 8, |row, col| (row, col) == (8, 3)),
            "one element: only C[8][3] is wrong"
        );
        assert_eq!(at(1, 1, |_, _| true), "");
        assert_eq!(
            at(9, 1, |row, _| row > 6).split(':').next(),
            Some("last rows")
        );
    }

    #[test]
    fn a_region_must_be_filled() {
        let missing = |count: usize| at(9, 20, |row, col| row == 8 && col >= count);
        assert_eq!(missing(0).split(':').next(), Some("last rows"));
        assert_eq!(missing(2), "", "nearly a row is no row");
        let holes = |count: usize| {
            at(9, 20, |row, col| {
                row > 6 && (row == 7 || col % 2 == 0 || col / 2 >= count)
            })
        };
        assert_eq!(holes(4).split(':').next(), Some("last rows"));
        assert_eq!(holes(5), "");
        assert_eq!(at(9, 8, |_, _| true), "");
        let half_of_the_columns = |row, col: usize| row > 6 || (col > 9 && col.is_multiple_of(2));
        assert_eq!(at(9, 20, half_of_the_columns), "");
        assert_eq!(
            at(9, 8, |row, col| (row * 3 + col * 5) % 7 == 1 && row != 2),
            ""
        );
    }

    #[test]
    fn of_very_many_the_places_are_not_told() {
        let mut some = wrong(9, 8, |row, _| row > 5);
        assert!(!told(&some).is_empty());
        some.every = 2;
        assert_eq!(told(&some), "");
    }

    #[test]
    fn a_span_is_named_only_if_it_has_a_form() {
        let span = |numbers: &[usize], count| Span::of(&numbers.iter().copied().collect(), count);
        assert_eq!(span(&[0, 1, 2], 3), Some(Span::All));
        assert_eq!(span(&[3, 4], 5), Some(Span::Last(3, 4)));
        assert_eq!(span(&[2, 3], 4), None, "a half");
        assert_eq!(span(&[0, 1], 5), Some(Span::Within(0, 1)));
        assert_eq!(span(&[0, 1], 4), None, "a half");
        assert_eq!(span(&[1], 3), Some(Span::Within(1, 1)));
        assert_eq!(span(&[1, 4, 7], 9), Some(Span::Every(3, 1)));
        assert_eq!(span(&[1, 4, 7], 10), Some(Span::Every(3, 1)));
        assert_eq!(span(&[1, 4, 7], 11), None, "10 is missing");
        assert_eq!(span(&[3, 6, 9], 10), None, "0 is missing");
        assert_eq!(span(&[1, 4, 8], 9), None);
        assert_eq!(span(&[1, 4], 6), None, "two are no series");
        assert_eq!(span(&[], 6), None);
    }
}
