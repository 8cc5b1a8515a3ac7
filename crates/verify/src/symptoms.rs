//! What a wrong result looks like: what can be read off its bytes, and the first suspicion
//! that holds. Each is a function that knows one kind of fault and says nothing unless the
//! numbers prove it: what is said of the wrong elements is so of every one of them.
//!
//! What is said begins with its kind and a colon, by which the tests count how often the
//! cause of the kernels in tests/wrong/ is named rightly.

mod terms;
mod values;

use crate::element::{Elements, Type};
use crate::wrong::{Look, Mismatch, Wrong};
use crate::{matrix::Matrix, poison::Poison, problem::Problem};

/// In this order: the first that holds is said.
const SUSPICIONS: [fn(&Case) -> Option<String>; 7] = [
    values::constant,
    values::factor,
    values::offset,
    terms::some_terms,
    values::few_digits,
    values::transposed,
    values::moved,
];

/// So many of the next hold although the next run gives other numbers.
const STEADY: usize = 5;

/// What can be read off an element's bytes: the kind, and what is said behind the number of
/// elements.
const FACTS: [(&str, &str); 7] = [
    ("never written: ", ""),
    ("old contents: ", " made of what stood in C before the launch"),
    ("read outside of A: ", " made of what lies there"),
    ("read outside of B: ", " made of what lies there"),
    ("read outside of C: ", " made of what lies there"),
    ("NaN: in ", "; 0 / 0 and the like makes one, or reading what nobody had written"),
    ("infinity: in ", "; a division by 0 makes one, and a number that the type cannot hold"),
];

const UNTOUCHED: &str = "untouched: the kernel wrote nothing to C";

/// No explanation is taken from fewer elements.
const ENOUGH: usize = 4;
/// So many wrong elements are looked at first, and are enough to say no.
const SAMPLES: usize = 64;
/// Before a yes all are looked at, or as many as so many steps suffice for.
const STEPS: usize = 1 << 24;

/// What a wrong C looks like, in the learner's words, most telling first.
pub fn looks_like(problem: &Problem, c: &Matrix, wrong: &Wrong) -> Vec<Look> {
    let case = &Case::new(problem, c, wrong);
    if case.is_all_wrong() && wrong.mismatches.iter().all(|m| m.untouched) {
        return vec![Look::Fact(UNTOUCHED.into())];
    }
    let mut looks = case.facts();
    looks.extend(SUSPICIONS.iter().find_map(|holds| holds(case)).map(Look::Chance));
    if looks.is_empty() {
        looks.push(Look::Unknown);
    }
    looks
}

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
        Case { problem, c, wrong, sample: spread(&finite), finite }
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
        let most = self.finite.iter().take(STEPS / steps);
        self.sample.len() >= ENOUGH && self.sample.iter().chain(most).all(|m| is_so(m))
    }

    /// By how much an element may differ. Integers that differ by less than one are equal:
    /// their sums are exact, and what is computed of them here is not.
    fn bound(&self, m: &Mismatch) -> f64 {
        if self.problem.ty == Type::Int { 0.25 } else { self.problem.bound(m.row, m.col) }
    }

    /// The terms of an element's sum.
    fn terms(&self, m: &Mismatch) -> impl Iterator<Item = f64> {
        let (row, col) = (m.row, m.col);
        let term = move |k| self.problem.a().at(row, k) * self.problem.b().at(k, col);
        (0..self.problem.shape.k).map(term)
    }

    /// What can be read off the bytes, with how many elements it is so of.
    fn facts(&self) -> Vec<Look> {
        let ty = self.problem.ty;
        let [a, b, c] = ["A", "B", "C"].map(Poison::beside);
        let bits = |poison: Poison| Elements::from_bytes(ty, &poison.bytes(ty)).bits(0);
        let poisons = [Poison::Nan, a, b, c].map(bits);
        // A NaN keeps its lower bits when it is computed with, on most devices; an integer is off by
        // the poison.
        let comes_of = |m: &Mismatch, poison: u64| {
            let bits = self.c.data.bits(m.row * self.c.cols + m.col);
            match ty {
                // A NaN that was computed has the highest bit of its fraction set.
                Type::Float => bits & !(1 << 31) == poison | 1 << 22,
                Type::Double => bits & !(1 << 63) == poison | 1 << 51,
                _ => (bits as i32).wrapping_sub(m.want as i32) == poison as i32,
            }
        };
        let fact = |m: &Mismatch| match poisons.iter().position(|bits| comes_of(m, *bits)) {
            _ if m.untouched => Some(0),
            Some(poison) => Some(1 + poison),
            None if m.got.is_nan() => Some(5),
            None => m.got.is_infinite().then_some(6),
        };
        let mut counts = [0; FACTS.len()];
        let known = self.wrong.mismatches.iter().filter_map(fact);
        known.for_each(|fact| counts[fact] += self.wrong.every);
        let told = FACTS.iter().zip(counts).enumerate().filter(|(_, (_, count))| *count > 0);
        let told = told.map(|(at, ((kind, words), count))| {
            let s = if count == 1 { "" } else { "s" };
            let words = format!("{kind}{count} element{s}{words}");
            if at < STEADY { Look::Fact(words) } else { Look::Chance(words) }
        });
        told.collect()
    }
}

