//! What a wrong result looks like. A list of suspicions, each a function that knows one
//! kind of fault and says nothing unless the numbers prove it: an explanation must give
//! every wrong element that is looked at to within rounding, and enough of them.
//!
//! What is said begins with its kind and a colon, by which `cargo makers symptoms` tells
//! how often the cause is named rightly.

mod elsewhere;
mod facts;
mod misplaced;
mod places;
mod precision;
mod reading;
mod terms;
mod values;

use crate::element::Type;
use crate::matrix::Matrix;
use crate::problem::Problem;
use crate::wrong::{Mismatch, Wrong};

/// A suspicion: what it says, if it is so.
type Suspicion = fn(&Case) -> Option<String>;

/// What can be seen in the bytes. All that is so is said.
const FACTS: &[Suspicion] = &[
    facts::never_written,
    facts::old_contents,
    facts::not_a_number,
    facts::infinity,
];
/// What follows from the right values, or is near them. The first that holds is said.
const VALUES: &[Suspicion] = &[
    values::constant,
    values::factor,
    values::offset,
    values::whole_numbers,
    terms::some_terms,
    precision::few_digits,
];
/// What was read or written elsewhere: this explains, too, where the result is right.
const INDICES: &[Suspicion] = &[
    misplaced::transposed,
    misplaced::moved,
    reading::another_formula,
    elsewhere::from_elsewhere,
];

/// No explanation is taken from fewer elements.
const ENOUGH: usize = 4;
/// So many wrong elements are looked at.
const SAMPLES: usize = 64;

/// A wrong result, and what is asked of it.
struct Case<'a> {
    problem: &'a Problem,
    c: &'a Matrix,
    wrong: &'a Wrong,
    /// Some of the wrong elements to which the kernel wrote a finite number.
    sample: Vec<Sample>,
}

/// A wrong element.
#[derive(Clone, Copy)]
struct Sample {
    row: usize,
    col: usize,
    got: f64,
    want: f64,
    /// By how much rounding may change what it must be.
    bound: f64,
}

