//! A formula's text as a tree, and what that comes to.

use super::{Number, Result};
use crate::element::Elements;

/// Letters of a formula.
const LONGEST: usize = 1000;
/// Brackets within brackets: they are read by functions that call themselves.
const DEEPEST: usize = 50;
/// Terms that a sum may have.
const MOST_TERMS: usize = 1 << 24;

/// A formula, read.
pub enum Expr {
    Number(f64),
    Name(String),
    Of(Op, Vec<Expr>),
}

/// What is made of other formulas.
pub enum Op {
    /// The element of this buffer that the only one says.
    At(String),
    Call(&'static Function),
    /// The sum of the last, for this index from the first up to the second.
    Sum(String),
}

type Does = fn([f64; 3]) -> f64;
/// By the operands' values and sizes.
type Size = fn([f64; 3], [f64; 3]) -> f64;

/// What is done with numbers, of which there are up to three.
pub struct Function {
    name: &'static str,
    count: usize,
    /// How often a kernel rounds that does it with floats.
    roundings: f64,
    /// What it makes of its operands.
    does: Does,
    /// The size of the terms that a result was made of, where that is not what it makes of the sizes.
    size: Option<Size>,
}

const fn op(name: &'static str, count: usize, roundings: f64, does: Does) -> Function {
    Function { name, count, roundings, does, size: None }
}

impl Function {
    const fn sized(self, size: Size) -> Function {
        Function { size: Some(size), ..self }
    }
}

/// Of a difference each term may be off.
const DIFFERENCE: Function = op("-", 2, 1.0, |[a, b, _]| a - b).sized(|_, [s, t, _]| s + t);
const NOT: Function = op("!", 1, 0.0, |[a, ..]| f64::from(a == 0.0));
/// Which of two counts the value says.
const IF: Function = op("if", 3, 0.0, |[a, b, c]| if a != 0.0 { b } else { c })
    .sized(|[a, ..], [_, s, t]| if a != 0.0 { s } else { t });
/// Of a division, a root and a power, in halves of the last place: as OpenCL C allows.
const INEXACT: f64 = 6.0;

/// Operators from those that bind least to those that bind most; of two with the same
/// beginning the longer one is first.
const LEVELS: [&[Function]; 5] = [
    &[op("||", 2, 0.0, |[a, b, _]| f64::from(a != 0.0 || b != 0.0))],
    &[op("&&", 2, 0.0, |[a, b, _]| f64::from(a != 0.0 && b != 0.0))],
    &[
        op("<=", 2, 0.0, |[a, b, _]| f64::from(a <= b)),
        op("<", 2, 0.0, |[a, b, _]| f64::from(a < b)),
        op(">=", 2, 0.0, |[a, b, _]| f64::from(a >= b)),
        op(">", 2, 0.0, |[a, b, _]| f64::from(a > b)),
        op("==", 2, 0.0, |[a, b, _]| f64::from(a == b)),
        op("!=", 2, 0.0, |[a, b, _]| f64::from(a != b)),
    ],
    &[op("+", 2, 1.0, |[a, b, _]| a + b), DIFFERENCE],
    &[
        op("*", 2, 1.0, |[a, b, _]| a * b),
        // What is small because its terms cancel is off by a larger share of itself.
        op("/", 2, INEXACT, |[a, b, _]| a / b).sized(|[_, b, _], [s, t, _]| s * t / (b * b)),
        op("%", 2, 0.0, |[a, b, _]| a % b),
    ],
];

const FUNCTIONS: [Function; 13] = [
    op("ceil", 1, 0.0, |[a, ..]| a.ceil()),
    op("floor", 1, 0.0, |[a, ..]| a.floor()),
    op("sqrt", 1, INEXACT, |[a, ..]| a.sqrt()).sized(|[a, ..], [s, ..]| s / a.abs().sqrt()),
    op("exp", 1, INEXACT, |[a, ..]| a.exp()).sized(|[a, ..], [s, ..]| a.exp() * (1.0 + s)),
    op("log", 1, INEXACT, |[a, ..]| a.ln()).sized(|[a, ..], [s, ..]| a.ln().abs() + s / a.abs()),
    op("sin", 1, INEXACT, |[a, ..]| a.sin()).sized(|_, [s, ..]| 1.0 + s),
    op("cos", 1, INEXACT, |[a, ..]| a.cos()).sized(|_, [s, ..]| 1.0 + s),
    op("tanh", 1, INEXACT, |[a, ..]| a.tanh()).sized(|_, _| 1.0),
    op("abs", 1, 0.0, |[a, ..]| a.abs()),
    op("min", 2, 0.0, |[a, b, _]| a.min(b)).sized(|_, [s, t, _]| s.max(t)),
    op("max", 2, 0.0, |[a, b, _]| a.max(b)).sized(|_, [s, t, _]| s.max(t)),
    op("pow", 2, INEXACT, |[a, b, _]| a.powf(b)),
    IF,
];

impl Expr {
    /// The tree of a formula, or what is wrong with its text.
    pub fn parse(text: &str) -> Result<Expr> {
        if text.len() > LONGEST {
            return Err("is too long".into());
        }
        let mut parser = Parser { rest: text, depth: 0 };
        match (parser.whole(), parser.rest.trim()) {
            (Some(tree), "") => Ok(tree),
            (_, rest) => Err(format!("cannot be read at \"{rest}\"")),
        }
    }