/// Some of the elements, spread by the golden ratio: in equal steps they could all lie in one
/// column.
fn spread<'a>(all: &[&'a Mismatch]) -> Vec<&'a Mismatch> {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    if all.len() <= SAMPLES {
        return all.to_vec();
    }
    let at = |i: usize| ((i as f64 * GOLDEN).fract() * all.len() as f64) as usize;
    (0..SAMPLES).map(|i| all[at(i)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Fill, Shape};
    use crate::{check::found, element::Elements};

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
        let looks = found(problem, c).expect("it is wrong").looks_like;
        looks.iter().map(Look::to_string).collect()
    }

    /// The kinds of what is said.
    pub fn kinds(problem: &Problem, value: impl Fn(usize, usize) -> f64) -> Vec<String> {
        let kind = |look: String| look.split(':').next().unwrap_or_default().to_string();
        said(problem, value).into_iter().map(kind).collect()
    }

    #[test]
    fn elements_are_spread_evenly_and_not_in_step() {
        let mismatch = |at: usize| Mismatch {
            row: at / 64,
            col: at % 64,
            got: 1.0,
            want: 0.0,
            untouched: false,
        };
        let all: Vec<Mismatch> = (0..6400).map(mismatch).collect();
        let all: Vec<&Mismatch> = all.iter().collect();
        assert_eq!(spread(&all[..64]), all[..64]);
        let some = spread(&all);
        assert_eq!(some.len(), 64);
        // In each tenth of the list, and in each tenth of its rows of 64.
        for tenth in 0..10 {
            assert!(some.iter().any(|m| m.row / 10 == tenth));
            assert!(some.iter().any(|m| m.col * 10 / 64 == tenth));
        }
    }

    #[test]
    fn nothing_is_known_of_what_follows_no_rule() {
        let problem = problem(LONG);
        let squared = |row, col| right(&problem, row, col).powi(2) + 1.0;
        assert_eq!(said(&problem, squared), ["nothing known"]);
        let shape = Shape { m: 1, n: 1, k: 1 };
        let one = self::problem(shape);
        assert_eq!(said(&one, |_, _| 9.0), ["nothing known"]);
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
        assert_eq!(factor_in(3), ["nothing known"]);
        assert_eq!(factor_in(4)[0], "factor");
    }

    #[test]
    fn integers_are_explained_too() {
        let problem = Problem::new(ODD, Type::Int, Fill::Random, 1);
        let twice = |row, col| 2.0 * right(&problem, row, col);
        assert_eq!(kinds(&problem, twice), ["factor"]);
        let nearly = |row, col| 2.0 * right(&problem, row, col) + f64::from(row == 3 && col == 3);
        assert_eq!(kinds(&problem, nearly), ["nothing known"]);
    }

    #[test]
    fn of_a_sample_each_element_stands_for_several() {
        let problem = problem(ODD);
        let c = Matrix::filled(7, 9, Type::Float, Fill::Count, 0);
        let mut wrong = found(&problem, &c).expect("it is wrong");
        wrong.every = 2;
        wrong.mismatches.truncate(3);
        wrong.mismatches.iter_mut().for_each(|m| m.untouched = true);
        assert_eq!(
            Case::new(&problem, &c, &wrong).facts(),
            [Look::Fact("never written: 6 elements".into())]
        );
    }

    /// The right C with some floats in other bits.
    fn with_bits(bits: &[(usize, u32)]) -> Vec<String> {
        let problem = problem(ODD);
        let mut data: Vec<f32> = (0..63).map(|i| right(&problem, i / 9, i % 9) as f32).collect();
        for (at, bits) in bits {
            data[*at] = f32::from_bits(*bits);
        }
        let data = Elements::Float(data);
        said_of(&problem, &Matrix { rows: 7, cols: 9, data })
    }

    #[test]
    fn elements_that_nobody_wrote_are_counted() {
        let poison = 0x7fa0_dead;
        assert_eq!(with_bits(&[(20, poison)])[0], "never written: 1 element");
        assert_eq!(with_bits(&[(20, poison), (41, poison)]), ["never written: 2 elements"]);
        let all: Vec<_> = (0..63).map(|at| (at, poison)).collect();
        assert_eq!(with_bits(&all), ["untouched: the kernel wrote nothing to C"]);
    }

    #[test]
    fn a_nan_with_the_bits_of_the_poison_comes_from_it() {
        let told = with_bits(&[(20, 0x7fe0_dead), (41, 0xffe0_dead)]);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("old contents: 2 elements made of"), "{told:?}");
        let told = with_bits(&[(20, 0x7fc0_0000), (41, 0x7fe0_deae)]);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("NaN: in 2 elements;"), "{told:?}");
        let double = Problem::new(ODD, Type::Double, Fill::Random, 1);
        let old = f64::from_bits(0x7ffc_dead_7fa0_dead);
        let made_of = |bad: f64| {
            said(
                &double,
                |row, col| {
                    if row == 2 && col == 3 { bad } else { right(&double, row, col) }
                },
            )
        };
        assert!(made_of(old)[0].starts_with("old contents: 1 element made of"));
        assert!(made_of(f64::NAN)[0].starts_with("NaN: in 1 element;"));
    }

    #[test]
    fn a_nan_from_beside_a_buffer_names_it() {
        let a = Elements::from_bytes(Type::Float, &Poison::beside("A").bytes(Type::Float));
        let quiet = a.bits(0) as u32 | 1 << 22;
        assert_eq!(
            with_bits(&[(20, quiet), (41, quiet | 1 << 31)]),
            ["read outside of A: 2 elements made of what lies there"]
        );
    }

    #[test]
    fn an_integer_that_is_off_by_the_poison_comes_from_it() {
        let problem = Problem::new(ODD, Type::Int, Fill::Random, 1);
        let off_by = |by: i32| {
            said(&problem, |row, col| {
                let right = right(&problem, row, col) as i32;
                f64::from(right.wrapping_add(if row + col == 0 { by } else { 0 }))
            })
        };
        assert!(off_by(0x7fa0_dead)[0].starts_with("old contents"));
        assert_eq!(off_by(0x7fa0_deae), ["nothing known"]);
    }

    #[test]
    fn infinities_are_counted() {
        let told = with_bits(&[(20, 0x7f80_0000), (41, 0xff80_0000)]);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("infinity: in 2 elements;"), "{told:?}");
        let finite = with_bits(&[(20, 0x7f7f_ffff), (41, 0x4f7f_ffff)]);
        assert_eq!(finite, ["nothing known"]);
    }
}
