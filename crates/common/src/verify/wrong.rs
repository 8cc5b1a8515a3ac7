//! A wrong result, described in the learner's words.

use std::fmt;

use super::{Mismatch, map};
use crate::matrix::Matrix;
use crate::problem::Problem;

/// Elements looked at to tell a transposed result.
const SAMPLES: usize = 1000;

/// A wrong result, described.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Size of C.
    pub rows: usize,
    /// Size of C.
    pub cols: usize,
    /// How many elements are wrong.
    pub count: usize,
    /// The wrong elements, row after row; of very many only every so-many-th.
    pub mismatches: Vec<Mismatch>,
    /// For how many wrong elements each of them stands.
    pub every: usize,
    /// What the whole looks like, most telling first.
    pub looks_like: Vec<String>,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let compared = self.rows * self.cols;
        match self.count {
            1 => writeln!(f, "1 of {compared} elements is wrong")?,
            wrong => writeln!(f, "{wrong} of {compared} elements are wrong")?,
        }
        for look in &self.looks_like {
            writeln!(f, "  looks like: {look}")?;
        }
        for m in self.mismatches.iter().take(5) {
            let got = if m.untouched {
                "nothing".to_string()
            } else {
                readable(m.got)
            };
            writeln!(
                f,
                "  C[{}][{}] must be {}, the kernel wrote {got}",
                m.row, m.col, m.want
            )?;
        }
        if self.rows * self.cols > 1 {
            writeln!(f, "  where ({}):", map::LEGEND)?;
            write!(f, "{}", map::map(self))?;
        }
        Ok(())
    }
}

/// All digits, unless zeros would be most of them.
fn readable(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-9) {
        format!("{value:.4e}")
    } else {
        value.to_string()
    }
}

/// What a wrong C looks like, in the learner's words.
pub(super) fn looks_like(problem: &Problem, c: &Matrix, wrong: &Wrong) -> Vec<String> {
    let mut looks = Vec::new();
    let bad = &wrong.mismatches;
    let edge = edge(wrong);
    let every = wrong.count == wrong.rows * wrong.cols;
    let untouched = bad.iter().filter(|m| m.untouched).count();
    if every && untouched == bad.len() {
        looks.push("untouched: the kernel wrote nothing to C".into());
        return looks;
    }
    if untouched > 0 {
        looks.push(match untouched * wrong.every {
            1 => "1 element was never written".into(),
            more => format!("{more} elements were never written"),
        });
    }
    if bad.iter().any(|m| m.got.is_nan() && !m.untouched) {
        looks.push(
            "NaN was written: something was read that nobody had written, or C's old contents"
                .into(),
        );
    }
    let first = bad[0];
    if every && bad.len() > 1 && bad.iter().all(|m| m.got == first.got) {
        looks.push(format!("constant: every element is {}", first.got));
    } else if let Some(factor) = common_factor(bad).filter(|_| every && bad.len() > 1) {
        looks.push(format!(
            "every element is {factor:.4} times what it must be"
        ));
    }
    if is_transposed(problem, c) {
        looks.push("transposed: rows and columns are exchanged".into());
    }
    looks.extend(edge);
    if looks.is_empty() {
        looks.push(if wrong.count * 20 < wrong.rows * wrong.cols {
            "scattered: a few elements here and there; a race?".into()
        } else {
            "nothing known: begin with --size 2 --fill count --show".into()
        });
    }
    looks
}

/// The factor by which all elements are off, if there is one.
fn common_factor(bad: &[Mismatch]) -> Option<f64> {
    let mut ratios = bad.iter().filter(|m| m.want != 0.0).map(|m| m.got / m.want);
    let first = ratios.next().filter(|ratio| ratio.is_finite())?;
    ratios
        .all(|ratio| (ratio - first).abs() <= 1e-3 * first.abs())
        .then_some(first)
}

