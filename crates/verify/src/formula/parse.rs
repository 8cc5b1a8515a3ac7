//! From a formula's text to a tree, by recursive descent.

/// A formula, read.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(f64),
    Name(String),
    /// An element of a buffer.
    At(String, Box<Expr>),
    Call(Op, Vec<Expr>),
    /// The sum of `of` for `index` in `from..to`.
    Sum {
        index: String,
        from: Box<Expr>,
        to: Box<Expr>,
        of: Box<Expr>,
    },
}

/// What is done with numbers, of which there are up to three.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    name: &'static str,
    count: usize,
    /// How often a kernel rounds that does it with floats.
    roundings: f64,
    /// What it makes of its operands.
    pub does: Does,
}

type Does = fn([f64; 3]) -> f64;

const fn op(name: &'static str, count: usize, roundings: f64, does: Does) -> Op {
    Op { name, count, roundings, does }
}

const SUM: Op = op("+", 2, 1.0, |[a, b, _]| a + b);
const DIFFERENCE: Op = op("-", 2, 1.0, |[a, b, _]| a - b);
/// Of a division, a root and a power, in halves of the last place: as OpenCL C allows.
const INEXACT: f64 = 6.0;

/// Operators from those that bind least to those that bind most; of two with the same
/// beginning the longer one is first.
#[rustfmt::skip]
const LEVELS: [&[Op]; 5] = [
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
    &[SUM, DIFFERENCE],
    &[
        op("*", 2, 1.0, |[a, b, _]| a * b),
        op("/", 2, INEXACT, |[a, b, _]| a / b),
        op("%", 2, 0.0, |[a, b, _]| a % b),
    ],
];

#[rustfmt::skip]
const FUNCTIONS: [Op; 13] = [
    op("ceil", 1, 0.0, |[a, ..]| a.ceil()),
    op("floor", 1, 0.0, |[a, ..]| a.floor()),
    op("sqrt", 1, INEXACT, |[a, ..]| a.sqrt()),
    op("exp", 1, INEXACT, |[a, ..]| a.exp()),
    op("log", 1, INEXACT, |[a, ..]| a.ln()),
    op("sin", 1, INEXACT, |[a, ..]| a.sin()),
    op("cos", 1, INEXACT, |[a, ..]| a.cos()),
    op("tanh", 1, INEXACT, |[a, ..]| a.tanh()),
    op("abs", 1, 0.0, |[a, ..]| a.abs()),
    op("min", 2, 0.0, |[a, b, _]| a.min(b)),
    op("max", 2, 0.0, |[a, b, _]| a.max(b)),
    op("pow", 2, INEXACT, |[a, b, _]| a.powf(b)),
    IF,
];
const IF: Op = op("if", 3, 0.0, |[a, b, c]| if a != 0.0 { b } else { c });
const NOT: Op = op("!", 1, 0.0, |[a, ..]| f64::from(a == 0.0));

impl Op {
    /// Whether it asks for operand number `at`, where its first one is this: a choice does not for all.
    pub fn asks_for(self, at: usize, first: f64) -> bool {
        let is_choice = matches!(self.name, "if" | "&&" | "||");
        at == 0 || !is_choice || (first != 0.0) == (at == 1 && self.name != "||")
    }

    /// The size of the terms that a result was made of, by which it may be off: of the operands'
    /// values and sizes, in order.
    pub fn size(self, v: [f64; 3], s: [f64; 3]) -> f64 {
        match self.name {
            // Of a difference each term may be off.
            "-" => s[0] + s[1],
            "min" | "max" => s[0].max(s[1]),
            // Which of two counts the value says.
            "if" => (self.does)([v[0], s[1], s[2]]),
            // What is small because its terms cancel is off by a larger share of itself.
            "/" => s[0] * s[1] / (v[1] * v[1]),
            "sqrt" => s[0] / v[0].abs().sqrt(),
            "exp" => v[0].exp() * (1.0 + s[0]),
            "log" => v[0].ln().abs() + s[0] / v[0].abs(),
            "sin" | "cos" => 1.0 + s[0],
            "tanh" => 1.0,
            _ => (self.does)(s).abs(),
        }
    }
}