    /// What it comes to: `names` differ from element to element, or are those of the sums around
    /// it, of which the last holds.
    pub fn of<'a>(
        &'a self,
        buffers: &[(&str, &Elements)],
        names: &mut Vec<(&'a str, f64)>,
    ) -> Result<Number> {
        let number = |value: f64| Ok(Number { value, size: value.abs() });
        let (op, parts) = match self {
            Expr::Number(value) => return number(*value),
            Expr::Name(name) => {
                let found = names.iter().rev().find(|one| one.0 == name);
                let (_, value) = found.ok_or_else(|| format!("has an unknown name, {name}"))?;
                return number(*value);
            }
            Expr::Of(op, parts) => (op, parts),
        };
        match op {
            Op::At(name) => {
                let at = parts[0].of(buffers, names)?.value;
                let found = buffers.iter().find(|(other, _)| other == name);
                let (_, buffer) = found.ok_or_else(|| format!("has an unknown buffer, {name}"))?;
                if at >= 0.0 && (at as usize) < buffer.len() && at.fract() == 0.0 {
                    return number(buffer.get(at as usize));
                }
                Err(format!("asks for {name}[{at}]: it has {} elements", buffer.len()))
            }
            Op::Call(function) => {
                let (mut values, mut sizes) = ([0.0; 3], [0.0; 3]);
                for (at, part) in parts.iter().enumerate() {
                    // What a choice does not ask for may look beside a buffer.
                    let is_choice = at > 0 && matches!(function.name, "if" | "&&" | "||");
                    let asked = at == 1 && function.name != "||";
                    if !is_choice || (values[0] != 0.0) == asked {
                        let part = part.of(buffers, names)?;
                        (values[at], sizes[at]) = (part.value, part.size);
                    }
                }
                let size = match function.size {
                    Some(size) => size(values, sizes),
                    None => (function.does)(sizes).abs(),
                };
                Ok(Number { value: (function.does)(values), size })
            }
            Op::Sum(index) => {
                let [from, to] = [&parts[0], &parts[1]].map(|one| one.of(buffers, names));
                let (from, to) = (from?.value, to?.value);
                let length = (to - from).max(0.0) as usize;
                if length > MOST_TERMS {
                    return Err(format!("adds up {length} terms, more than {MOST_TERMS}"));
                }
                let mut sum = Number::default();
                for j in 0..length {
                    names.push((index, from + j as f64));
                    let term = parts[2].of(buffers, names)?;
                    names.pop();
                    sum = Number { value: sum.value + term.value, size: sum.size + term.size };
                }
                Ok(Number { size: (length as f64).sqrt() * sum.size, ..sum })
            }
        }
    }

