//! Right numbers in wrong places, in an order that can be named.

use super::{Case, ENOUGH, SAMPLES, Sample, chosen};
use crate::shape::Shape;

/// Elements looked at to tell a transposed result.
const LOOKED_AT: usize = 1000;

/// C in column-major order. The right elements of C count as well: those on the diagonal
/// of a square matrix are.
pub fn transposed(case: &Case) -> Option<String> {
    let s = case.problem.shape;
    if s.m == 1 || s.n == 1 {
        return None;
    }
    let step = (s.m * s.n).div_ceil(LOOKED_AT);
    let is_transposed = (0..s.m * s.n).step_by(step).all(|flat| {
        case.problem
            .is_near(flat % s.m, flat / s.m, case.c.data.get(flat))
    });
    is_transposed.then(|| "transposed: rows and columns are exchanged".into())
}

/// Elements that all come from places in the same relation to their own, the right ones too.
pub fn moved(case: &Case) -> Option<String> {
    let s = case.problem.shape;
    let rows = along("row", s.m).into_iter().map(|(says, from)| {
        let place = move |e: &Sample| Some((from(e.row)?, e.col));
        (says, Box::new(place) as Place)
    });
    let cols = along("column", s.n).into_iter().map(|(says, from)| {
        let place = move |e: &Sample| Some((e.row, from(e.col)?));
        (says, Box::new(place) as Place)
    });
    let mut relations = rows.chain(cols).chain(lengths(s));
    let written: Vec<Sample> = chosen(s.m * s.n, SAMPLES)
        .into_iter()
        .map(|at| written(case, at))
        .filter(|e| e.got.is_finite())
        .collect();
    let found = relations.find(|(_, place)| {
        // What would come from outside of C can be anything.
        let inside = |(row, col): &(usize, usize)| *row < s.m && *col < s.n;
        let place = |e: &Sample| place(e).filter(inside);
        let fits =
            |e: &Sample| place(e).is_none_or(|(row, col)| case.problem.is_near(row, col, e.got));
        let known = case.sample.iter().filter_map(place).count();
        known >= ENOUGH
            && 2 * known >= case.sample.len()
            && case.sample.iter().chain(&written).all(fits)
    });
    found.map(|(relation, _)| format!("misplaced: {relation}"))
}

/// An element of C, right or wrong.
fn written(case: &Case, at: usize) -> Sample {
    let (row, col) = (at / case.c.cols, at % case.c.cols);
    Sample {
        row,
        col,
        got: case.c.data.get(at),
        want: case.problem.want(row, col),
        bound: case.problem.bound(row, col),
    }
}

/// From which place in C an element could come.
type Place = Box<dyn Fn(&Sample) -> Option<(usize, usize)>>;
/// From which row, or column, those of a row, or column, could come.
type Line = Box<dyn Fn(usize) -> Option<usize>>;

/// Rows, or columns, that come from others.
fn along(word: &str, count: usize) -> Vec<(String, Line)> {
    let mut all: Vec<(String, Line)> = vec![
        (format!("all {word}s hold the first"), Box::new(|_| Some(0))),
        (
            format!("{word}s stand in reverse order"),
            Box::new(move |at| Some(count - 1 - at)),
        ),
        (
            format!("neighbouring {word}s are exchanged"),
            Box::new(|at| Some(at ^ 1)),
        ),
    ];
    // The largest that fits: what repeats after 16 may seem to after 4.
    for side in [64, 32, 16, 8, 4, 2] {
        all.push((
            format!("{word}s repeat after {side}"),
            Box::new(move |at| Some(at % side)),
        ));
        all.push((
            format!("of every {side} {word}s all hold the first"),
            Box::new(move |at| Some(at - at % side)),
        ));
    }
    for by in [1, -1, 2, -2, 3, -3, 4, -4] {
        let from = match word {
            "row" => format!("C[row{by:+}][column]"),
            _ => format!("C[row][column{by:+}]"),
        };
        all.push((
            format!("C[row][column] holds what belongs in {from}"),
            Box::new(move |at| at.checked_add_signed(by)),
        ));
    }
    all
}

/// Rows of C that begin elsewhere than they should.
fn lengths(s: Shape) -> Vec<(String, Place)> {
    let padded = [4, 16, 32].map(|side| s.n.next_multiple_of(side));
    let mut lengths = vec![s.m, s.k, s.n + 1, s.n.saturating_sub(1).max(1)];
    lengths.extend(padded);
    lengths.retain(|length| *length != s.n);
    let relation = |length: usize| {
        let place = move |e: &Sample| {
            let flat = e.row * s.n + e.col;
            Some((flat / length, flat % length))
        };
        (
            format!("rows of C are written {length} elements apart, not {}", s.n),
            Box::new(place) as Place,
        )
    };
    lengths.into_iter().map(relation).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ODD, kinds, problem, right, said};
    use super::*;

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
    fn of_a_large_c_some_elements_are_looked_at() {
        // Of 64 x 64 elements every fifth.
        let problem = problem(Shape { m: 64, n: 64, k: 2 });
        let but = |flaw: usize| {
            kinds(&problem, |row, col| {
                let flaw = row * 64 + col == flaw;
                if flaw { 9.0 } else { right(&problem, col, row) }
            })
        };
        assert_eq!(but(1), ["transposed"]);
        assert_ne!(but(5), ["transposed"]);
        assert_ne!(but(4095), ["transposed"]);
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
    fn an_order_that_is_reversed_or_exchanged_is_told() {
        assert_eq!(
            from(|row, col| (39 - row, col)),
            "misplaced: rows stand in reverse order"
        );
        assert_eq!(
            from(|row, col| (row, 23 - col)),
            "misplaced: columns stand in reverse order"
        );
        assert_eq!(
            from(|row, col| (row ^ 1, col)),
            "misplaced: neighbouring rows are exchanged"
        );
        assert_eq!(
            from(|row, col| (row, col ^ 1)),
            "misplaced: neighbouring columns are exchanged"
        );
    }

    #[test]
    fn rows_of_another_length_are_told() {
        for length in [5, 23, 25, 32, 40] {
            assert_eq!(
                from(|row, col| {
                    let flat = row * 24 + col;
                    // What does not come from C is as it must be.
                    Some((flat / length, flat % length))
                        .filter(|(row, col)| *row < 40 && *col < 24)
                        .unwrap_or((row, col))
                }),
                format!("misplaced: rows of C are written {length} elements apart, not 24")
            );
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
        let said = from(|row, col| (if row < 20 { row } else { row ^ 1 }, col));
        assert!(
            said.starts_with("misplaced: right numbers in wrong places"),
            "{said}"
        );
    }
}