impl Expr {
    /// The roundings of what is done with elements of buffers, sums left out; arithmetic on
    /// indices and sizes is exact.
    pub fn roundings(&self) -> f64 {
        match self {
            Expr::Call(op, of) if self.has_element() => {
                op.roundings + of.iter().map(Expr::roundings).sum::<f64>()
            }
            Expr::Sum { of, .. } => of.roundings(),
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
            Expr::At(_, of) => of.settle(known),
            Expr::Call(_, of) => of.iter_mut().for_each(|one| one.settle(known)),
            Expr::Sum { index, from, to, of } => {
                let inside = |name: &str| known(name).filter(|_| name != index);
                [from, to, of].into_iter().for_each(|one| one.settle(&inside));
            }
        }
    }

    /// Whether it looks into a buffer.
    pub fn has_element(&self) -> bool {
        self.any(&|one| matches!(one, Expr::At(..)))
    }

    /// Whether it, or a part of it, is such a one.
    pub fn any(&self, is: &dyn Fn(&Expr) -> bool) -> bool {
        is(self)
            || match self {
                Expr::At(_, of) => of.any(is),
                Expr::Call(_, of) => of.iter().any(|one| one.any(is)),
                Expr::Sum { from, to, of, .. } => from.any(is) || to.any(is) || of.any(is),
                Expr::Number(_) | Expr::Name(_) => false,
            }
    }
}

/// Letters of a formula.
const LONGEST: usize = 1000;
/// Brackets within brackets: they are read by functions that call themselves.
const DEEPEST: usize = 50;

/// The tree of a formula, or what is wrong with its text.
pub fn parse(text: &str) -> Result<Expr, String> {
    if text.len() > LONGEST {
        return Err("is too long".into());
    }
    let mut parser = Parser { rest: text, depth: 0 };
    match (parser.whole(), parser.rest.trim()) {
        (Some(tree), "") => Ok(tree),
        (_, rest) => Err(format!("cannot be read at \"{rest}\"")),
    }
}

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
        Some(Expr::Call(IF, vec![tree, yes, no]))
    }

    /// Operators of a level and all that bind more.
    fn level(&mut self, level: usize) -> Option<Expr> {
        let Some(operators) = LEVELS.get(level) else {
            return self.factor();
        };
        let mut tree = self.level(level + 1)?;
        while let Some(op) = operators.iter().find(|op| self.takes(op.name)) {
            tree = Expr::Call(*op, vec![tree, self.level(level + 1)?]);
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
            return Some(Expr::Call(DIFFERENCE, vec![Expr::Number(0.0), self.factor()?]));
        }
        if self.takes("!") {
            return Some(Expr::Call(NOT, vec![self.factor()?]));
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().ok().map(Expr::Number);
        }
        if word.is_empty() || word.contains('.') {
            return None;
        }
        if self.takes("[") {
            let index = Box::new(self.whole()?);
            return self.takes("]").then_some(Expr::At(word, index));
        }
        if word == "sum" && self.takes("(") {
            return self.sum();
        }
        let Some(op) = FUNCTIONS.iter().find(|op| op.name == word) else {
            return Some(Expr::Name(word));
        };
        let mut of = Vec::new();
        while of.len() < op.count {
            let opens = if of.is_empty() { "(" } else { "," };
            of.push(self.takes(opens).then(|| self.whole())??);
        }
        self.takes(")").then_some(Expr::Call(*op, of))
    }

    /// What follows `sum(`.
    fn sum(&mut self) -> Option<Expr> {
        let index = self.word();
        let mut part = |before| {
            let begins = self.takes(before);
            begins.then(|| self.whole())?.map(Box::new)
        };
        let (from, to, of) = (part(",")?, part(",")?, part(":")?);
        self.takes(")").then_some(Expr::Sum { index, from, to, of })
    }
}