    /// The roundings of what is done with elements of buffers, sums left out; arithmetic on
    /// indices and sizes is exact.
    pub fn roundings(&self) -> f64 {
        match self {
            Expr::Of(Op::Call(function), parts) if self.has_element() => {
                function.roundings + parts.iter().map(Expr::roundings).sum::<f64>()
            }
            Expr::Of(Op::Sum(_), parts) => parts[2].roundings(),
            _ => 0.0,
        }
    }

    /// Puts numbers in the place of the names that are known to be the same for all elements.
    pub fn settle(&mut self, known: &dyn Fn(&str) -> Option<f64>) {
        match self {
            Expr::Number(_) => (),
            Expr::Name(name) => {
                if let Some(value) = known(name) {
                    *self = Expr::Number(value);
                }
            }
            // Where a sum ends may have the name that its terms know as their index.
            Expr::Of(Op::Sum(index), parts) => {
                let (ends, term) = parts.split_at_mut(2);
                ends.iter_mut().for_each(|one| one.settle(known));
                term[0].settle(&|name| known(name).filter(|_| name != index.as_str()));
            }
            Expr::Of(_, parts) => parts.iter_mut().for_each(|one| one.settle(known)),
        }
    }

    /// Whether it looks into a buffer.
    pub fn has_element(&self) -> bool {
        self.has(|op| matches!(op, Op::At(_)))
    }

    /// Whether it, or a part of it, is made so.
    pub fn has(&self, is: fn(&Op) -> bool) -> bool {
        matches!(self, Expr::Of(op, parts) if is(op) || parts.iter().any(|one| one.has(is)))
    }
}

/// Reads a formula by recursive descent.
struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, symbol: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> String {
        let text = self.rest.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        word.into()
    }

    /// A choice, `c ? x : y`, or what stands for itself.
    fn whole(&mut self) -> Option<Expr> {
        let tree = self.level(0)?;
        if !self.takes("?") {
            return Some(tree);
        }
        self.depth += 1;
        let yes = (self.depth < DEEPEST).then(|| self.whole())??;
        let no = self.takes(":").then(|| self.whole())??;
        self.depth -= 1;
        Some(Expr::Of(Op::Call(&IF), vec![tree, yes, no]))
    }

    /// Operators of a level and all that bind more.
    fn level(&mut self, level: usize) -> Option<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.factor() };
        let mut tree = self.level(level + 1)?;
        while let Some(op) = operators.iter().find(|op| self.takes(op.name)) {
            tree = Expr::Of(Op::Call(op), vec![tree, self.level(level + 1)?]);
        }
        Some(tree)
    }

    fn factor(&mut self) -> Option<Expr> {
        self.depth += 1;
        let factor = (self.depth < DEEPEST).then(|| self.one())?;
        self.depth -= 1;
        factor
    }

    fn one(&mut self) -> Option<Expr> {
        if self.takes("(") {
            let inside = self.whole()?;
            return self.takes(")").then_some(inside);
        }
        if self.takes("-") {
            let of = vec![Expr::Number(0.0), self.factor()?];
            return Some(Expr::Of(Op::Call(&DIFFERENCE), of));
        }
        if self.takes("!") {
            return Some(Expr::Of(Op::Call(&NOT), vec![self.factor()?]));
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().ok().map(Expr::Number);
        }
        if word.is_empty() || word.contains('.') {
            return None;
        }
        if self.takes("[") {
            let index = vec![self.whole()?];
            return self.takes("]").then_some(Expr::Of(Op::At(word), index));
        }
        let (op, parts) = if word == "sum" && self.takes("(") {
            let op = Op::Sum(self.word());
            (op, self.parts([",", ",", ":"])?)
        } else if let Some(op) = FUNCTIONS.iter().find(|op| op.name == word) {
            (Op::Call(op), self.parts(["(", ",", ","].into_iter().take(op.count))?)
        } else {
            return Some(Expr::Name(word));
        };
        self.takes(")").then_some(Expr::Of(op, parts))
    }

    /// What stands behind each of these.
    fn parts(&mut self, behind: impl IntoIterator<Item = &'static str>) -> Option<Vec<Expr>> {
        behind.into_iter().map(|sign| self.takes(sign).then(|| self.whole())?).collect()
    }
}
