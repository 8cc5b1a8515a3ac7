//! Formulas of named sizes: what is printed of a kernel's launch, counts and results is the
//! text that is evaluated.
//!
//! What they know docs/your-kernel.md lists.

mod parse;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::element::Elements;

use parse::Expr;

/// What a formula comes to, or what is wrong with it.
pub type Result<T> = std::result::Result<T, String>;

/// A formula, as text. It is read when it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Formula(Cow<'static, str>);

/// Terms that a sum may have.
const MOST_TERMS: usize = 1 << 24;
/// The largest whole number up to which every one is an f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Formula {
    /// A formula that stands in the program.
    pub const fn of(text: &'static str) -> Formula {
        Formula(Cow::Borrowed(text))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Its value.
    ///
    /// # Errors
    /// When it is malformed or uses an unknown name.
    pub fn value(&self, scope: &Scope) -> Result<f64> {
        let lanes = Lanes {
            scope,
            buffers: &[],
            indices: Vec::new(),
            magnitudes: false,
        };
        let values = lanes.of(&self.parsed()?);
        Ok(values.map_err(|why| self.malformed(&why))?[0])
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

    /// # Errors
    /// When it is malformed.
    pub fn must_be_read(&self) -> Result<()> {
        self.parsed().map(drop)
    }

    /// The values of a formula of the index `i`, and of what lies in buffers, for `i` in a range.
    /// The roundings are 20 times the root of the number of
    /// operations on elements, of which a sum of n terms has n; a plain element has none.
    ///
    /// # Errors
    /// When a name or buffer is unknown, or an index lies outside of a buffer.
    pub fn over(
        &self,
        range: std::ops::Range<usize>,
        scope: &Scope,
        buffers: &[(&str, &Elements)],
    ) -> Result<Expected> {
        let tree = self.parsed()?;
        let index: Vec<f64> = range.clone().map(|i| i as f64).collect();
        let of = |magnitudes| {
            let lanes = Lanes {
                scope,
                buffers,
                indices: vec![("i", &index[..])],
                magnitudes,
            };
            let values = lanes.of(&tree);
            let mut values = values.map_err(|why| self.malformed(&why))?;
            let first = values.first().copied().unwrap_or_default();
            values.resize(range.len(), first);
            Ok::<_, String>(values)
        };
        let values = of(false)?;
        let count = tree.roundings();
        if count == 0.0 && !tree.has_sum() && tree.has_element() {
            let roundings = vec![0.0; values.len()];
            return Ok(Expected { values, roundings });
        }
        let mut roundings = of(true)?;
        let factor = crate::same::MARGIN * count.max(1.0).sqrt();
        roundings
            .iter_mut()
            .for_each(|size| *size = size.abs() * factor);
        Ok(Expected { values, roundings })
    }

    fn parsed(&self) -> Result<Expr> {
        parse::parse(&self.0).map_err(|why| self.malformed(&why))
    }

    fn malformed(&self, why: &str) -> String {
        format!("the formula \"{self}\" {why}")
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Formula {
    fn from(text: String) -> Formula {
        Formula(Cow::Owned(text))
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

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Formula, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Whole(i64),
            Number(f64),
            Text(String),
        }
        let formula = match Written::deserialize(from)? {
            Written::Whole(number) => Formula::from(number.to_string()),
            Written::Number(number) => Formula::from(number.to_string()),
            Written::Text(text) => Formula::from(text),
        };
        formula.parsed().map_err(serde::de::Error::custom)?;
        Ok(formula)
    }
}

/// What the elements of a result must be, and by how much each may differ.
pub struct Expected {
    /// The values, in f64.
    pub values: Vec<f64>,
    /// The sum of the absolute values of the terms, times the number of roundings.
    pub roundings: Vec<f64>,
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

/// Evaluation for several elements at once: a list as long as they are many, or of one
/// number that holds for all of them.
struct Lanes<'a> {
    scope: &'a Scope,
    buffers: &'a [(&'a str, &'a Elements)],
    /// Names that differ from element to element, or of which each sum has its own.
    indices: Vec<(&'a str, &'a [f64])>,
    /// Whether terms count by their absolute value, for the bound.
    magnitudes: bool,
}

type Values = Result<Vec<f64>>;

impl Lanes<'_> {
    fn of(&self, tree: &Expr) -> Values {
        match tree {
            Expr::Number(number) => Ok(vec![*number]),
            Expr::Name(name) if self.magnitudes => {
                let values = self.named(name)?.into_iter();
                Ok(values.map(f64::abs).collect())
            }
            Expr::Name(name) => self.named(name),
            Expr::At(name, index) => self.elements(name, index),
            Expr::Call(op, of) => {
                let all: Result<Vec<_>> = of.iter().map(|one| self.of(one)).collect();
                if !self.magnitudes {
                    return Ok(apply(&[all?], |[v]| (op.does)(v[0], v[1], v[2])));
                }
                let of = if op.needs_values() { &of[..] } else { &[] };
                let values: Result<Vec<_>> = of.iter().map(|one| self.plain(one)).collect();
                Ok(apply(&[values?, all?], |[v, s]| op.size(v, s)))
            }
            Expr::Sum {
                index,
                from,
                to,
                of,
            } => self.sums(index, [from, to], of),
        }
    }

    fn named(&self, name: &str) -> Values {
        let mut indices = self.indices.iter().rev();
        if let Some((_, index)) = indices.find(|(other, _)| *other == name) {
            return Ok(index.to_vec());
        }
        let value = self.scope.get(name);
        value.map_or_else(
            || Err(format!("has an unknown name, {name}")),
            |value| Ok(vec![value]),
        )
    }

    /// An index is a number, whatever is asked of what it leads to.
    fn plain(&self, tree: &Expr) -> Values {
        let lanes = Lanes {
            magnitudes: false,
            indices: self.indices.clone(),
            ..*self
        };
        lanes.of(tree)
    }

    fn elements(&self, name: &str, index: &Expr) -> Values {
        let mut buffers = self.buffers.iter();
        let Some((_, buffer)) = buffers.find(|(other, _)| *other == name) else {
            return Err(format!("has an unknown buffer, {name}"));
        };
        let element = |at: f64| {
            if at >= 0.0 && (at as usize) < buffer.len() && at.fract() == 0.0 {
                let element = buffer.get(at as usize);
                return Ok(if self.magnitudes {
                    element.abs()
                } else {
                    element
                });
            }
            Err(format!(
                "asks for {name}[{at}]: it has {} elements",
                buffer.len()
            ))
        };
        self.plain(index)?.into_iter().map(element).collect()
    }

    /// One sum for each element: its terms are evaluated together, the rest holds for all.
    fn sums(&self, index: &str, bounds: [&Expr; 2], of: &Expr) -> Values {
        let [mut from, mut to] = [self.plain(bounds[0])?, self.plain(bounds[1])?];
        let lengths = self.indices.iter().map(|(_, index)| index.len());
        let count = lengths.chain([from.len(), to.len()]).max().unwrap_or(1);
        spread(&mut from, count);
        spread(&mut to, count);
        (0..count)
            .map(|at| self.sum(index, at, [from[at], to[at]], of))
            .collect()
    }

    fn sum(&self, index: &str, at: usize, [from, to]: [f64; 2], of: &Expr) -> Result<f64> {
        let length = (to - from).max(0.0) as usize;
        if length > MOST_TERMS {
            return Err(format!("adds up {length} terms, more than {MOST_TERMS}"));
        }
        let terms: Vec<f64> = (0..length).map(|j| from + j as f64).collect();
        let mut indices = self.indices.clone();
        for (_, all) in &mut indices {
            if all.len() > 1 {
                *all = &all[at..=at];
            }
        }
        indices.push((index, &terms));
        let mut terms = Lanes { indices, ..*self }.of(of)?;
        spread(&mut terms, length);
        let sum: f64 = terms.iter().sum();
        let roundings = if self.magnitudes { length } else { 1 };
        Ok((roundings as f64).sqrt() * sum)
    }
}

/// Element by element, of lists as long, or of numbers that hold for all elements: up to three in
/// each set.
fn apply<const SETS: usize>(
    of: &[Vec<Vec<f64>>; SETS],
    does: impl Fn([[f64; 3]; SETS]) -> f64,
) -> Vec<f64> {
    let at = |values: &[f64], i: usize| values.get(i).or(values.last()).copied();
    let longest = of.iter().flatten().map(Vec::len).max().unwrap_or(1);
    let operands = |set: &Vec<Vec<f64>>, i: usize| {
        [0, 1, 2].map(|list| {
            set.get(list)
                .and_then(|values| at(values, i))
                .unwrap_or_default()
        })
    };
    let value = |i| does(of.each_ref().map(|set| operands(set, i)));
    (0..longest).map(value).collect()
}

/// One number, for each of so many elements.
fn spread(values: &mut Vec<f64>, count: usize) {
    if let [value] = values[..] {
        values.resize(count, value);
    }
}

#[cfg(test)]
mod tests;
