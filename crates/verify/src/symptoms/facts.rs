//! What can be read off the bytes of a wrong result.

use super::Case;
use crate::element::{Elements, Type};
use crate::poison::Poison;

/// C as it was before the launch.
pub fn untouched(case: &Case) -> Option<String> {
    let mut bad = case.wrong.mismatches.iter();
    (case.is_all_wrong() && bad.all(|m| m.untouched))
        .then(|| "untouched: the kernel wrote nothing to C".into())
}

/// Elements that nobody wrote.
pub fn never_written(case: &Case) -> Option<String> {
    let bad = &case.wrong.mismatches;
    let count = bad.iter().filter(|m| m.untouched).count();
    (count > 0).then(|| format!("never written: {}", elements(case, count)))
}

/// Results made of the poison that stood in C before the launch. A NaN keeps its lower
/// bits when it is computed with, on most devices; an integer is off by the poison.
pub fn old_contents(case: &Case) -> Option<String> {
    let data = &case.c.data;
    let is_old = |at: usize, want: f64| match data {
        Elements::Float(v) => v[at].to_bits() << 1 == quiet_float() << 1,
        Elements::Double(v) => v[at].to_bits() << 1 == quiet_double() << 1,
        Elements::Int(v) => v[at].wrapping_sub(want as i32) == poison_int(),
    };
    let bad = case.wrong.mismatches.iter();
    let old = bad.filter(|m| !m.untouched && is_old(m.row * case.c.cols + m.col, m.want));
    let count = old.count();
    (count > 0).then(|| {
        format!(
            "old contents: {} made of what stood in C, or in another buffer, before \
             anybody wrote there",
            elements(case, count)
        )
    })
}

/// NaN of another origin than the poison.
pub fn not_a_number(case: &Case) -> Option<String> {
    let bad = case.wrong.mismatches.iter();
    let count = bad.filter(|m| m.got.is_nan() && !m.untouched).count();
    (count > 0 && old_contents(case).is_none()).then(|| {
        format!(
            "NaN: in {}; 0 / 0 and the like makes one, or reading what nobody had written",
            elements(case, count)
        )
    })
}

/// Infinities.
pub fn infinity(case: &Case) -> Option<String> {
    let bad = case.wrong.mismatches.iter();
    let count = bad.filter(|m| m.got.is_infinite()).count();
    (count > 0).then(|| {
        format!(
            "infinity: in {}; a division by 0 makes one, and a number that the type cannot hold",
            elements(case, count)
        )
    })
}

/// So many of those that are kept.
fn elements(case: &Case, kept: usize) -> String {
    match kept * case.wrong.every {
        1 => "1 element".into(),
        count => format!("{count} elements"),
    }
}

/// The poison, as it comes out of a computation.
fn quiet_float() -> u32 {
    poison_int() as u32 | 1 << 22
}

fn quiet_double() -> u64 {
    u64::from_ne_bytes(Poison::Nan.bytes(Type::Double)) | 1 << 51
}

fn poison_int() -> i32 {
    let [a, b, c, d, ..] = Poison::Nan.bytes(Type::Int);
    i32::from_ne_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ODD, problem, right, said, said_of};
    use super::*;
    use crate::matrix::{Fill, Matrix};
    use crate::problem::Problem;

    #[test]
    fn of_a_sample_each_element_stands_for_several() {
        let problem = problem(ODD);
        let c = Matrix::filled(7, 9, Type::Float, Fill::Count, 0);
        let mut wrong = *crate::check(&problem, &c).expect_err("it is wrong");
        wrong.every = 2;
        assert_eq!(elements(&Case::new(&problem, &c, &wrong), 3), "6 elements");
    }

    /// The right C with some floats in other bits.
    fn with_bits(bits: &[(usize, u32)]) -> Vec<String> {
        let problem = problem(ODD);
        let mut data: Vec<f32> = (0..63)
            .map(|i| right(&problem, i / 9, i % 9) as f32)
            .collect();
        for (at, bits) in bits {
            data[*at] = f32::from_bits(*bits);
        }
        let data = Elements::Float(data);
        said_of(
            &problem,
            &Matrix {
                rows: 7,
                cols: 9,
                data,
            },
        )
    }

    #[test]
    fn elements_that_nobody_wrote_are_counted() {
        let poison = 0x7fa0_dead;
        assert_eq!(with_bits(&[(20, poison)])[0], "never written: 1 element");
        assert_eq!(
            with_bits(&[(20, poison), (41, poison)]),
            ["never written: 2 elements"]
        );
        let all: Vec<_> = (0..63).map(|at| (at, poison)).collect();
        assert_eq!(
            with_bits(&all),
            ["untouched: the kernel wrote nothing to C"]
        );
    }

    #[test]
    fn a_nan_with_the_bits_of_the_poison_comes_from_it() {
        let told = with_bits(&[(20, 0x7fe0_dead), (41, 0xffe0_dead)]);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].starts_with("old contents: 2 elements made of"),
            "{told:?}"
        );
        let told = with_bits(&[(20, 0x7fc0_0000), (41, 0x7fe0_deae)]);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("NaN: in 2 elements;"), "{told:?}");
        let double = Problem::new(ODD, Type::Double, Fill::Random, 1);
        let old = f64::from_bits(0x7ffc_dead_7fa0_dead);
        let made_of = |bad: f64| {
            said(&double, |row, col| {
                if row == 2 && col == 3 {
                    bad
                } else {
                    right(&double, row, col)
                }
            })
        };
        assert!(made_of(old)[0].starts_with("old contents: 1 element made of"));
        assert!(made_of(f64::NAN)[0].starts_with("NaN: in 1 element;"));
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
        assert!(off_by(0x7fa0_deae)[0].starts_with("one element"));
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
