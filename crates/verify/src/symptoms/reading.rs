//! A sum over other elements of A and B: operands exchanged or transposed, rows of
//! another length, one element too far.

use super::{Case, ENOUGH, Sample};
use crate::matrix::Fill;
use crate::shape::Shape;

/// How a factor of a product is read.
#[derive(Clone, Copy, PartialEq)]
struct Read {
    /// From A; else from B.
    of_a: bool,
    /// Whether its row counts; else its column.
    by_row: bool,
    /// Whether k counts the elements of a row; else the rows.
    k_inner: bool,
    /// How long rows are.
    length: usize,
    /// Elements too far.
    offset: isize,
}

impl Read {
    /// The number of the element that is read, if the matrix has so many.
    fn index(&self, e: &Sample, k: usize, s: Shape) -> Option<usize> {
        let own = if self.by_row { e.row } else { e.col };
        let index = if self.k_inner {
            own * self.length + k
        } else {
            k * self.length + own
        };
        let count = if self.of_a { s.m * s.k } else { s.k * s.n };
        let index = index.checked_add_signed(self.offset)?;
        Some(index).filter(|index| *index < count)
    }

    /// In how much it differs from another.
    fn changes(&self, other: &Read) -> usize {
        usize::from(self.of_a != other.of_a)
            + usize::from(self.by_row != other.by_row)
            + usize::from(self.k_inner != other.k_inner)
            + usize::from(self.length != other.length)
            + usize::from(self.offset != other.offset)
    }

    /// In OpenCL C.
    fn text(&self) -> String {
        let matrix = if self.of_a { "A" } else { "B" };
        let own = if self.by_row { "row" } else { "column" };
        let (outer, inner) = if self.k_inner { (own, "k") } else { ("k", own) };
        let offset = match self.offset {
            0 => String::new(),
            offset => format!(" {} {}", if offset < 0 { '-' } else { '+' }, offset.abs()),
        };
        format!("{matrix}[{outer} * {} + {inner}{offset}]", self.length)
    }
}

/// A[row * K + k] and B[k * N + column].
fn right(s: Shape) -> [Read; 2] {
    let read = |of_a: bool, length| Read {
        of_a,
        by_row: of_a,
        k_inner: of_a,
        length,
        offset: 0,
    };
    [read(true, s.k), read(false, s.n)]
}

/// What is computed instead, if all that can be told agrees.
pub fn another_formula(case: &Case) -> Option<String> {
    // Counted numbers are too much alike.
    if case.problem.fill == Fill::Count {
        return None;
    }
    let found = candidates(case.problem.shape).into_iter().find(|reads| {
        let sums = case.sample.iter().map(|e| agrees(case, reads, e));
        // What is read from beyond a buffer can be anything.
        let mut known = 0;
        let agree = sums.flatten().all(|agrees| {
            known += 1;
            agrees
        });
        agree && known >= 2 * ENOUGH
    })?;
    let [first, second] = found;
    let kind = if !first.of_a && second.of_a {
        "operands exchanged"
    } else if !first.k_inner || second.k_inner {
        "operand transposed"
    } else {
        "another index"
    };
    Some(format!(
        "{kind}: each wrong sum is that of {} * {}",
        first.text(),
        second.text()
    ))
}

/// Two factors in all forms, the least changed first.
fn candidates(s: Shape) -> Vec<[Read; 2]> {
    const BOTH: [bool; 2] = [false, true];
    let [a, b] = right(s);
    let forms = |right: Read| {
        let mut forms = Vec::new();
        for k_inner in BOTH {
            for by_row in BOTH {
                for of_a in BOTH {
                    let read = |length| Read {
                        of_a,
                        by_row,
                        k_inner,
                        length,
                        offset: 0,
                    };
                    forms.extend([right.length, s.m, s.n, s.k].map(read));
                }
            }
        }
        forms
    };
    let second = forms(b);
    let mut all: Vec<[Read; 2]> = Vec::new();
    for offset in [1, -1] {
        all.push([Read { offset, ..a }, b]);
        all.push([a, Read { offset, ..b }]);
    }
    for first in forms(a) {
        all.extend(second.iter().map(|second| [first, *second]));
    }
    all.sort_by_key(|[first, second]| first.changes(&a) + second.changes(&b));
    all
}

