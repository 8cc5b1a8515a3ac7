//! The checker is fed results that are known to be wrong.

use super::*;
use crate::element::{Elements, Type};
use crate::matrix::{Fill, Shape};
use crate::reference::LoopOrder;

pub(super) const ODD: Shape = Shape { m: 7, n: 9, k: 5 };

pub(super) fn right(problem: &Problem) -> Matrix {
    let s = problem.shape;
    let (Elements::Float(a), Elements::Float(b)) = (&problem.a().data, &problem.b().data) else {
        panic!("the tests use floats")
    };
    let mut c = vec![0.0f32; s.m * s.n];
    LoopOrder::Ikj.multiply(s, a, b, &mut c);
    Matrix { rows: s.m, cols: s.n, data: Elements::Float(c) }
}

pub(super) fn floats(c: &mut Matrix) -> &mut Vec<f32> {
    match &mut c.data {
        Elements::Float(v) => v,
        _ => panic!("the tests use floats"),
    }
}

pub(super) fn spoilt(shape: Shape, spoil: impl Fn(&mut Matrix)) -> Wrong {
    let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
    let mut c = right(&problem);
    check(&problem, &c).expect("the unspoilt result is right");
    spoil(&mut c);
    found(&problem, &c).expect("the spoilt result is wrong")
}

fn looks(wrong: &Wrong) -> Vec<String> {
    wrong.looks_like.iter().map(|look| look.to_string()).collect()
}

#[test]
fn one_element_that_is_slightly_off_is_found() {
    let wrong = spoilt(ODD, |c| floats(c)[10] += 1e-4);
    assert_eq!(wrong.mismatches.len(), 1);
    assert_eq!((wrong.mismatches[0].row, wrong.mismatches[0].col), (1, 1));
    assert_eq!(wrong.looks_like, [crate::Look::Unknown]);
}

#[test]
fn what_was_compared_is_told() {
    let problem = Problem::new(ODD, Type::Float, Fill::Random, 1);
    let all = check(&problem, &right(&problem)).expect("right");
    assert_eq!(all, 63);
}

#[test]
fn nan_is_wrong_everywhere() {
    let wrong = spoilt(ODD, |c| floats(c).fill(f32::NAN));
    assert_eq!(wrong.mismatches.len(), 63);
    assert!(looks(&wrong)[0].starts_with("NaN"), "{wrong:?}");
}

#[test]
fn poison_is_called_untouched() {
    let wrong = spoilt(ODD, |c| {
        floats(c).fill(f32::from_bits(0x7fa0_dead));
    });
    assert_eq!(looks(&wrong), ["untouched: the kernel wrote nothing to C"]);
    let shown = crate::wrong::map(&wrong).concat();
    assert!(shown.contains('o') && !shown.contains('#'));
}

#[test]
fn only_what_nobody_wrote_is_untouched() {
    let wrong = spoilt(ODD, |c| {
        floats(c)[2 * 9 + 3] = f32::from_bits(0x7fa0_dead);
        floats(c)[3 * 9 + 2] = f32::NAN;
    });
    let found: Vec<_> = wrong.mismatches.iter().map(|m| (m.row, m.col, m.untouched)).collect();
    assert_eq!(found, [(2, 3, true), (3, 2, false)]);
}

#[test]
fn a_transposed_square_result_is_called_so() {
    let wrong = spoilt(Shape::cube(8), |c| *c = c.transposed());
    assert!(looks(&wrong).iter().any(|l| l.starts_with("transposed")), "{wrong:?}");
}

#[test]
fn a_transposed_rectangular_result_is_called_so() {
    let wrong = spoilt(ODD, |c| c.data = c.transposed().data);
    assert!(looks(&wrong).iter().any(|l| l.starts_with("transposed")), "{wrong:?}");
}

#[test]
fn a_constant_factor_is_named() {
    let wrong = spoilt(ODD, |c| floats(c).iter_mut().for_each(|x| *x *= 2.0));
    assert_eq!(looks(&wrong), ["factor: every element is 2.0000 times what it must be"]);
}

#[test]
fn a_constant_result_is_named() {
    let wrong = spoilt(ODD, |c| floats(c).fill(3.0));
    assert_eq!(looks(&wrong)[0], "constant: every element is 3");
}

