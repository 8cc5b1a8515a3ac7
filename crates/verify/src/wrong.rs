//! A wrong result, described in the learner's words.

use std::fmt;

use crate::map;

/// What a look begins with.
pub(crate) const LOOKS_LIKE: &str = "  looks like: ";

/// One wrong element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    /// Row of C.
    pub row: usize,
    /// Column of C.
    pub col: usize,
    /// What the kernel wrote; NaN where it wrote nothing.
    pub got: f64,
    /// What the f64 sum gives.
    pub want: f64,
    /// Whether the element still held the poison.
    pub untouched: bool,
}

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
            writeln!(f, "{LOOKS_LIKE}{look}")?;
        }
        for m in self.mismatches.iter().take(5) {
            let (want, mut got) = apart(m.want, m.got);
            if m.untouched {
                got = "nothing".into();
            }
            writeln!(
                f,
                "  C[{}][{}] must be {want}, the kernel wrote {got}",
                m.row, m.col
            )?;
        }
        if self.rows * self.cols > 1 {
            writeln!(f, "  where ({}):", map::LEGEND)?;
            write!(f, "{}", map::map(self))?;
        }
        Ok(())
    }
}

/// Two numbers, in as many digits as a float has, or all where that would hide in what they
/// differ.
fn apart(one: f64, other: f64) -> (String, String) {
    let rounded = |value: f64| match format!("{value:.7e}").parse() {
        Ok(rounded) if value.fract() != 0.0 => rounded,
        _ => value,
    };
    match [one, other].map(rounded).map(readable) {
        [one, other] if one != other => (one, other),
        _ => (readable(one), readable(other)),
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

#[cfg(test)]
mod tests {
    use super::*;

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
        two.looks_like.push("rain".into());
        let told = "1 of 2 elements is wrong\n  \
                    looks like: rain\n  \
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
    }

    #[test]
    fn numbers_have_the_digits_that_tell_them_apart() {
        let shown = |one, other| {
            let (one, other) = apart(one, other);
            format!("{one} {other}")
        };
        assert_eq!(
            shown(-0.07409978680231788, -0.0963297188282013),
            "-0.074099787 -0.096329719"
        );
        assert_eq!(shown(0.1, 0.10000000000000002), "0.1 0.10000000000000002");
        assert_eq!(shown(3.0, f64::NAN), "3 NaN");
        assert_eq!(shown(1071225242.0, 1.5), "1071225242 1.5");
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
