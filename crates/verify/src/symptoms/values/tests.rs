use super::*;
use crate::symptoms::tests::{LONG, ODD, kinds, problem, right, said};
use crate::{matrix::Shape, problem::Problem};

/// What is said of an ODD C whose elements are this function of the right ones.
fn of(value: impl Fn(f64) -> f64) -> Vec<String> {
    let problem = problem(ODD);
    said(&problem, |row, col| value(right(&problem, row, col)))
}

#[test]
fn a_constant_is_told() {
    assert_eq!(of(|_| 3.0), ["constant: every element is 3"]);
    let problem = problem(ODD);
    let two = |a: f64, b: f64| {
        kinds(&problem, |row, col| match (row, col) {
            (1, 2) => a,
            (4, 7) => b,
            _ => right(&problem, row, col),
        })
    };
    assert_eq!(two(3.0, 3.0), ["constant"]);
    assert_eq!(two(3.0, 3.1), ["nothing known"]);
}

#[test]
fn of_a_short_sum_the_only_tile_may_be_left_out() {
    let zero = |k: usize| said(&problem(Shape { k, ..ODD }), |_, _| 0.0);
    assert_eq!(zero(64), ["zero: every element is 0"]);
    assert_eq!(
        zero(63),
        ["zero: every element is 0; so it is, too, where the last tile of k is left out \
          and is the only one"]
    );
}

#[test]
fn a_factor_is_told_with_digits_that_tell_it_from_1() {
    let told = |factor: &str| format!("factor: every element is {factor} times what it must be");
    for (factor, text) in [
        (2.0, "2.0000"),
        (-0.5, "-0.5000"),
        (1.00003, "1.00003"),
        (2e-6, "0.000002"),
        (3e-20, "3.0000e-20"),
    ] {
        let said = of(|x| x * factor);
        assert!(said[0].starts_with(told(text).split(" times").next().unwrap()), "{said:?}");
    }
    assert_eq!(readable_factor(3e-20), "3.0000e-20");
    assert_eq!(readable_factor(1.00000001), "1.00000001");
}

#[test]
fn a_factor_does_not_hang_on_roundings_of_small_elements() {
    let problem = problem(LONG);
    let doubled = |row, col| {
        let want = right(&problem, row, col);
        let rounding = if want.abs() < 0.05 { 1.8 } else { 0.0 };
        2.0 * want + rounding * problem.bound(row, col)
    };
    assert_eq!(kinds(&problem, doubled), ["factor"]);
}

#[test]
fn a_factor_that_not_all_have_is_not_told() {
    let problem = problem(ODD);
    let but_one = |row, col| {
        let factor = if (row, col) == (3, 3) { 2.01 } else { 2.0 };
        factor * right(&problem, row, col)
    };
    assert_eq!(kinds(&problem, but_one), ["nothing known"]);
}

#[test]
fn a_sign_may_be_another() {
    assert_eq!(of(|x| -x), ["negated: every element has the other sign"]);
    assert_eq!(of(f64::abs), ["negated: every wrong element has the other sign"]);
    let problem = problem(ODD);
    let a_row = |row, col| right(&problem, row, col) * if row == 2 { -1.0 } else { 1.0 };
    assert_eq!(kinds(&problem, a_row), ["negated"]);
}

#[test]
fn an_offset_is_told() {
    assert_eq!(of(|x| x + 1.0), ["offset: every element is 1.00 too large"]);
    assert_eq!(of(|x| x - 0.25), ["offset: every element is 0.250 too small"]);
    assert_eq!(of(|x| x + 1e6), ["offset: every element is 1000000 too large"]);
    let old = Elements::from_bytes(Type::Float, &Poison::Number.bytes(Type::Float)).get(0);
    assert_eq!(of(|x| x + old), ["old contents: every element is added to what stood in C before"]);
    assert_eq!(of(|_| old), ["old contents: every element is what stood in C before"]);
    assert!(of(|x| x + old + 0.1)[0].starts_with("offset"));
    let problem = problem(ODD);
    let by_row = |row, col| right(&problem, row, col) + 1.0 + row as f64;
    assert_eq!(kinds(&problem, by_row), ["nothing known"]);
}

