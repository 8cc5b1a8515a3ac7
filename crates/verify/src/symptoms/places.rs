//! Where the wrong elements are, if all of them lie in a few rows or columns.

use super::Case;
use crate::wrong::{Mismatch, Wrong};

/// Whether nearly all elements of a region are wrong: nine of ten, as one may be right by
/// chance.
fn fills(wrong: usize, region: usize) -> bool {
    10 * wrong >= 9 * region
}

/// The rows and columns outside of which nothing is wrong.
pub fn places(case: &Case) -> Option<String> {
    let wrong = case.wrong;
    // Of very many only some are known; and where they only just are wrong is chance.
    if wrong.every > 1 || case.is_little() {
        return None;
    }
    if let [only] = wrong.mismatches[..] {
        return (wrong.rows * wrong.cols > 1)
            .then(|| format!("one element: only C[{}][{}] is wrong", only.row, only.col));
    }
    lines(wrong, "row", wrong.rows, |m| m.row)
        .or_else(|| lines(wrong, "column", wrong.cols, |m| m.col))
        .or_else(|| last_of_both(wrong))
}

/// What to think of where the last are wrong.
const LAST: &str = "; look at the last tile, and at the bounds";

/// Rows, or columns, one beside the other and wrong all over. Of half of them or more it is
/// rather the others that are right for some reason.
fn lines(wrong: &Wrong, word: &str, count: usize, of: fn(&Mismatch) -> usize) -> Option<String> {
    let first = wrong.mismatches.iter().map(of).min()?;
    let last = wrong.mismatches.iter().map(of).max()?;
    let lines = last - first + 1;
    let length = wrong.rows * wrong.cols / count;
    if 2 * lines >= count || !fills(wrong.count, lines * length) {
        return None;
    }
    let (kind, cause) = if last + 1 == count {
        ("last", LAST)
    } else {
        ("some", "")
    };
    let are = if lines > 1 { "are" } else { "is" };
    let lines = range(word, first, last);
    Some(format!("{kind} {word}s: only {lines} {are} wrong{cause}"))
}

/// The last rows and, of the others, the last columns.
fn last_of_both(wrong: &Wrong) -> Option<String> {
    let mut counts = vec![0; wrong.rows];
    wrong.mismatches.iter().for_each(|m| counts[m.row] += 1);
    let is_full = |count: &&usize| fills(**count, wrong.cols);
    let row = wrong.rows - counts.iter().rev().take_while(is_full).count();
    let above = wrong.mismatches.iter().filter(|m| m.row < row);
    let col = above.clone().map(|m| m.col).min()?;
    let [rows, cols] = [wrong.rows - row, wrong.cols - col];
    let is_both = 0 < rows && 2 * rows < wrong.rows && 2 * cols < wrong.cols;
    (is_both && fills(above.count(), row * cols)).then(|| {
        let rows = range("row", row, wrong.rows - 1);
        let cols = range("column", col, wrong.cols - 1);
        format!("last rows and columns: only {rows} and {cols} are wrong{LAST}")
    })
}

/// "rows 60 to 63".
fn range(word: &str, first: usize, last: usize) -> String {
    if first == last {
        format!("{word} {first}")
    } else {
        format!("{word}s {first} to {last}")
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
            at(9, 8, |row, col| row > 5 || col > 6),
            format!("last rows and columns: only rows 6 to 8 and column 7 are wrong{LAST}")
        );
    }

    #[test]
    fn other_rows_and_columns_are_told() {
        assert_eq!(
            at(9, 8, |row, _| row < 2),
            "some rows: only rows 0 to 1 are wrong"
        );
        assert_eq!(
            at(9, 8, |row, _| row == 4),
            "some rows: only row 4 is wrong"
        );
        assert_eq!(at(9, 8, |row, _| row < 5), "", "more than half");
        assert_eq!(at(9, 8, |row, col| row < 2 && col > 5), "", "a block");
        assert_eq!(
            at(9, 8, |_, col| col == 4),
            "some columns: only column 4 is wrong"
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
        assert_eq!(missing(2).split(':').next(), Some("last rows"));
        assert_eq!(missing(3), "", "nearly a row is no row");
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
}
