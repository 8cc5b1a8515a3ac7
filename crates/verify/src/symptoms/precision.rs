//! Results that are nearly right.

use super::{Case, ENOUGH, rms};
use crate::element::Type;
use crate::matrix::Fill;

/// Errors that are everywhere, and everywhere far smaller than one term of a sum: what
/// is lost are digits. Only of random numbers; of counted ones neighbours differ by as
/// little.
pub fn few_digits(case: &Case) -> Option<String> {
    let digits = match case.problem.ty {
        Type::Float => 7,
        Type::Double => 16,
        Type::Int => return None,
    };
    let is_random = case.problem.fill == Fill::Random;
    if case.share() < 0.5 || !is_random || case.sample.len() < 2 * ENOUGH {
        return None;
    }
    let error = rms(case.sample.iter().map(|s| s.got - s.want));
    let size = rms(case.sample.iter().map(|s| s.want));
    let all_k = 0..case.problem.shape.k;
    let term = rms(case.sample.iter().flat_map(|s| {
        let term = |k| case.problem.a.at(s.row, k) * case.problem.b.at(k, s.col);
        all_k.clone().map(term)
    }));
    let largest = case.sample.iter().map(|s| (s.got - s.want).abs());
    if error > term / 8.0 || largest.fold(0.0, f64::max) > term / 2.0 {
        return None;
    }
    let right = (-(error / size).log10()).round().max(1.0);
    Some(format!(
        "precision: nearly right everywhere, about {right} of {digits} digits, as when \
         something is kept in fewer bits"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::UNKNOWN;
    use super::super::tests::{LONG, kinds, problem, right, said};
    use super::*;
    use crate::problem::Problem;
    use crate::shape::Shape;

    /// An error without a rule, between -1 and 1.
    fn noise(row: usize, col: usize) -> f64 {
        ((row * 9 + col) as f64 * 0.7391).fract() * 2.0 - 1.0
    }

    fn with_noise(ty: Type, fill: Fill, size: f64) -> Vec<String> {
        noise_in(LONG, ty, fill, size)
    }

    fn noise_in(shape: Shape, ty: Type, fill: Fill, size: f64) -> Vec<String> {
        let problem = Problem::new(shape, ty, fill, 1);
        said(&problem, |row, col| {
            right(&problem, row, col) + size * noise(row, col)
        })
    }

    #[test]
    fn the_digits_that_are_right_are_told() {
        let precision = |digits: &str| {
            [format!(
                "precision: nearly right everywhere, about {digits} digits, as when something \
                 is kept in fewer bits"
            )]
        };
        assert_eq!(
            with_noise(Type::Float, Fill::Random, 1e-2),
            precision("2 of 7")
        );
        assert_eq!(
            with_noise(Type::Float, Fill::Random, 1e-3),
            precision("3 of 7")
        );
        assert_eq!(
            with_noise(Type::Double, Fill::Random, 1e-7),
            precision("7 of 16")
        );
        // Of larger sums the same error is a smaller part.
        let larger = Shape { k: 4000, ..LONG };
        assert_eq!(
            noise_in(larger, Type::Float, Fill::Random, 1e-2),
            precision("3 of 7")
        );
    }

    #[test]
    fn errors_like_a_term_and_counted_numbers_are_not_of_precision() {
        // A term is 1/12 in the mean.
        assert_eq!(with_noise(Type::Float, Fill::Random, 5e-2), [UNKNOWN]);
        // None is as large as half a term, and an eighth is too much in the mean.
        assert_eq!(with_noise(Type::Float, Fill::Random, 3e-2), [UNKNOWN]);
        assert_eq!(with_noise(Type::Float, Fill::Count, 1e3), [UNKNOWN]);
        assert_eq!(with_noise(Type::Int, Fill::Random, 300.0), [UNKNOWN]);
    }

    #[test]
    fn precision_is_lost_in_half_of_all_elements_at_least() {
        let problem = problem(Shape { m: 8, n: 8, k: 53 });
        let in_some = |count: usize| {
            kinds(&problem, |row, col| {
                let is_wrong = (row * 8 + col) * 13 % 64 < count;
                right(&problem, row, col)
                    + if is_wrong {
                        3e-3 * (0.1 + noise(row, col).abs())
                    } else {
                        0.0
                    }
            })
        };
        assert_eq!(in_some(32), ["precision"]);
        assert_eq!(in_some(31), [UNKNOWN]);
    }

    #[test]
    fn precision_is_judged_by_twice_as_many_elements_as_are_enough() {
        let wrong = |n: usize| {
            let problem = problem(Shape { m: 1, n, k: 53 });
            let nearly =
                |row, col| right(&problem, row, col) + 3e-3 * (1.0 + noise(row, col).abs());
            kinds(&problem, nearly)
        };
        assert_eq!(wrong(2 * ENOUGH), ["precision"]);
        assert_eq!(wrong(2 * ENOUGH - 1), [UNKNOWN]);
    }

    #[test]
    fn one_large_error_is_not_of_precision() {
        let problem = problem(LONG);
        let but_one = |large: f64| {
            kinds(&problem, |row, col| {
                let noise = if row + col == 0 {
                    large
                } else {
                    1e-4 * noise(row, col)
                };
                right(&problem, row, col) + noise
            })
        };
        assert_eq!(but_one(0.03), ["precision"]);
        assert_eq!(but_one(0.05), [UNKNOWN]);
    }
}
