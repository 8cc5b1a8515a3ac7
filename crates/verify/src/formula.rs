//! Formulas of named sizes: what is printed of a kernel's launch, counts and results is the
//! text that is evaluated.
//!
//! What they know docs/your-kernel.md lists.

mod parse;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::element::{Elements, Type};

use parse::{Expr, Op};

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
        let lanes = Lanes { scope, buffers: &[], indices: Vec::new() };
        let numbers = lanes.of(&self.parsed()?);
        Ok(numbers.map_err(|why| self.malformed(&why))?[0].value)
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
        let tree = self.parsed()?;
        let index: Vec<f64> = range.map(|i| i as f64).collect();
        let lanes = Lanes { scope, buffers, indices: vec![("i", &index[..])] };
        let numbers = lanes.of(&tree);
        let mut numbers = numbers.map_err(|why| self.malformed(&why))?;
        spread(&mut numbers, index.len());
        let count = tree.roundings();
        let has_sum = tree.any(&|one| matches!(one, Expr::Sum { .. }));
        let is_exact = count == 0.0 && !has_sum && tree.has_element();
        let factor = crate::same::MARGIN * count.max(1.0).sqrt();
        for Number { size, .. } in &mut numbers {
            *size = if is_exact { 0.0 } else { size.abs() * factor };
        }
        Ok(numbers)
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

/// Evaluation for several elements at once: a list as long as they are many, or of one
/// number that holds for all of them.
struct Lanes<'a> {
    scope: &'a Scope,
    buffers: &'a [(&'a str, &'a Elements)],
    /// Names that differ from element to element, or of which each sum has its own.
    indices: Vec<(&'a str, &'a [f64])>,
}

type Numbers = Result<Vec<Number>>;

impl Lanes<'_> {
    fn of(&self, tree: &Expr) -> Numbers {
        match tree {
            Expr::Number(number) => Ok(vec![Number::of(*number)]),
            Expr::Name(name) => self.named(name),
            Expr::At(name, index) => self.elements(name, index),
            Expr::Call(op, of) => {
                let mut all: Vec<Vec<Number>> = Vec::new();
                for one in of {
                    let numbers = match all.first() {
                        Some(first) if op.is_choice() => {
                            self.where_asked(*op, first, one, all.len())
                        }
                        _ => self.of(one),
                    };
                    all.push(numbers?);
                }
                Ok(apply(*op, &all))
            }
            Expr::Sum { index, from, to, of } => self.sums(index, [from, to], of),
        }
    }

    /// Operand number `at` of a choice, for the elements whose `first` operand asks for it; for the
    /// others anything, since it may look beside a buffer there.
    fn where_asked(&self, op: Op, first: &[Number], of: &Expr, at: usize) -> Numbers {
        let asks = |number: &Number| op.asks_for(at, number.value);
        let asked: Vec<usize> = (0..first.len()).filter(|i| asks(&first[*i])).collect();
        if asked.is_empty() {
            return Ok(vec![Number::default()]);
        }
        if asked.len() == first.len() {
            return self.of(of);
        }
        let gathered = |all: &[f64]| match all.len() {
            1 => all.to_vec(),
            _ => asked.iter().map(|i| all[*i]).collect(),
        };
        let indices = self.indices.iter();
        let indices: Vec<_> = indices.map(|(name, all)| (*name, gathered(all))).collect();
        let own = indices.iter().map(|(name, all)| (*name, &all[..]));
        let indices = own.collect();
        let mut found = Lanes { indices, ..*self }.of(of)?;
        spread(&mut found, asked.len());
        let mut all = vec![Number::default(); first.len()];
        for (i, number) in asked.into_iter().zip(found) {
            all[i] = number;
        }
        Ok(all)
    }

    fn named(&self, name: &str) -> Numbers {
        let mut indices = self.indices.iter().rev();
        if let Some((_, index)) = indices.find(|(other, _)| *other == name) {
            return Ok(index.iter().copied().map(Number::of).collect());
        }
        let value = self.scope.get(name);
        let value = value.ok_or_else(|| format!("has an unknown name, {name}"))?;
        Ok(vec![Number::of(value)])
    }

    fn elements(&self, name: &str, index: &Expr) -> Numbers {
        let mut buffers = self.buffers.iter();
        let Some((_, buffer)) = buffers.find(|(other, _)| *other == name) else {
            return Err(format!("has an unknown buffer, {name}"));
        };
        let element = |Number { value: at, .. }| {
            if at >= 0.0 && (at as usize) < buffer.len() && at.fract() == 0.0 {
                return Ok(Number::of(buffer.get(at as usize)));
            }
            let length = buffer.len();
            Err(format!("asks for {name}[{at}]: it has {length} elements"))
        };
        self.of(index)?.into_iter().map(element).collect()
    }

    /// One sum for each element: its terms are evaluated together, the rest holds for all.
    fn sums(&self, index: &str, [from, to]: [&Expr; 2], of: &Expr) -> Numbers {
        let [mut from, mut to] = [self.of(from)?, self.of(to)?];
        let lengths = self.indices.iter().map(|(_, index)| index.len());
        let count = lengths.chain([from.len(), to.len()]).max().unwrap_or(1);
        spread(&mut from, count);
        spread(&mut to, count);
        let sum = |at: usize| {
            let (from, to) = (from[at].value, to[at].value);
            let length = (to - from).max(0.0) as usize;
            if length > MOST_TERMS {
                return Err(format!("adds up {length} terms, more than {MOST_TERMS}"));
            }
            let terms: Vec<f64> = (0..length).map(|j| from + j as f64).collect();
            let own = self.indices.iter().map(|&(name, all)| match all.len() {
                0 | 1 => (name, all),
                _ => (name, &all[at..=at]),
            });
            let indices = own.chain([(index, &terms[..])]).collect();
            let mut terms = Lanes { indices, ..*self }.of(of)?;
            spread(&mut terms, length);
            let value = terms.iter().map(|one| one.value).sum();
            let size: f64 = terms.iter().map(|one| one.size).sum();
            Ok(Number { value, size: (length as f64).sqrt() * size })
        };
        (0..count).map(sum).collect()
    }
}

/// Element by element, of up to three lists as long, or of numbers that hold for all elements.
fn apply(op: Op, of: &[Vec<Number>]) -> Vec<Number> {
    let longest = of.iter().map(Vec::len).max().unwrap_or(1);
    let operand = |list: usize, i: usize| {
        let numbers = of.get(list)?;
        numbers.get(i).or(numbers.last()).copied()
    };
    let number = |i| {
        let operands = [0, 1, 2].map(|list| operand(list, i).unwrap_or_default());
        let (values, sizes) = (operands.map(|one| one.value), operands.map(|one| one.size));
        Number { value: (op.does)(values), size: op.size(values, sizes) }
    };
    (0..longest).map(number).collect()
}

/// One number, for each of so many elements.
fn spread(numbers: &mut Vec<Number>, count: usize) {
    if let [number] = numbers[..] {
        numbers.resize(count, number);
    }
}

#[cfg(test)]
mod tests;
