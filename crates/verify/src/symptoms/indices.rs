//! Right numbers in wrong places.

use super::{Case, ENOUGH};

/// C in column-major order. The right elements of C count as well: those on the diagonal
/// of a square matrix are.
pub fn transposed(case: &Case) -> Option<String> {
    let (m, n) = (case.wrong.rows, case.wrong.cols);
    let is_transposed = |flat: usize| {
        let got = case.c.data.get(flat);
        case.problem.is_near(flat % m, flat / m, got)
    };
    (m > 1 && n > 1 && (0..m * n).all(is_transposed))
        .then(|| "transposed: rows and columns are exchanged".into())
}

/// Rows, or columns, that all come from others in the same relation to their own, those that
/// are right too.
pub fn moved(case: &Case) -> Option<String> {
    let holds = |by_row: bool, from: &From| {
        let source = |row: usize, col: usize| {
            let (row, col) = if by_row {
                (from(row), col)
            } else {
                (row, from(col))
            };
            // What would come from outside of C can be anything.
            (row < case.wrong.rows && col < case.wrong.cols).then_some((row, col))
        };
        let fits = |row: usize, col: usize, got: f64| {
            source(row, col).is_none_or(|(row, col)| case.problem.is_near(row, col, got))
        };
        let known = case
            .sample
            .iter()
            .filter(|m| source(m.row, m.col).is_some());
        let enough = ENOUGH.max(case.sample.len().div_ceil(2));
        known.count() >= enough
            && case.sample.iter().all(|m| fits(m.row, m.col, m.got))
            && (0..case.c.data.len()).all(|at| {
                let got = case.c.data.get(at);
                !got.is_finite() || fits(at / case.c.cols, at % case.c.cols, got)
            })
    };
    let found = ["row", "column"].into_iter().find_map(|word| {
        let mut all = relations(word).into_iter();
        all.find(|(_, from)| holds(word == "row", from))
    });
    found.map(|(relation, _)| format!("misplaced: {relation}"))
}

/// From which row, or column, those of a row, or column, could come.
type From = Box<dyn Fn(usize) -> usize>;

/// The relations that are tried.
fn relations(word: &str) -> Vec<(String, From)> {
    let mut all: Vec<(String, From)> =
        vec![(format!("all {word}s hold the first"), Box::new(|_| 0))];
    // The largest that fits: what repeats after 16 may seem to after 4.
    for side in [64, 32, 16, 8, 4, 2] {
        all.push((
            format!("{word}s repeat after {side}"),
            Box::new(move |at| at % side),
        ));
        all.push((
            format!("of every {side} {word}s all hold the first"),
            Box::new(move |at| at - at % side),
        ));
    }
    for by in [1, -1, 2, -2, 3, -3, 4, -4] {
        let from = match word {
            "row" => format!("C[row{by:+}][column]"),
            _ => format!("C[row][column{by:+}]"),
        };
        all.push((
            format!("C[row][column] holds what belongs in {from}"),
            Box::new(move |at| at.wrapping_add_signed(by)),
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{ODD, kinds, problem, right, said};
    use crate::shape::Shape;

    /// What is said where each element comes from another place of a C of 40 x 24.
    fn from(place: impl Fn(usize, usize) -> (usize, usize)) -> String {
        let problem = problem(Shape { m: 40, n: 24, k: 5 });
        let said = said(&problem, |row, col| {
            let (row, col) = place(row, col);
            right(&problem, row, col)
        });
        said[0].clone()
    }

    #[test]
    fn a_transposed_c_is_told_whatever_its_shape() {
        for shape in [ODD, Shape::cube(8)] {
            let problem = problem(shape);
            let transposed = |row, col| {
                let flat = row * shape.n + col;
                right(&problem, flat % shape.m, flat / shape.m)
            };
            assert_eq!(kinds(&problem, transposed), ["transposed"]);
            // One element that is looked at is not.
            let but_one = |row, col| {
                if row + col == 5 {
                    9.0
                } else {
                    transposed(row, col)
                }
            };
            assert!(!kinds(&problem, but_one).contains(&"transposed".to_string()));
        }
    }

    #[test]
    fn a_row_is_its_own_transposed_form() {
        let problem = problem(Shape {
            m: 1,
            n: 2000,
            k: 1,
        });
        let row = |row, col| right(&problem, row, col) + f64::from(col == 1);
        assert_eq!(kinds(&problem, row), ["one element"]);
    }

    #[test]
    fn a_place_that_is_shifted_is_told() {
        for (rows, cols, text) in [
            (1, 0, "C[row+1][column]"),
            (2, 0, "C[row+2][column]"),
            (0, 1, "C[row][column+1]"),
            (4, 0, "C[row+4][column]"),
        ] {
            assert_eq!(
                from(|row, col| ((row + rows).min(39), (col + cols).min(23))),
                format!("misplaced: C[row][column] holds what belongs in {text}")
            );
        }
        assert_eq!(
            from(|row, col| (row, col.saturating_sub(2))),
            "misplaced: C[row][column] holds what belongs in C[row][column-2]"
        );
    }

    #[test]
    fn any_shift_up_to_four_is_told() {
        let p = problem(ODD);
        for by in [1, -1, 2, -2, 3, -3, 4, -4] {
            let said = said(&p, |row, col| match col.checked_add_signed(by) {
                Some(col) if col < ODD.n => right(&p, row, col),
                _ => 7.0,
            });
            let from = format!("belongs in C[row][column{by:+}]");
            assert!(said.iter().any(|look| look.contains(&from)), "{said:?}");
        }
    }

    #[test]
    fn rows_and_columns_that_repeat_are_told() {
        assert_eq!(
            from(|_, col| (0, col)),
            "misplaced: all rows hold the first"
        );
        assert_eq!(
            from(|row, _| (row, 0)),
            "misplaced: all columns hold the first"
        );
        assert_eq!(
            from(|row, col| (row % 16, col)),
            "misplaced: rows repeat after 16"
        );
        assert_eq!(
            from(|row, col| (row, col % 8)),
            "misplaced: columns repeat after 8"
        );
        assert_eq!(
            from(|row, col| (row - row % 4, col)),
            "misplaced: of every 4 rows all hold the first"
        );
        assert_eq!(
            from(|row, col| (row, col - col % 2)),
            "misplaced: of every 2 columns all hold the first"
        );
    }

    #[test]
    fn a_relation_must_hold_where_c_is_right_too() {
        let below = from(|row, col| (if row < 20 { row } else { row - 1 }, col));
        assert!(!below.contains("row-1"), "{below}");
        // Rows 20 and on are exchanged, the others are right.
        let exchanged = from(|row, col| (if row < 20 { row } else { row ^ 1 }, col));
        assert_eq!(exchanged, UNKNOWN);
    }
}
