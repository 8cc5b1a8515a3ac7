//! Formulas of named sizes: what is printed of a kernel's launch, counts and results is the
//! text that is evaluated.
//!
//! What they know docs/your-kernel.md lists.

mod parse;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::element::{Elements, Type};

use parse::Expr;

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

/// Terms that a sum may have.
const MOST_TERMS: usize = 1 << 24;
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
        let number = Given { scope, buffers: &[] }.of(&self.parsed()?, None);
        Ok(number.map_err(|why| self.malformed(&why))?.value)
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
        let says = format!("is {number}, which is no number of things{rounds}");
        Err(self.malformed(&says))
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
        let count = tree.roundings();
        let has_sum = tree.any(&|one| matches!(one, Expr::Sum { .. }));
        let is_exact = count == 0.0 && !has_sum && tree.has_element();
        let factor = crate::same::MARGIN * count.max(1.0).sqrt();
        let number = |i: usize| {
            let index = Index { name: "i", value: i as f64, outer: None };
            let Number { value, size } = Given { scope, buffers }.of(&tree, Some(&index))?;
            let size = if is_exact { 0.0 } else { size.abs() * factor };
            Ok(Number { value, size })
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
        parse::parse(&self.0).map_err(|why| self.malformed(&why))
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
        text.to_string().into()
    }
}

impl From<usize> for Formula {
    fn from(number: usize) -> Formula {
        number.to_string().into()
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
        let mut names = self.0.iter().rev();
        names.find(|(other, _)| other == name).map(|found| found.1)
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

impl Number {
    fn of(value: f64) -> Number {
        let size = value.abs();
        Number { value, size }
    }
}

/// A name that differs from element to element, or of a sum's terms, and those of the sums around it.
struct Index<'a> {
    name: &'a str,
    value: f64,
    outer: Option<&'a Index<'a>>,
}

/// What a formula is evaluated with.
#[derive(Clone, Copy)]
struct Given<'a> {
    scope: &'a Scope,
    buffers: &'a [(&'a str, &'a Elements)],
}

impl Given<'_> {
    fn of(self, tree: &Expr, index: Option<&Index>) -> Result<Number> {
        match tree {
            Expr::Number(number) => Ok(Number::of(*number)),
            Expr::Name(name) => {
                let mut indices = std::iter::successors(index, |one| one.outer);
                let found = indices.find(|one| one.name == *name).map(|one| one.value);
                let value = found.or_else(|| self.scope.get(name));
                value.map(Number::of).ok_or_else(|| format!("has an unknown name, {name}"))
            }
            Expr::At(name, at) => self.element(name, self.of(at, index)?.value),
            Expr::Call(op, of) => {
                let mut operands = [Number::default(); 3];
                for (at, one) in of.iter().enumerate() {
                    // What is not asked for may look beside a buffer.
                    if op.asks_for(at, operands[0].value) {
                        operands[at] = self.of(one, index)?;
                    }
                }
                let (values, sizes) = (operands.map(|one| one.value), operands.map(|one| one.size));
                Ok(Number { value: (op.does)(values), size: op.size(values, sizes) })
            }
            Expr::Sum { index: name, from, to, of } => {
                let (from, to) = (self.of(from, index)?.value, self.of(to, index)?.value);
                let length = (to - from).max(0.0) as usize;
                if length > MOST_TERMS {
                    return Err(format!("adds up {length} terms, more than {MOST_TERMS}"));
                }
                let mut sum = Number::default();
                for j in 0..length {
                    let own = Index { name, value: from + j as f64, outer: index };
                    let term = self.of(of, Some(&own))?;
                    sum = Number { value: sum.value + term.value, size: sum.size + term.size };
                }
                Ok(Number { size: (length as f64).sqrt() * sum.size, ..sum })
            }
        }
    }

    fn element(self, name: &str, at: f64) -> Result<Number> {
        let found = self.buffers.iter().find(|(other, _)| *other == name);
        let (_, buffer) = found.ok_or_else(|| format!("has an unknown buffer, {name}"))?;
        if at >= 0.0 && (at as usize) < buffer.len() && at.fract() == 0.0 {
            return Ok(Number::of(buffer.get(at as usize)));
        }
        Err(format!("asks for {name}[{at}]: it has {} elements", buffer.len()))
    }
}

#[cfg(test)]
mod tests;
