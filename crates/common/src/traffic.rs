//! How many elements a kernel must load and store, as formulas in M, N, K, the
//! group's size and the tile sizes. The text that is printed is the text that is
//! evaluated, and a test holds the value against the loads and stores that a
//! simulator counts.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Formulas for the elements that a kernel loads from and stores to global and
/// local memory. They know the names of `Step::count`, `+ - * /`,
/// parentheses, `ceil(a/b)` and `floor(a/b)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Elements loaded from global memory.
    pub global_loads: &'static str,
    /// Elements stored to global memory.
    pub global_stores: &'static str,
    /// Elements loaded from local memory.
    pub local_loads: &'static str,
    /// Elements stored to local memory.
    pub local_stores: &'static str,
}

/// The values of the formulas for one launch, in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Elements loaded from global memory.
    pub global_loads: u64,
    /// Elements stored to global memory.
    pub global_stores: u64,
    /// Elements loaded from local memory.
    pub local_loads: u64,
    /// Elements stored to local memory.
    pub local_stores: u64,
}

impl Traffic {
    /// A kernel that uses global memory only.
    pub const fn global(loads: &'static str, stores: &'static str) -> Traffic {
        Traffic {
            global_loads: loads,
            global_stores: stores,
            local_loads: "0",
            local_stores: "0",
        }
    }

    /// The same, with what it loads from and stores to local memory.
    pub const fn local(self, loads: &'static str, stores: &'static str) -> Traffic {
        Traffic {
            local_loads: loads,
            local_stores: stores,
            ..self
        }
    }

    /// Evaluates the formulas; `value` gives the value of a name.
    ///
    /// # Errors
    /// When a formula is malformed, uses an unknown name, or is no whole number.
    pub fn count(&self, value: impl Fn(&str) -> Option<f64>) -> Result<Counts> {
        let whole = |formula: &str| -> Result<u64> {
            let number = evaluate(formula, &value)?;
            if number >= 0.0 && number.fract() == 0.0 {
                Ok(number as u64)
            } else {
                Err(malformed(formula, "is no whole number"))
            }
        };
        Ok(Counts {
            global_loads: whole(self.global_loads)?,
            global_stores: whole(self.global_stores)?,
            local_loads: whole(self.local_loads)?,
            local_stores: whole(self.local_stores)?,
        })
    }
}

/// Letters of a formula.
const LONGEST: usize = 1000;

fn malformed(formula: &str, why: &str) -> Error {
    Error::Usage(format!("the traffic formula \"{formula}\" {why}"))
}

/// The value of a formula; `value` gives the value of a name.
///
/// # Errors
/// When it is malformed or uses an unknown name.
pub fn evaluate(formula: &str, value: &impl Fn(&str) -> Option<f64>) -> Result<f64> {
    // It is read by functions that call themselves.
    if formula.len() > LONGEST {
        return Err(malformed(formula, "is too long"));
    }
    let mut parser = Parser {
        rest: formula,
        value,
    };
    let result = parser.sum();
    match (result, parser.rest.trim()) {
        (Some(number), "") => Ok(number),
        _ => Err(malformed(
            formula,
            &format!("cannot be read at \"{}\"", parser.rest),
        )),
    }
}

/// Recursive descent: a sum of products of factors.
struct Parser<'a, F> {
    rest: &'a str,
    value: &'a F,
}

impl<F: Fn(&str) -> Option<f64>> Parser<'_, F> {
    fn takes(&mut self, symbol: char) -> bool {
        match self.rest.trim_start().strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<f64> {
        let mut total = self.product()?;
        loop {
            if self.takes('+') {
                total += self.product()?;
            } else if self.takes('-') {
                total -= self.product()?;
            } else {
                return Some(total);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut total = self.factor()?;
        loop {
            if self.takes('*') {
                total *= self.factor()?;
            } else if self.takes('/') {
                total /= self.factor()?;
            } else {
                return Some(total);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        if self.takes('(') {
            let inside = self.sum()?;
            return self.takes(')').then_some(inside);
        }
        let text = self.rest.trim_start();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        match word {
            "ceil" => self.factor().map(f64::ceil),
            "floor" => self.factor().map(f64::floor),
            _ => word.parse().ok().or_else(|| (self.value)(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(formula: &str) -> Result<f64> {
        evaluate(formula, &|name| match name {
            "M" => Some(37.0),
            "TS" => Some(16.0),
            _ => None,
        })
    }

    #[test]
    fn formulas_have_their_usual_meaning() {
        for (formula, expected) in [
            ("2*M + 3", 77.0),
            ("2 * (M - 1) / 3", 24.0),
            ("TS*ceil(M/TS)", 48.0),
            ("M - TS*floor(M/TS)", 5.0),
        ] {
            assert_eq!(value(formula).unwrap(), expected, "{formula}");
        }
    }

    #[test]
    fn a_malformed_formula_is_an_error() {
        for formula in ["", "2*", "M M", "(M", "X", "2 +* 3", "1e999x"] {
            assert!(value(formula).is_err(), "{formula}");
        }
    }

    #[test]
    fn a_count_is_a_whole_number() {
        let traffic = Traffic::global("M/2", "0");
        assert!(traffic.count(|_| Some(3.0)).is_err());
        assert_eq!(traffic.count(|_| Some(4.0)).unwrap().global_loads, 2);
    }

    #[test]
    fn a_damaged_formula_is_an_error_or_a_number() {
        let formula = "M*N*K/(TS*4) + 2*ceil(M/TS)*floor(N/16) - (M + 1)*1.5";
        damage::must_be_survived(formula.as_bytes(), |bytes| {
            let formula = String::from_utf8_lossy(bytes);
            // Nor do brackets without end overflow the stack.
            for formula in [formula.to_string(), "(".repeat(1000), formula.repeat(9)] {
                let _ = evaluate(&formula, &|name| (name.len() < 3).then_some(16.0));
            }
        });
    }
}
