//! From a formula's text to a tree, by recursive descent.

/// A formula, read.
#[derive(Clone, Debug, PartialEq)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Less,
    AtMost,
    Equal,
    And,
    Or,
    Min,
    Max,
    Pow,
    Ceil,
    Floor,
    Sqrt,
    Exp,
    Abs,
    If,
}

/// Operators from those that bind least to those that bind most; of two with the same
/// beginning the longer one is first.
const LEVELS: [&[(&str, Op)]; 5] = [
    &[("||", Op::Or)],
    &[("&&", Op::And)],
    &[("<=", Op::AtMost), ("<", Op::Less), ("==", Op::Equal)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("/", Op::Div), ("%", Op::Rem)],
];

/// The functions, and how many arguments each has.
const FUNCTIONS: [(&str, Op, usize); 9] = [
    ("ceil", Op::Ceil, 1),
    ("floor", Op::Floor, 1),
    ("sqrt", Op::Sqrt, 1),
    ("exp", Op::Exp, 1),
    ("abs", Op::Abs, 1),
    ("min", Op::Min, 2),
    ("max", Op::Max, 2),
    ("pow", Op::Pow, 2),
    ("if", Op::If, 3),
];

impl Op {
    /// What it does with one number.
    pub fn of_one(self) -> fn(f64) -> f64 {
        match self {
            Op::Ceil => f64::ceil,
            Op::Floor => f64::floor,
            Op::Sqrt => f64::sqrt,
            Op::Exp => f64::exp,
            _ => f64::abs,
        }
    }

    /// What it does with two.
    pub fn of_two(self) -> fn(f64, f64) -> f64 {
        match self {
            Op::Sub => |a, b| a - b,
            Op::Mul => |a, b| a * b,
            Op::Div => |a, b| a / b,
            Op::Rem => |a, b| a % b,
            Op::Less => |a, b| f64::from(u8::from(a < b)),
            Op::AtMost => |a, b| f64::from(u8::from(a <= b)),
            Op::Equal => |a, b| f64::from(u8::from(a == b)),
            Op::And => |a, b| f64::from(u8::from(a != 0.0 && b != 0.0)),
            Op::Or => |a, b| f64::from(u8::from(a != 0.0 || b != 0.0)),
            Op::Min => f64::min,
            Op::Max => f64::max,
            Op::Pow => f64::powf,
            _ => |a, b| a + b,
        }
    }

    /// How often a kernel rounds that does it with floats.
    fn roundings(self) -> f64 {
        match self {
            Op::Add | Op::Sub | Op::Mul => 1.0,
            // As OpenCL C allows: 2.5, 3 and 3 units in the last place.
            Op::Div | Op::Sqrt | Op::Exp | Op::Pow => 6.0,
            _ => 0.0,
        }
    }
}

impl Expr {
    /// The roundings of what is done with elements of buffers, sums left out; arithmetic on
    /// indices and sizes is exact.
    pub fn roundings(&self) -> f64 {
        match self {
            Expr::Call(op, of) if self.has_element() => {
                op.roundings() + of.iter().map(Expr::roundings).sum::<f64>()
            }
            Expr::Sum { of, .. } => of.roundings(),
            _ => 0.0,
        }
    }

    /// The names that it speaks of.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Expr::Number(_) => Vec::new(),
            Expr::Name(name) => vec![name],
            Expr::At(_, of) => of.names(),
            Expr::Call(_, of) => of.iter().flat_map(Expr::names).collect(),
            Expr::Sum { from, to, of, .. } => {
                let parts = [from, to, of].into_iter();
                parts.flat_map(|part| part.names()).collect()
            }
        }
    }

    fn has_element(&self) -> bool {
        self.any(&|one| matches!(one, Expr::At(..)))
    }

    /// Whether it adds anything up.
    pub fn has_sum(&self) -> bool {
        self.any(&|one| matches!(one, Expr::Sum { .. }))
    }

    fn any(&self, is: &dyn Fn(&Expr) -> bool) -> bool {
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
    let mut parser = Parser {
        rest: text,
        depth: 0,
    };
    match (parser.level(0), parser.rest.trim()) {
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

    /// Operators of a level and all that bind more.
    fn level(&mut self, level: usize) -> Option<Expr> {
        let Some(operators) = LEVELS.get(level) else {
            return self.factor();
        };
        let mut tree = self.level(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(symbol, _)| self.takes(symbol)) {
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
            let inside = self.level(0)?;
            return self.takes(")").then_some(inside);
        }
        if self.takes("-") {
            return Some(Expr::Call(Op::Sub, vec![Expr::Number(0.0), self.factor()?]));
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().ok().map(Expr::Number);
        }
        if word.is_empty() || word.contains('.') {
            return None;
        }
        if self.takes("[") {
            let index = Box::new(self.level(0)?);
            return self.takes("]").then_some(Expr::At(word, index));
        }
        if word == "sum" && self.takes("(") {
            return self.sum();
        }
        let Some((_, op, count)) = FUNCTIONS.iter().find(|(name, ..)| *name == word) else {
            return Some(Expr::Name(word));
        };
        let mut of = Vec::new();
        while of.len() < *count {
            let opens = if of.is_empty() { "(" } else { "," };
            of.push(self.takes(opens).then(|| self.level(0))??);
        }
        self.takes(")").then_some(Expr::Call(*op, of))
    }

    /// What follows `sum(`.
    fn sum(&mut self) -> Option<Expr> {
        let index = self.word();
        let mut part = |before| {
            let begins = self.takes(before);
            begins.then(|| self.level(0))?.map(Box::new)
        };
        let (from, to, of) = (part(",")?, part(",")?, part(":")?);
        self.takes(")").then_some(Expr::Sum {
            index,
            from,
            to,
            of,
        })
    }
}