/// An error without a rule, between -1 and 1.
fn noise(row: usize, col: usize) -> f64 {
    ((row * 9 + col) as f64 * 0.7391).fract() * 2.0 - 1.0
}

fn with_noise(ty: Type, fill: Fill, size: f64) -> Vec<String> {
    noise_in(LONG, ty, fill, size)
}

fn noise_in(shape: Shape, ty: Type, fill: Fill, size: f64) -> Vec<String> {
    let problem = Problem::new(shape, ty, fill, 1);
    said(&problem, |row, col| right(&problem, row, col) + size * noise(row, col))
}

#[test]
fn the_digits_that_are_right_are_told() {
    let precision = |digits: &str| {
        [format!(
            "precision: every element is nearly right, about {digits} digits, as when \
             something is kept in fewer bits"
        )]
    };
    assert_eq!(with_noise(Type::Float, Fill::Random, 1e-2), precision("2 of 7"));
    assert_eq!(with_noise(Type::Float, Fill::Random, 1e-3), precision("3 of 7"));
    assert_eq!(with_noise(Type::Double, Fill::Random, 1e-7), precision("7 of 16"));
    // Of larger sums the same error is a smaller part.
    let larger = Shape { k: 4000, ..LONG };
    assert_eq!(noise_in(larger, Type::Float, Fill::Random, 1e-2), precision("3 of 7"));
}

#[test]
fn errors_like_a_term_and_counted_numbers_are_not_of_precision() {
    // A term is 1/12 in the mean.
    assert_eq!(with_noise(Type::Float, Fill::Random, 5e-2), ["nothing known"]);
    // None is as large as half a term, and an eighth is too much in the mean.
    assert_eq!(with_noise(Type::Float, Fill::Random, 3e-2), ["nothing known"]);
    assert_eq!(with_noise(Type::Float, Fill::Count, 1e3), ["nothing known"]);
    assert_eq!(with_noise(Type::Int, Fill::Random, 300.0), ["nothing known"]);
}

#[test]
fn precision_is_judged_by_twice_as_many_elements_as_are_enough() {
    let wrong = |n: usize| {
        let problem = problem(Shape { m: 1, n, k: 53 });
        let nearly = |row, col| right(&problem, row, col) + 3e-3 * (1.0 + noise(row, col).abs());
        kinds(&problem, nearly)
    };
    assert_eq!(wrong(2 * ENOUGH), ["precision"]);
    assert_eq!(wrong(2 * ENOUGH - 1), ["nothing known"]);
}

#[test]
fn one_large_error_is_not_of_precision() {
    let problem = problem(LONG);
    let but_one = |large: f64| {
        kinds(&problem, |row, col| {
            let noise = if row + col == 0 { large } else { 1e-4 * noise(row, col) };
            right(&problem, row, col) + noise
        })
    };
    assert_eq!(but_one(0.03), ["precision"]);
    assert_eq!(but_one(0.05), ["nothing known"]);
}

#[test]
fn the_root_of_the_mean_square_is_a_mean() {
    assert_eq!(rms([3.0, -4.0, 0.0, 0.0].into_iter()), 2.5);
}

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
            if row + col == 5 { 9.0 } else { transposed(row, col) }
        };
        assert!(!kinds(&problem, but_one).contains(&"transposed".to_string()));
    }
}

#[test]
fn a_row_is_its_own_transposed_form() {
    let problem = problem(Shape { m: 1, n: 2000, k: 1 });
    let row = |row, col| right(&problem, row, col) + f64::from(col == 1);
    assert_eq!(kinds(&problem, row), ["nothing known"]);
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
    assert_eq!(from(|_, col| (0, col)), "misplaced: all rows hold the first");
    assert_eq!(from(|row, _| (row, 0)), "misplaced: all columns hold the first");
    assert_eq!(from(|row, col| (row % 16, col)), "misplaced: rows repeat after 16");
    assert_eq!(from(|row, col| (row, col % 8)), "misplaced: columns repeat after 8");
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
    assert_eq!(exchanged, "nothing known");
}
