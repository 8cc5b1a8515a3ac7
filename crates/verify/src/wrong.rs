//! A wrong result, described in the learner's words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::map;

/// What is wrong with a result, in parts; Display puts them together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differences {
    /// What else happened, or in which run.
    pub above: Vec<String>,
    /// How many elements are wrong.
    pub count: String,
    /// What the whole looks like, most telling first.
    pub looks: Vec<Look>,
    /// Examples, and where they are: a line each.
    pub below: Vec<String>,
}

/// What a wrong result looks like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// It holds although the next run gives other numbers.
    Fact(String),
    /// It is so of these numbers.
    Chance(String),
    /// The same of a share by which each element is off, which is hardly a matter of the size.
    Share(String),
    /// Like nothing that is known.
    Unknown,
}

impl Differences {
    /// Of another run than the first: what its numbers look like is chance, and only facts are
    /// told.
    pub fn facts(mut self) -> Differences {
        self.looks.retain(|look| matches!(look, Look::Fact(_)));
        self
    }

    /// All of it, in lines.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let count = Some(&self.count).filter(|count| !count.is_empty());
        let looks = self.looks.iter();
        let looks = looks.map(|look| format!("  looks like: {look}"));
        let lines = self.above.iter().chain(count).cloned();
        lines.chain(looks).chain(self.below.iter().cloned())
    }

    /// Its first line.
    pub fn in_short(&self) -> String {
        self.lines().next().unwrap_or_default()
    }

    /// The same, below this line.
    pub fn under(mut self, line: impl Into<String>) -> Differences {
        self.above.insert(0, line.into());
        self
    }
}

impl<Words: Into<String>> From<Words> for Differences {
    fn from(count: Words) -> Differences {
        Differences { count: count.into(), ..Differences::default() }
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.lines().collect::<Vec<_>>().join("\n"))
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Look::Fact(words) | Look::Chance(words) | Look::Share(words) => words,
            Look::Unknown => "nothing known",
        })
    }
}

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
    pub looks_like: Vec<Look>,
}

impl From<&Wrong> for Differences {
    fn from(wrong: &Wrong) -> Differences {
        let compared = wrong.rows * wrong.cols;
        let example = |m: &Mismatch| {
            let (want, mut got) = apart(m.want, m.got);
            if m.untouched {
                got = "nothing".into();
            }
            let (row, col) = (m.row, m.col);
            format!("  C[{row}][{col}] must be {want}, the kernel wrote {got}")
        };
        let mut below: Vec<String> = wrong.mismatches.iter().take(5).map(example).collect();
        if compared > 1 {
            below.push(format!("  where ({}):", map::LEGEND));
            below.extend(map::map(wrong));
        }
        Differences {
            count: match wrong.count {
                1 => format!("1 of {compared} elements is wrong"),
                count => format!("{count} of {compared} elements are wrong"),
            },
            looks: wrong.looks_like.clone(),
            below,
            above: Vec::new(),
        }
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
        Mismatch { row, col, got, want, untouched: false }
    }

    fn wrong(rows: usize, cols: usize, mismatches: Vec<Mismatch>) -> Wrong {
        Wrong { rows, cols, count: mismatches.len(), every: 1, mismatches, looks_like: Vec::new() }
    }

    #[test]
    fn a_wrong_result_is_told_with_its_elements_and_a_map() {
        let mut two = wrong(1, 2, vec![mismatch(0, 1, 2.0, 1.0)]);
        two.looks_like.push(Look::Chance("rain".into()));
        let told = "1 of 2 elements is wrong\n  \
                    looks like: rain\n  \
                    C[0][1] must be 1, the kernel wrote 2\n  \
                    where ('.' right, '+' partly wrong, '#' wrong, 'o' never written):\n  \
                    columns 0 to 1\n       0 |.#|";
        let told_of = |wrong: &Wrong| Differences::from(wrong).to_string();
        assert_eq!(told_of(&two), told);
        two.mismatches[0].untouched = true;
        let told = told_of(&two);
        assert!(told.contains("the kernel wrote nothing\n"), "{told}");
        assert!(told.ends_with("|.o|"), "{told}");
    }

    #[test]
    fn of_a_result_that_differs_only_facts_are_told() {
        let differences = Differences {
            above: vec!["overrun: C".into()],
            count: "1 is wrong".into(),
            looks: vec![
                Look::Fact("never written: 1".into()),
                Look::Chance("zero".into()),
                Look::Unknown,
            ],
            below: vec!["  C[0] is 1".into()],
        };
        assert_eq!(
            differences.facts().under("after all").to_string(),
            "after all\noverrun: C\n1 is wrong\n  looks like: never written: 1\n  C[0] is 1"
        );
        assert_eq!(Differences::from("bad").to_string(), "bad");
    }

    #[test]
    fn a_single_element_needs_no_map() {
        let one = wrong(1, 1, vec![mismatch(0, 0, 2.0, 1.0)]);
        assert_eq!(
            Differences::from(&one).to_string(),
            "1 of 1 elements is wrong\n  C[0][0] must be 1, the kernel wrote 2"
        );
    }

    #[test]
    fn numbers_have_the_digits_that_tell_them_apart() {
        let shown = |one, other| {
            let (one, other) = apart(one, other);
            format!("{one} {other}")
        };
        assert_eq!(shown(-0.07409978680231788, -0.0963297188282013), "-0.074099787 -0.096329719");
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