#[test]
fn a_long_sum_that_ends_early_is_wrong() {
    // What a driver does that counts the rounds of a loop in 16 bits.
    let shape = Shape { m: 1, n: 1, k: 70_000 };
    let wrong = spoilt(shape, |c| {
        let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
        let (a, b) = (&problem.a().data, &problem.b().data);
        floats(c)[0] = (0..65_535).map(|k| (a.get(k) * b.get(k)) as f32).sum();
    });
    assert_eq!(wrong.mismatches.len(), 1);
}

#[test]
fn the_usual_rounding_is_what_the_bound_takes_it_for() {
    for k in [16, 256] {
        let problem = Problem::new(Shape { m: 64, n: 64, k }, Type::Float, Fill::Random, 1);
        let c = right(&problem);
        let error = |i, j| (c.at(i, j) - problem.want(i, j)) / (problem.bound(i, j) / 20.0);
        let all = (0..64 * 64).map(|flat| error(flat / 64, flat % 64));
        let mean_square = all.map(|error| error * error).sum::<f64>() / (64.0 * 64.0);
        let usual = mean_square.sqrt();
        assert!((0.9..1.2).contains(&usual), "K = {k}: {usual}");
    }
}

/// One row times `n` equal columns: ten times 1 and ten times -1, in the order that
/// `sign` says, and 1 everywhere.
fn walks(n: usize, sign: impl Fn(usize) -> f64) -> Problem {
    let matrix = |rows, cols, value: &dyn Fn(usize) -> f64| Matrix {
        rows,
        cols,
        data: Elements::from_fn(Type::Float, rows * cols, value),
    };
    let (a, b) = (matrix(1, 20, &sign), matrix(20, n, &|_| 1.0));
    let mut problem = Problem::new(Shape { m: 1, n, k: 20 }, Type::Float, Fill::Random, 0);
    problem.operands = [a, b].into();
    problem
}

/// Whether C may be off by so many u everywhere.
fn may_be_off(problem: &Problem, units: f64) -> bool {
    let error = units * Type::Float.unit_roundoff();
    let c = Matrix {
        rows: 1,
        cols: problem.shape.n,
        data: Elements::from_fn(Type::Float, problem.shape.n, |_| error),
    };
    check(problem, &c).is_ok()
}

#[test]
fn an_element_may_differ_by_its_bound_and_no_more() {
    // The partial sums are 1, 0, 1, 0, ...; both norms are the root of 20.
    let problem = walks(1, |k| [1.0, -1.0][k % 2]);
    for (units, is_right) in [(119.9, true), (-119.9, true), (120.1, false), (-120.1, false)] {
        assert_eq!(may_be_off(&problem, units), is_right, "{units} u");
    }
}

#[test]
fn a_sum_that_walked_far_may_be_rounded_more() {
    // The partial sums are 1, 2, ..., 10, 9, ..., 0; their squares come to 670.
    let problem = walks(1, |k| if k < 10 { 1.0 } else { -1.0 });
    let bound = 20.0 * 0.42 * f64::sqrt(670.0);
    assert!(may_be_off(&problem, 0.999 * bound));
    assert!(!may_be_off(&problem, 1.001 * bound));
}

#[test]
fn of_too_many_that_are_off_none_is_looked_at_twice() {
    let far = |k| if k < 10 { 1.0 } else { -1.0 };
    assert!(may_be_off(&walks(1000, far), 200.0));
    assert!(!may_be_off(&walks(1001, far), 200.0));
}

#[test]
fn doubles_and_integers_are_checked_too() {
    for ty in [Type::Double, Type::Int] {
        for fill in [Fill::Random, Fill::Count] {
            let problem = Problem::new(ODD, ty, fill, 1);
            let exact = |i: usize| -> f64 {
                let (row, col) = (i / ODD.n, i % ODD.n);
                (0..ODD.k).map(|k| problem.a().at(row, k) * problem.b().at(k, col)).sum()
            };
            let matrix = |shift: f64| Matrix {
                rows: ODD.m,
                cols: ODD.n,
                data: Elements::from_fn(ty, ODD.m * ODD.n, |i| exact(i) + shift),
            };
            check(&problem, &matrix(0.0)).expect("right");
            check(&problem, &matrix(1.0)).expect_err("wrong");
        }
    }
}