/// Is C the column-major form of the right result? Sampled where C is large.
fn is_transposed(problem: &Problem, c: &Matrix) -> bool {
    let s = problem.shape;
    if s.m == 1 || s.n == 1 {
        return false;
    }
    let step = (s.m * s.n).div_ceil(SAMPLES);
    (0..s.m * s.n)
        .step_by(step)
        .all(|flat| problem.is_near(flat % s.m, flat / s.m, c.data.get(flat)))
}

/// Are the wrong elements all in the last rows or the last columns?
fn edge(wrong: &Wrong) -> Option<String> {
    let first_row = wrong.mismatches.iter().map(|m| m.row).min()?;
    let first_col = wrong.mismatches.iter().map(|m| m.col).min()?;
    let rows = format!("rows {first_row} to {}", wrong.rows - 1);
    let cols = format!("columns {first_col} to {}", wrong.cols - 1);
    match (first_row * 2 > wrong.rows, first_col * 2 > wrong.cols) {
        (true, true) => Some(format!("last tile: only {rows}, {cols} are wrong")),
        (true, false) => Some(format!("last tile: only {rows} are wrong")),
        (false, true) => Some(format!("last tile: only {cols} are wrong")),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ODD, floats, spoilt};
    use super::*;
    use crate::shape::Shape;

    const SCATTERED: &str = "scattered: a few elements here and there; a race?";
    const UNKNOWN: &str = "nothing known: begin with --size 2 --fill count --show";

    fn mismatch(row: usize, col: usize, got: f64, want: f64) -> Mismatch {
        Mismatch {
            row,
            col,
            got,
            want,
            untouched: false,
        }
    }

    fn wrong(rows: usize, cols: usize, mismatches: Vec<Mismatch>) -> Wrong {
        Wrong {
            rows,
            cols,
            count: mismatches.len(),
            every: 1,
            mismatches,
            looks_like: Vec::new(),
        }
    }

    #[test]
    fn a_wrong_result_is_told_with_its_elements_and_a_map() {
        let mut two = wrong(1, 2, vec![mismatch(0, 1, 2.0, 1.0)]);
        two.looks_like.push("a race".into());
        let told = "1 of 2 elements is wrong\n  \
                    looks like: a race\n  \
                    C[0][1] must be 1, the kernel wrote 2\n  \
                    where ('.' right, '+' partly wrong, '#' wrong, 'o' never written):\n  \
                    columns 0 to 1\n       0 |.#|\n";
        assert_eq!(two.to_string(), told);
        two.mismatches[0].untouched = true;
        let told = two.to_string();
        assert!(told.contains("the kernel wrote nothing\n"), "{told}");
        assert!(told.ends_with("|.o|\n"), "{told}");
    }

    #[test]
    fn a_single_element_needs_no_map() {
        let one = wrong(1, 1, vec![mismatch(0, 0, 2.0, 1.0)]);
        assert_eq!(
            one.to_string(),
            "1 of 1 elements is wrong\n  C[0][0] must be 1, the kernel wrote 2\n"
        );
        let one = spoilt(Shape::cube(1), |c| floats(c)[0] += 1.0);
        assert_eq!(one.looks_like, [UNKNOWN]);
    }

    #[test]
    fn a_few_wrong_elements_are_scattered_and_many_are_not() {
        let shape = Shape { m: 6, n: 10, k: 5 };
        let spoilt = |count| {
            let spoil = |c: &mut Matrix| (0..count).for_each(|i| floats(c)[i * 13] += 1.0);
            spoilt(shape, spoil).looks_like
        };
        assert_eq!(spoilt(2), [SCATTERED]);
        assert_eq!(spoilt(3), [UNKNOWN]);
    }

    #[test]
    fn what_only_some_elements_have_in_common_is_not_told() {
        let same = |c: &mut Matrix| [0, 20].into_iter().for_each(|i| floats(c)[i] = 3.0);
        assert_eq!(spoilt(ODD, same).looks_like, [SCATTERED]);
        let doubled = |c: &mut Matrix| [0, 20].into_iter().for_each(|i| floats(c)[i] *= 2.0);
        assert_eq!(spoilt(ODD, doubled).looks_like, [SCATTERED]);
    }

    #[test]
    fn elements_that_nobody_wrote_are_counted() {
        let poison = f32::from_bits(0x7fa0_dead);
        let wrong = spoilt(ODD, |c| floats(c)[..2].fill(poison));
        assert_eq!(wrong.looks_like, ["2 elements were never written"]);
    }

    #[test]
    fn a_common_factor_is_common_within_a_thousandth() {
        let factor = |pairs: &[(f64, f64)]| {
            let bad = pairs.iter().map(|&(got, want)| mismatch(0, 0, got, want));
            common_factor(&bad.collect::<Vec<_>>())
        };
        assert_eq!(factor(&[(2.0, 1.0), (4.003, 2.0)]), Some(2.0));
        assert_eq!(factor(&[(2.0, 1.0), (4.005, 2.0)]), None);
        assert_eq!(factor(&[(-2.0, 1.0), (-4.0, 2.0)]), Some(-2.0));
        assert_eq!(factor(&[(5.0, 0.0), (2.0, 1.0)]), Some(2.0));
        assert_eq!(factor(&[(f64::NAN, 1.0), (2.0, 1.0)]), None);
        assert_eq!(factor(&[(5.0, 0.0)]), None);
    }

    #[test]
    fn only_a_result_that_is_transposed_throughout_is_called_so() {
        let is_called_so = |wrong: Wrong| wrong.looks_like.iter().any(|l| l.contains("transposed"));
        // The first two rows are as in the transposed matrix, the others are right.
        let rows = spoilt(Shape::cube(7), |c| {
            let flipped = c.transposed();
            (0..14).for_each(|i| floats(c)[i] = flipped.data.get(i) as f32);
        });
        assert!(!is_called_so(rows));
        // Of 64 x 64 elements every fifth is looked at.
        let flaw = spoilt(Shape { m: 64, n: 64, k: 2 }, |c| {
            *c = c.transposed();
            floats(c)[1] = 9.0;
        });
        assert!(is_called_so(flaw));
        // A row is its own transposed form, wherever it is looked at.
        let shape = Shape {
            m: 1,
            n: 2000,
            k: 1,
        };
        let row = spoilt(shape, |c| floats(c)[1] += 1.0);
        assert_eq!(row.looks_like, [SCATTERED]);
    }

    #[test]
    fn an_edge_is_less_than_half_of_the_rows_or_the_columns() {
        let edge_from = |size: usize, row: usize, col: usize| {
            edge(&wrong(size, size, vec![mismatch(row, col, 1.0, 0.0)]))
        };
        let said = |edge: &str| Some(format!("last tile: only {edge} are wrong"));
        assert_eq!(edge_from(9, 5, 0), said("rows 5 to 8"));
        assert_eq!(edge_from(9, 0, 5), said("columns 5 to 8"));
        assert_eq!(edge_from(9, 5, 5), said("rows 5 to 8, columns 5 to 8"));
        assert_eq!(edge_from(8, 4, 4), None, "this is a half");
        assert_eq!(edge(&wrong(8, 8, Vec::new())), None);
    }

    #[test]
    fn a_number_is_no_row_of_zeros() {
        assert_eq!(readable(-32881159902376630000000000.0), "-3.2881e25");
        assert_eq!(readable(-1.4761227401735546), "-1.4761227401735546");
        assert_eq!(readable(0.0), "0");
        assert_eq!(readable(1e-9), "0.000000001");
        assert_eq!(readable(-1.23456e-10), "-1.2346e-10");
        assert_eq!(readable(f64::INFINITY), "inf");
        assert_eq!(readable(f64::NAN), "NaN");
        assert_eq!(readable(1071225242.0), "1071225242");
    }
}
