//! What a wrong result looks like. A list of suspicions, each a function that knows one
//! kind of fault and says nothing unless the numbers prove it: what is said of the wrong
//! elements is so of every one of them.
//!
//! What is said begins with its kind and a colon, by which `cargo makers symptoms` tells
//! how often the cause is named rightly.

mod facts;
mod indices;
mod places;
mod terms;
mod values;

use crate::element::Type;
use crate::matrix::Matrix;
use crate::problem::Problem;
use crate::wrong::{LOOKS_LIKE, Mismatch, Wrong};

/// A suspicion: what it says, if it is so.
type Suspicion = fn(&Case) -> Option<String>;

/// What follows from the right values, or is near them. The first that holds is said, with
/// the places.
const VALUES: &[Suspicion] = &[
    values::constant,
    values::little_more_than_rounding,
    values::factor,
    values::offset,
    terms::some_terms,
    values::few_digits,
];
/// What was written elsewhere: this explains, too, where the result is right.
const INDICES: &[Suspicion] = &[indices::transposed, indices::moved];

/// No explanation is taken from fewer elements.
const ENOUGH: usize = 4;
/// So many wrong elements are looked at first, and are enough to say no.
const SAMPLES: usize = 64;
/// Before a yes all are looked at, or as many as so many steps suffice for.
const STEPS: usize = 1 << 24;
/// Less than so many times what an element may be off is little.
const LITTLE: f64 = 16.0;

/// A wrong result, and what is asked of it.
struct Case<'a> {
    problem: &'a Problem,
    c: &'a Matrix,
    wrong: &'a Wrong,
    /// The wrong elements to which the kernel wrote a finite number.
    finite: Vec<&'a Mismatch>,
    /// Some of them.
    sample: Vec<&'a Mismatch>,
}

impl<'a> Case<'a> {
    fn new(problem: &'a Problem, c: &'a Matrix, wrong: &'a Wrong) -> Case<'a> {
        let is_finite = |m: &&Mismatch| m.got.is_finite() && !m.untouched;
        let finite: Vec<&Mismatch> = wrong.mismatches.iter().filter(is_finite).collect();
        let sample = spread(&finite, SAMPLES).copied().collect();
        Case {
            problem,
            c,
            wrong,
            finite,
            sample,
        }
    }

    /// Whether all of C is wrong.
    fn is_all_wrong(&self) -> bool {
        self.wrong.count == self.wrong.rows * self.wrong.cols
    }

    /// The wrong elements that have a finite number, with the word for all.
    fn which(&self) -> &'static str {
        match self.finite.len() == self.wrong.mismatches.len() {
            true if self.is_all_wrong() => "every",
            true => "every wrong",
            false => "every other wrong",
        }
    }

    /// Whether this, which takes so many steps, is true of all wrong elements, and they are
    /// enough.
    fn all(&self, steps: usize, is_so: impl Fn(&Mismatch) -> bool) -> bool {
        let mut sample = self.sample.iter();
        sample.len() >= ENOUGH && sample.all(|m| is_so(m)) && self.most(steps).all(is_so)
    }

    /// All wrong elements that have a finite number, or as many as the steps suffice for.
    fn most(&self, steps: usize) -> impl Iterator<Item = &Mismatch> {
        spread(&self.finite, STEPS / steps).copied()
    }

    /// By how much an element may differ. Integers that differ by less than one are equal:
    /// their sums are exact, and what is computed of them here is not.
    fn bound(&self, m: &Mismatch) -> f64 {
        match self.problem.ty {
            Type::Int => 0.25,
            _ => self.problem.bound(m.row, m.col),
        }
    }

    /// The terms of an element's sum.
    fn terms(&self, m: &Mismatch) -> impl Iterator<Item = f64> {
        let (row, col) = (m.row, m.col);
        let term = move |k| self.problem.a().at(row, k) * self.problem.b().at(k, col);
        (0..self.problem.shape.k).map(term)
    }

    /// Whether all that is wrong is off by little more than rounding explains.
    fn is_little(&self) -> bool {
        let is_little = |m: &&Mismatch| (m.got - m.want).abs() < LITTLE * self.bound(m);
        self.problem.ty != Type::Int
            && self.finite.len() == self.wrong.mismatches.len()
            && self.finite.iter().all(is_little)
    }
}

/// What a wrong C looks like, in the learner's words, most telling first.
pub fn looks_like(problem: &Problem, c: &Matrix, wrong: &Wrong) -> Vec<String> {
    let case = &Case::new(problem, c, wrong);
    if let Some(untouched) = facts::untouched(case) {
        return vec![untouched];
    }
    let mut looks = facts::facts(case);
    let first = |suspicions: &[Suspicion]| suspicions.iter().find_map(|holds| holds(case));
    let value = first(VALUES);
    match value.is_none().then(|| first(INDICES)).flatten() {
        Some(index) => looks.push(index),
        None => {
            looks.extend(value);
            looks.extend(places::places(case));
        }
    }
    if looks.is_empty() {
        looks.push(UNKNOWN.into());
    }
    looks
}

/// Whether this was read off the bytes, and holds although the next run gives other ones.
pub fn is_fact(look: &str) -> bool {
    let kinds = [
        "untouched:",
        "never written:",
        "old contents:",
        facts::READ_OUTSIDE,
    ];
    kinds.iter().any(|kind| look.starts_with(kind))
}

/// What is said where nothing is known.
const UNKNOWN: &str = "nothing known";

/// At most `count` entries of a list, in order.
fn spread<T>(list: &[T], count: usize) -> impl Iterator<Item = &T> {
    chosen(list.len(), count).map(|i| &list[i])
}

/// (sqrt(5) - 1) / 2
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// At most `count` numbers below `all`, in order, spread by the golden ratio: in equal steps
/// the elements of a matrix could all lie in one column.
fn chosen(all: usize, count: usize) -> impl Iterator<Item = usize> {
    let at = move |i: usize| match all <= count {
        true => i,
        false => ((i as f64 * GOLDEN).fract() * all as f64) as usize,
    };
    let mut chosen: Vec<usize> = (0..count.min(all)).map(at).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter()
}

/// What is so in this run: what the numbers look like is chance, and only facts are told.
pub fn facts_of(told: &str) -> String {
    let stays = |line: &&str| line.strip_prefix(LOOKS_LIKE).is_none_or(is_fact);
    let lines = told.lines().filter(stays);
    lines.map(|line| format!("{line}\n")).collect()
}

/// The same, and what the other run showed.
pub fn of_unsteady(told: &str, look: &str) -> String {
    let facts = facts_of(told);
    let mut lines: Vec<&str> = facts.lines().collect();
    let look = format!("{LOOKS_LIKE}{look}");
    // Below the count; above it may stand what was overwritten.
    let count = lines.iter().position(|line| line.ends_with(" wrong"));
    lines.insert(count.map_or(lines.len(), |at| at + 1), &look);
    lines.join("\n") + "\n"
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

    #[test]
    fn of_a_result_that_differs_only_facts_are_told() {
        let one = "overrun: C\n1 is wrong\n  looks like: never written: 1\n  looks like: zero\n  \
                   C[0] is 1\n";
        assert_eq!(
            of_unsteady(one, "differs"),
            "overrun: C\n1 is wrong\n  looks like: differs\n  looks like: never written: 1\n  \
             C[0] is 1\n"
        );
        assert_eq!(
            of_unsteady("bad", "differs"),
            "bad\n  looks like: differs\n"
        );
        assert_eq!(of_unsteady("", "differs"), "  looks like: differs\n");
    }
}
