//! A sum over other elements of A and B: operands exchanged or transposed, an index for
//! another.

use super::{Case, ENOUGH};
use crate::matrix::Fill;
use crate::shape::Shape;
use crate::wrong::Mismatch;

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
}

impl Read {
    /// The factor of this term, if the matrix has such an element.
    fn factor(&self, case: &Case, m: &Mismatch, k: usize) -> Option<f64> {
        let own = if self.by_row { m.row } else { m.col };
        let (outer, inner) = if self.k_inner { (own, k) } else { (k, own) };
        let index = outer * self.length + inner;
        let from = if self.of_a {
            &case.problem.a
        } else {
            &case.problem.b
        };
        (index < from.data.len()).then(|| from.data.get(index))
    }

    /// In how much it differs from another.
    fn changes(&self, other: &Read) -> usize {
        usize::from(self.of_a != other.of_a)
            + usize::from(self.by_row != other.by_row)
            + usize::from(self.k_inner != other.k_inner)
    }

    /// In OpenCL C.
    fn text(&self) -> String {
        let matrix = if self.of_a { "A" } else { "B" };
        let own = if self.by_row { "row" } else { "column" };
        let (outer, inner) = if self.k_inner { (own, "k") } else { ("k", own) };
        format!("{matrix}[{outer} * {} + {inner}]", self.length)
    }
}

/// What is computed instead, if all that can be told agrees.
pub fn another_formula(case: &Case) -> Option<String> {
    // Counted numbers are too much alike.
    if case.problem.fill == Fill::Count {
        return None;
    }
    let mut all = candidates(case.problem.shape).into_iter();
    let ([first, second], which) = all.find_map(|reads| Some((reads, fits(case, &reads)?)))?;
    let kind = if !first.of_a && second.of_a {
        "operands exchanged"
    } else if !first.k_inner || second.k_inner {
        "operand transposed"
    } else {
        "another index"
    };
    let [first, second] = [first, second].map(|read| read.text());
    Some(format!("{kind}: {which} that of {first} * {second}"))
}

/// Two factors in all forms, the least changed first.
fn candidates(s: Shape) -> Vec<[Read; 2]> {
    let read = |of_a, by_row, k_inner, outer| Read {
        of_a,
        by_row,
        k_inner,
        length: if k_inner { s.k } else { outer },
    };
    // Each bit is one choice.
    let forms =
        |outer| (0..8).map(move |form| read(form & 1 != 0, form & 2 != 0, form & 4 != 0, outer));
    let pairs = |first| forms(s.n).map(move |second| [first, second]);
    let mut all: Vec<[Read; 2]> = forms(s.m).flat_map(pairs).collect();
    // These are A and B in their own places, but for the order of the factors.
    all.retain(|[first, second]| first.of_a || first.by_row || !second.of_a || !second.by_row);
    let (a, b) = (read(true, true, true, s.m), read(false, false, false, s.n));
    all.sort_by_key(|[first, second]| first.changes(&a) + second.changes(&b));
    all
}

/// Of which wrong sums this is the formula: of all, or of all that read nothing outside of
/// the operands, if these are most. What is read from there can be anything.
fn fits(case: &Case, reads: &[Read; 2]) -> Option<&'static str> {
    let count = |elements: &mut dyn Iterator<Item = &Mismatch>| {
        let (mut known, mut unknown) = (0, 0);
        for m in elements {
            match agrees(case, reads, m) {
                Some(true) => known += 1,
                Some(false) => return None,
                None => unknown += 1,
            }
        }
        (known >= 2 * ENOUGH && known >= 2 * unknown).then_some(unknown)
    };
    count(&mut case.sample.iter().copied())?;
    match count(&mut case.most(case.problem.shape.k))? {
        0 => Some("each wrong sum is"),
        _ => Some("most wrong sums are"),
    }
}

/// Whether an element is this sum; nothing, if one of its factors is not in the buffer.
fn agrees(case: &Case, reads: &[Read; 2], m: &Mismatch) -> Option<bool> {
    let (mut sum, mut squares) = (0.0, [0.0; 2]);
    for k in 0..case.problem.shape.k {
        let first = reads[0].factor(case, m, k)?;
        let second = reads[1].factor(case, m, k)?;
        sum += first * second;
        squares[0] += first * first;
        squares[1] += second * second;
    }
    let bound = case.problem.bound_of(squares[0].sqrt(), squares[1].sqrt());
    Some((m.got - sum).abs() <= bound)
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
    fn the_least_changed_are_tried_first() {
        let all = candidates(S);
        assert_eq!(
            all[0].map(|read| read.text()),
            ["A[row * 11 + k]", "B[k * 15 + column]"]
        );
        let [a, b] = all[0];
        assert_eq!(a.changes(&b), 3);
        let changes = |[first, second]: &[Read; 2]| first.changes(&a) + second.changes(&b);
        assert!(all.is_sorted_by_key(changes));
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
            [
                "operands exchanged: most wrong sums are that of B[row * 11 + k] * A[k * 15 + column]"
            ]
        );
    }

    #[test]
    fn a_formula_needs_eight_elements_and_random_numbers() {
        let wide = |row, col, k| (row * 53 + k, k * 7 + col);
        // Only what is in the buffer counts: of a C with one row of 9, all.
        assert_eq!(sum_of(&problem(LONG), wide, false).len(), 1);
        for (n, is_told) in [(8, true), (7, false)] {
            let p = &problem(Shape { m: 1, n, k: 11 });
            let said = sum_of(p, |_, col, k| (k, col * 11 + k), false);
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