/// Whether an element is this sum; nothing, if one of its factors is not in the buffer.
fn agrees(case: &Case, reads: &[Read; 2], e: &Sample) -> Option<bool> {
    let problem = case.problem;
    let (mut sum, mut squares) = (0.0, [0.0; 2]);
    for k in 0..problem.shape.k {
        let factor = |read: &Read| -> Option<f64> {
            let index = read.index(e, k, problem.shape)?;
            let from = if read.of_a { &problem.a } else { &problem.b };
            Some(from.data.get(index))
        };
        let [first, second] = [factor(&reads[0])?, factor(&reads[1])?];
        sum += first * second;
        squares[0] += first * first;
        squares[1] += second * second;
    }
    let bound = problem.bound_of(squares[0].sqrt(), squares[1].sqrt());
    Some((e.got - sum).abs() <= bound)
}

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{LONG, kinds, problem, said};
    use super::*;
    use crate::element::Type;
    use crate::problem::Problem;

    /// What is said of the sum over k of the products of two numbers of these elements of
    /// A and B; one beyond the end is 7.
    fn sum_of(
        problem: &Problem,
        index: impl Fn(usize, usize, usize) -> (usize, usize),
        exchanged: bool,
    ) -> Vec<String> {
        let at = |m: &crate::matrix::Matrix, i: usize| {
            if i < m.data.len() { m.data.get(i) } else { 7.0 }
        };
        said(problem, |row, col| {
            (0..problem.shape.k)
                .map(|k| {
                    let (first, second) = index(row, col, k);
                    let [a, b] = if exchanged {
                        [&problem.b, &problem.a]
                    } else {
                        [&problem.a, &problem.b]
                    };
                    at(a, first) * at(b, second)
                })
                .sum()
        })
    }

    #[test]
    fn changes_are_counted() {
        let [a, b] = right(S);
        assert_eq!(a.changes(&a), 0);
        assert_eq!(a.changes(&b), 4);
        let length = a.length + 1;
        assert_eq!(a.changes(&Read { length, ..a }), 1);
        assert_eq!(a.changes(&Read { by_row: false, ..a }), 1);
        assert_eq!(a.changes(&Read { offset: 1, ..b }), 5);
    }

    #[test]
    fn the_least_changed_are_tried_first() {
        let [a, b] = right(S);
        let all = candidates(S);
        let changes = |[first, second]: &[Read; 2]| first.changes(&a) + second.changes(&b);
        assert!(all.is_sorted_by_key(changes));
        for offset in [1, -1] {
            assert!(all.contains(&[Read { offset, ..a }, b]));
            assert!(all.contains(&[a, Read { offset, ..b }]));
        }
    }

    #[test]
    fn both_factors_from_one_operand_are_no_exchange() {
        let p = &problem(S);
        let sum = said(p, |row, col| {
            let term = |k: usize| p.a.data.get(row * 11 + k) * p.a.data.get(k * 15 + col);
            (0..11).map(term).sum()
        });
        assert_eq!(
            sum,
            ["another index: each wrong sum is that of A[row * 11 + k] * A[k * 15 + column]"]
        );
    }

    const S: Shape = Shape {
        m: 20,
        n: 15,
        k: 11,
    };

    #[test]
    fn a_row_of_another_length_is_told() {
        let p = &problem(S);
        assert_eq!(
            sum_of(p, |row, col, k| (row * 15 + k, k * 15 + col), false),
            ["another index: each wrong sum is that of A[row * 15 + k] * B[k * 15 + column]"]
        );
        assert_eq!(
            sum_of(p, |row, col, k| (row * 11 + k, k * 11 + col), false),
            ["another index: each wrong sum is that of A[row * 11 + k] * B[k * 11 + column]"]
        );
    }

    #[test]
    fn an_operand_that_is_transposed_is_told() {
        let p = &problem(S);
        assert_eq!(
            sum_of(p, |row, col, k| (k * 20 + row, k * 15 + col), false),
            ["operand transposed: each wrong sum is that of A[k * 20 + row] * B[k * 15 + column]"]
        );
        assert_eq!(
            sum_of(p, |row, col, k| (row * 11 + k, col * 11 + k), false),
            ["operand transposed: each wrong sum is that of A[row * 11 + k] * B[column * 11 + k]"]
        );
    }

    #[test]
    fn operands_that_are_exchanged_are_told() {
        let p = &problem(S);
        assert_eq!(
            sum_of(p, |row, col, k| (row * 11 + k, k * 15 + col), true),
            ["operands exchanged: each wrong sum is that of B[row * 11 + k] * A[k * 15 + column]"]
        );
    }

    #[test]
    fn one_element_too_far_is_told() {
        let p = &problem(S);
        assert_eq!(
            sum_of(p, |row, col, k| (row * 11 + k + 1, k * 15 + col), false),
            ["another index: each wrong sum is that of A[row * 11 + k + 1] * B[k * 15 + column]"]
        );
        let before =
            |row: usize, col: usize, k: usize| ((row * 11usize + k).wrapping_sub(1), k * 15 + col);
        assert_eq!(
            sum_of(p, before, false),
            ["another index: each wrong sum is that of A[row * 11 + k - 1] * B[k * 15 + column]"]
        );
    }

    #[test]
    fn a_formula_needs_eight_elements_and_random_numbers() {
        let wide = |row, col, k| (row * 53 + k, k * 7 + col);
        // Only what is in the buffer counts: of a C with one row of 9, all.
        assert_eq!(sum_of(&problem(LONG), wide, false).len(), 1);
        for (n, is_told) in [(8, true), (7, false)] {
            let p = &problem(Shape { m: 1, n, k: 11 });
            let said = sum_of(p, |_, col, k| (k, k + col), false);
            assert_eq!(said != [UNKNOWN], is_told, "{n}");
        }
        let counted = Problem::new(S, Type::Float, Fill::Count, 1);
        assert_eq!(
            sum_of(&counted, |row, col, k| (k * 20 + row, k * 15 + col), false),
            [UNKNOWN]
        );
    }

    #[test]
    fn a_formula_that_some_elements_break_is_not_told() {
        let p = problem(S);
        let sum = |row: usize, col: usize| -> f64 {
            let term = |k: usize| p.a.data.get(k * 20 + row) * p.b.data.get(k * 15 + col);
            (0..11).map(term).sum()
        };
        // Half of them, so that the sample has one.
        let is_broken = |row: usize, col: usize| (row + col).is_multiple_of(2);
        for too_far in [|_: f64| 0.01, |bound: f64| 2.0 * bound] {
            let value = |row, col| {
                let off = if is_broken(row, col) { 1.0 } else { 0.0 };
                sum(row, col) + off * too_far(p.bound(row, col))
            };
            assert_eq!(kinds(&p, value), [UNKNOWN]);
        }
    }
}