impl<'a> Case<'a> {
    fn new(problem: &'a Problem, c: &'a Matrix, wrong: &'a Wrong) -> Case<'a> {
        let finite = |m: &&Mismatch| m.got.is_finite() && !m.untouched;
        let finite: Vec<&Mismatch> = wrong.mismatches.iter().filter(finite).collect();
        let sample = |m: &&Mismatch| Sample {
            row: m.row,
            col: m.col,
            got: m.got,
            want: m.want,
            bound: bound(problem, m.row, m.col),
        };
        Case {
            problem,
            c,
            wrong,
            sample: spread(&finite, SAMPLES).map(sample).collect(),
        }
    }

    /// The share of C that is wrong.
    fn share(&self) -> f64 {
        self.wrong.count as f64 / (self.wrong.rows * self.wrong.cols) as f64
    }

    fn is_all_wrong(&self) -> bool {
        self.share() == 1.0
    }

    /// Whether this is true of all elements of the sample, and they are enough.
    fn all(&self, is_so: impl Fn(&Sample) -> bool) -> bool {
        self.sample.len() >= ENOUGH && self.sample.iter().all(is_so)
    }
}

/// By how much an element may differ. Integers that differ by less than one are equal: their
/// sums are exact, and what is computed of them here is not.
fn bound(problem: &Problem, row: usize, col: usize) -> f64 {
    match problem.ty {
        Type::Int => 0.25,
        Type::Float | Type::Double => problem.bound(row, col),
    }
}

/// What a wrong C looks like, in the learner's words, most telling first.
pub fn looks_like(problem: &Problem, c: &Matrix, wrong: &Wrong) -> Vec<String> {
    let case = &Case::new(problem, c, wrong);
    if let Some(untouched) = facts::untouched(case) {
        return vec![untouched];
    }
    let mut looks: Vec<String> = FACTS.iter().filter_map(|fact| fact(case)).collect();
    let first = |suspicions: &[Suspicion]| suspicions.iter().find_map(|holds| holds(case));
    let value = first(VALUES);
    let index = if value.is_none() {
        first(INDICES)
    } else {
        None
    };
    if index.is_none() {
        looks.extend(value);
        looks.extend(places::places(case));
    }
    looks.extend(index);
    if looks.is_empty() {
        looks.push(UNKNOWN.into());
    }
    looks
}

/// The root of the mean of the squares.
fn rms(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    (values.map(|x| x * x).sum::<f64>() / count).sqrt()
}

/// Whether this was read off the bytes, and holds although the next run gives other ones.
pub(super) fn is_fact(look: &str) -> bool {
    let kinds = ["untouched", "never written", "old contents"];
    kinds.contains(&look.split(':').next().unwrap_or(look))
}

/// What is said where nothing is known.
const UNKNOWN: &str = "nothing known";

/// At most `count` entries of a list, in order.
fn spread<T>(list: &[T], count: usize) -> impl Iterator<Item = &T> {
    chosen(list.len(), count).into_iter().map(|i| &list[i])
}

/// (sqrt(5) - 1) / 2
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// At most `count` numbers below `all`, in order, spread by the golden ratio: in equal steps
/// the elements of a matrix could all lie in one column.
fn chosen(all: usize, count: usize) -> Vec<usize> {
    if all <= count {
        return (0..all).collect();
    }
    let at = |i: usize| ((i as f64 * GOLDEN).fract() * all as f64) as usize;
    let mut chosen: Vec<usize> = (0..count).map(at).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::element::Elements;
    use crate::matrix::Fill;
    use crate::shape::Shape;

    pub const ODD: Shape = Shape { m: 7, n: 9, k: 5 };
    /// Long enough for tiles.
    pub const LONG: Shape = Shape { m: 7, n: 9, k: 53 };

    pub fn problem(shape: Shape) -> Problem {
        Problem::new(shape, Type::Float, Fill::Random, 1)
    }

    /// What element (row, col) must be.
    pub fn right(problem: &Problem, row: usize, col: usize) -> f64 {
        problem.want(row, col)
    }

    /// What is said of a C whose elements are `value`.
    pub fn said(problem: &Problem, value: impl Fn(usize, usize) -> f64) -> Vec<String> {
        let Shape { m, n, .. } = problem.shape;
        let c = Matrix {
            rows: m,
            cols: n,
            data: Elements::from_fn(problem.ty, m * n, |i| value(i / n, i % n)),
        };
        said_of(problem, &c)
    }

    pub fn said_of(problem: &Problem, c: &Matrix) -> Vec<String> {
        check(problem, c).expect_err("it is wrong").looks_like
    }

    /// The kinds of what is said.
    pub fn kinds(problem: &Problem, value: impl Fn(usize, usize) -> f64) -> Vec<String> {
        let kind = |look: String| look.split(':').next().unwrap_or_default().to_string();
        said(problem, value).into_iter().map(kind).collect()
    }

    #[test]
    fn a_list_is_spread_evenly_and_not_in_step() {
        let list: Vec<usize> = (0..6400).collect();
        let all: Vec<&usize> = spread(&list[..64], 64).collect();
        assert!(all.into_iter().copied().eq(0..64));
        let some: Vec<usize> = spread(&list, 64).copied().collect();
        assert_eq!(some.len(), 64);
        assert!(some.is_sorted());
        // In each tenth of the list, and in each tenth of its rows of 64.
        for tenth in 0..10 {
            assert!(some.iter().any(|i| i / 640 == tenth));
            assert!(some.iter().any(|i| i % 64 * 10 / 64 == tenth));
        }
    }

    #[test]
    fn the_root_of_the_mean_square_is_a_mean() {
        assert_eq!(rms([3.0, -4.0, 0.0, 0.0].into_iter()), 2.5);
    }

    #[test]
    fn what_was_read_off_the_bytes_is_a_fact() {
        assert!(is_fact("untouched: the kernel wrote nothing to C"));
        assert!(is_fact("never written: 1 element"));
        assert!(!is_fact("factor: every element is untouched"));
        assert!(!is_fact(UNKNOWN));
    }

    #[test]
    fn nothing_is_known_of_what_follows_no_rule() {
        let problem = problem(LONG);
        let squared = |row, col| right(&problem, row, col).powi(2) + 1.0;
        assert_eq!(said(&problem, squared), [UNKNOWN]);
        let shape = Shape { m: 1, n: 1, k: 1 };
        let one = self::problem(shape);
        assert_eq!(said(&one, |_, _| 9.0), [UNKNOWN]);
    }

    #[test]
    fn what_is_missing_from_few_elements_is_not_explained() {
        let problem = problem(LONG);
        let factor_in = |count: usize| {
            kinds(&problem, |row, col| {
                let at = row * 9 + col;
                let is_wrong = at % 17 == 0 && at / 17 < count;
                right(&problem, row, col) * if is_wrong { 3.0 } else { 1.0 }
            })
        };
        assert_eq!(factor_in(3), [UNKNOWN]);
        assert_eq!(factor_in(4)[0], "factor");
    }

    #[test]
    fn integers_are_explained_too() {
        let problem = Problem::new(ODD, Type::Int, Fill::Random, 1);
        let twice = |row, col| 2.0 * right(&problem, row, col);
        assert_eq!(kinds(&problem, twice), ["factor"]);
        let nearly = |row, col| 2.0 * right(&problem, row, col) + f64::from(row == 3 && col == 3);
        assert_eq!(kinds(&problem, nearly), [UNKNOWN]);
    }
}
