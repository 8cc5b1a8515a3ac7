//! What can be read off the bytes of a wrong result.

use super::Case;
use crate::element::{Elements, Type};
use crate::poison::Poison;
use crate::wrong::Mismatch;

/// How the kind begins that names a buffer beside which a kernel read.
pub const READ_OUTSIDE: &str = "read outside of ";

/// C as it was before the launch.
pub fn untouched(case: &Case) -> Option<String> {
    let mut bad = case.wrong.mismatches.iter();
    (case.is_all_wrong() && bad.all(|m| m.untouched))
        .then(|| "untouched: the kernel wrote nothing to C".into())
}

/// All that is so.
pub fn facts(case: &Case) -> Vec<String> {
    let ty = case.problem.ty;
    let bits = |poison: Poison| Elements::from_bytes(ty, &poison.bytes(ty)).bits(0);
    let old = bits(Poison::Nan);
    let beside = ["A", "B", "C"].map(|name| (name, bits(Poison::beside(name))));
    let comes_of = |m: &Mismatch, poison| !m.untouched && comes_of(case, m, poison);
    let is_poison =
        |m: &Mismatch| comes_of(m, old) || beside.iter().any(|(_, poison)| comes_of(m, *poison));
    let mut facts = Vec::new();
    let mut tell = |kind: &str, words: &str, is_so: &dyn Fn(&Mismatch) -> bool| {
        let bad = case.wrong.mismatches.iter();
        let elements = match bad.filter(|m| is_so(m)).count() * case.wrong.every {
            0 => return,
            1 => "1 element".to_string(),
            count => format!("{count} elements"),
        };
        facts.push(format!("{kind}{elements}{words}"));
    };
    tell("never written: ", "", &|m| m.untouched);
    let words = " made of what stood in C before the launch";
    tell("old contents: ", words, &|m| comes_of(m, old));
    for (name, poison) in beside {
        let kind = format!("{READ_OUTSIDE}{name}: ");
        tell(&kind, " made of what lies there", &|m| comes_of(m, poison));
    }
    let words = "; 0 / 0 and the like makes one, or reading what nobody had written";
    tell("NaN: in ", words, &|m| {
        m.got.is_nan() && !m.untouched && !is_poison(m)
    });
    let words = "; a division by 0 makes one, and a number that the type cannot hold";
    tell("infinity: in ", words, &|m| m.got.is_infinite());
    facts
}

/// Whether an element is made of a poison. A NaN keeps its lower bits when it is computed
/// with, on most devices; an integer is off by the poison.
fn comes_of(case: &Case, m: &Mismatch, poison: u64) -> bool {
    let bits = case.c.data.bits(m.row * case.c.cols + m.col);
    match case.problem.ty {
        // A NaN that was computed has the highest bit of its fraction set.
        Type::Float => bits & !(1 << 31) == poison | 1 << 22,
        Type::Double => bits & !(1 << 63) == poison | 1 << 51,
        _ => (bits as i32).wrapping_sub(m.want as i32) == poison as i32,
    }
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
        wrong.mismatches.truncate(3);
        wrong.mismatches.iter_mut().for_each(|m| m.untouched = true);
        assert_eq!(
            facts(&Case::new(&problem, &c, &wrong)),
            ["never written: 6 elements"]
        );
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
