//! Formulas of named sizes: what is printed of a kernel's launch, counts and results is the
//! text that is evaluated.
//!
//! What they know docs/your-kernel.md lists.

mod expr;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::element::{Elements, Type};
use expr::{Expr, Op};

/// What a formula comes to, or what is wrong with it.
pub type Result<T> = std::result::Result<T, String>;

/// A formula, as text. It is read when it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Formula(String);

/// A formula in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Text(String),
}

/// The largest whole number up to which every one is an f64.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

impl Formula {
    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Its value.
    ///
    /// # Errors
    /// When it is malformed or uses an unknown name.
    pub fn value(&self, scope: &Scope) -> Result<f64> {
        let mut tree = self.parsed()?;
        tree.settle(&|name| scope.get(name));
        Ok(tree.of(&[], &mut Vec::new()).map_err(|why| self.malformed(&why))?.value)
    }

    /// Its value as a number of things, from 0 to 2^53.
    ///
    /// # Errors
    /// The same, and when it is no whole number or outside of that.
    pub fn count(&self, scope: &Scope) -> Result<usize> {
        let number = self.value(scope)?;
        if (0.0..=EXACT).contains(&number) && number.fract() == 0.0 {
            return Ok(number as usize);
        }
        let rounds = match number.fract() {
            0.0 => "",
            _ => ": / divides to fractions, which floor() and ceil() round",
        };
        Err(self.malformed(&format!("is {number}, which is no number of things{rounds}")))
    }

    /// The values of a formula of the index `i`, and of what lies in buffers, for `i` in a range.
    /// Their sizes are multiplied by the roundings: 20 times the root of the number of
    /// operations on elements, of which a sum of n terms has n; a plain element has none.
    ///
    /// # Errors
    /// When a name or buffer is unknown, or an index lies outside of a buffer.
    pub fn over(
        &self,
        range: std::ops::Range<usize>,
        scope: &Scope,
        buffers: &[(&str, &Elements)],
    ) -> Result<Vec<Number>> {
        let mut tree = self.parsed()?;
        tree.settle(&|name| scope.get(name).filter(|_| name != "i"));
        let (tree, count) = (&tree, tree.roundings());
        let is_exact =
            count == 0.0 && tree.has_element() && !tree.has(|op| matches!(op, Op::Sum(_)));
        let factor = crate::same::MARGIN * count.max(1.0).sqrt();
        let number = |i: usize| {
            let Number { value, size } = tree.of(buffers, &mut vec![("i", i as f64)])?;
            Ok(Number { value, size: if is_exact { 0.0 } else { size.abs() * factor } })
        };
        range.map(number).collect::<Result<_>>().map_err(|why| self.malformed(&why))
    }

    /// So many elements of this type, of which each has the formula's value for its index.
    ///
    /// # Errors
    /// As of [`Formula::over`].
    pub fn elements(
        &self,
        ty: Type,
        count: usize,
        scope: &Scope,
        buffers: &[(&str, &Elements)],
    ) -> Result<Elements> {
        let numbers = self.over(0..count, scope, buffers)?;
        Ok(Elements::from_fn(ty, count, |i| numbers[i].value))
    }

    fn parsed(&self) -> Result<Expr> {
        Expr::parse(&self.0).map_err(|why| self.malformed(&why))
    }

    pub(crate) fn malformed(&self, why: &str) -> String {
        format!("the formula \"{self}\" {why}")
    }
}

/// Nothing.
impl Default for Formula {
    fn default() -> Formula {
        "0".into()
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Formula {
    fn from(text: String) -> Formula {
        Formula(text)
    }
}

impl From<&str> for Formula {
    fn from(text: &str) -> Formula {
        Formula(text.into())
    }
}

impl From<usize> for Formula {
    fn from(number: usize) -> Formula {
        Formula(number.to_string())
    }
}

impl TryFrom<Written> for Formula {
    type Error = String;

    fn try_from(written: Written) -> Result<Formula> {
        let formula = Formula(match written {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        });
        formula.parsed()?;
        Ok(formula)
    }
}

/// What names stand for: of two of the same name the later one holds.
#[derive(Clone, Debug, Default)]
pub struct Scope(Vec<(String, f64)>);

impl Scope {
    /// Gives a name a value.
    pub fn set(&mut self, name: impl Into<String>, value: f64) {
        self.0.push((name.into(), value));
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().rev().find(|(other, _)| other == name).map(|found| found.1)
    }
}

/// What a formula, or a part of it, comes to.
#[derive(Clone, Copy, Default)]
pub struct Number {
    /// The value.
    pub value: f64,
    /// The sum of the absolute values of the terms that it was made of, by which it may be off.
    pub size: f64,
}

#[cfg(test)]
mod tests;
