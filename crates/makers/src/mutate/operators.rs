//! The plausible mistakes: each operator finds all places of a function where its
//! mistake can be made, and makes one at a time.

use std::ops::Range;

use language::tokens::Tokens;

use super::change::{Change, is_id, replaced};
use super::declarations::{is_declaration, is_declared_here, is_dimension, statement};

/// One change of a kernel's text.
pub struct Edit {
    pub operator: &'static str,
    /// The bytes of the file that go.
    pub bytes: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

/// An operator: its name, and the changes that it makes at a token of a body.
type Operator = (&'static str, fn(&Tokens, usize) -> Vec<Change>);

/// All operators, in the order in which the mutants are told.
const OPERATORS: &[Operator] = &[
    ("barrier removed", barriers),
    ("off by one", off_by_one),
    ("comparison", comparisons),
    ("row and column exchanged", rows_and_columns),
    ("initialiser dropped", initialisers),
    ("stride", strides),
    ("constant", super::constants::constants),
    ("accumulation", accumulations),
    ("guard removed", super::guards::guards),
    ("dimension", dimensions),
    ("lane", lanes),
];

/// Every change of every operator, each once.
pub fn edits(body: &Tokens) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (operator, changes) in OPERATORS {
        for (tokens, text) in body.all().flat_map(|i| changes(body, i)) {
            let bytes = body.span(tokens);
            if !edits.iter().any(|e| e.bytes == bytes && e.text == text) {
                edits.push(Edit {
                    operator,
                    bytes,
                    text,
                });
            }
        }
    }
    edits
}

fn barriers(body: &Tokens, i: usize) -> Vec<Change> {
    let end = body.matching(i + 1).filter(|_| body.text(i) == "barrier");
    Vec::from_iter(end.map(|end| (i..end + 1, String::new())))
}

/// One added to each subscript, to each argument of a load or store, and to each id.
fn off_by_one(body: &Tokens, i: usize) -> Vec<Change> {
    let indexes = |name: &str| {
        let name = name.to_lowercase();
        name == "at" || name.starts_with("vload") || name.starts_with("vstore")
    };
    let open = body.begin_of(i, &[]).wrapping_sub(1);
    let call = body.text(open.wrapping_sub(1));
    let is_argument = [",", ")"].contains(&body.text(i)) && indexes(call);
    let is_subscript = body.text(i) == "]" && body.text(open) == "[" && !is_dimension(body, open);
    if body.text(i) == ")" && call.starts_with("get_") {
        replaced(i, [") + 1"])
    } else if is_subscript || is_argument {
        replaced(i, [format!(" + 1{}", body.text(i))])
    } else {
        Vec::new()
    }
}

fn comparisons(body: &Tokens, i: usize) -> Vec<Change> {
    let others: &[&str] = match body.text(i) {
        "<" => &["<=", ">="],
        "<=" => &["<", ">"],
        ">" => &[">=", "<="],
        ">=" => &[">", "<"],
        "==" => &["!="],
        "&&" => &["||"],
        "||" => &["&&"],
        _ => &[],
    };
    replaced(i, others.iter().copied())
}

/// Names that stand for the two directions of a matrix.
const DIRECTIONS: &[[&str; 2]] = &[
    ["row", "column"],
    ["x", "y"],
    ["row0", "column0"],
    ["first_row", "first_column"],
    ["rows", "columns"],
    ["r", "c"],
    ["i", "j"],
];

fn rows_and_columns(body: &Tokens, i: usize) -> Vec<Change> {
    exchanged(body, i, DIRECTIONS)
}

/// Widths and heights that can be taken for one another.
const LENGTHS: &[[&str; 2]] = &[
    ["M", "N"],
    ["M", "K"],
    ["N", "K"],
    ["TM", "TN"],
    ["TM", "TK"],
    ["TN", "TK"],
    ["GX", "GY"],
    ["columns", "stride"],
    ["TS", "STEP"],
    ["SIDE", "STRIPE"],
];

fn strides(body: &Tokens, i: usize) -> Vec<Change> {
    exchanged(body, i, LENGTHS)
}

/// A name replaced by its partner: one that the function uses too, or a parameter or
/// macro.
fn exchanged(body: &Tokens, i: usize, pairs: &[[&'static str; 2]]) -> Vec<Change> {
    let name = body.text(i);
    if body.text(i.wrapping_sub(1)) == "." || is_declared_here(body, i) {
        return Vec::new();
    }
    let partners = partners(name, pairs).filter(|name| {
        let is_used = || body.all().any(|i| body.text(i) == *name);
        name.chars().all(|c| c.is_uppercase()) || is_used()
    });
    replaced(i, partners)
}

/// The other names of the pairs in which this one is.
fn partners(name: &str, pairs: &[[&'static str; 2]]) -> impl Iterator<Item = &'static str> {
    pairs.iter().filter_map(move |[a, b]| match name {
        _ if name == *a => Some(*b),
        _ if name == *b => Some(*a),
        _ => None,
    })
}

/// A variable that is not begun, and a zero that is not stored.
fn initialisers(body: &Tokens, i: usize) -> Vec<Change> {
    let statement = statement(body, i);
    let end = body.end_of(i, &[";", ","]);
    let before = |word: &str| (statement.start..i).any(|i| body.text(i) == word);
    // `for`, and a macro that ends in it.
    let head = body.text(body.begin_of(i, &[]).wrapping_sub(2));
    let is_pointer = before("*") && is_declaration(body, i);
    if body.text(i) != "=" || before("const") || is_pointer || head.ends_with("for") {
        Vec::new()
    } else if is_declaration(body, i) {
        vec![(i..end, String::new())]
    } else if body.text(end - 1) == "0" || body.text(end - 2) == "0" {
        vec![(stored_from(body, i)..end, String::new())]
    } else {
        Vec::new()
    }
}

/// Where `name[...][...]` before the `=` at `i` begins.
fn stored_from(body: &Tokens, i: usize) -> usize {
    let mut begin = i - 1;
    while body.text(begin) == "]" {
        begin = body.begin_of(begin, &[]) - 2;
    }
    begin
}

fn accumulations(body: &Tokens, i: usize) -> Vec<Change> {
    let others = ["=", "-="].into_iter();
    replaced(i, others.filter(|_| body.text(i) == "+="))
}

/// The other dimension of an id, and the other kind of id.
fn dimensions(body: &Tokens, i: usize) -> Vec<Change> {
    let other = match body.text(i) {
        "get_global_id" | "get_group_id" => Some("get_local_id"),
        "get_local_id" => Some("get_global_id"),
        "0" if is_id(body, i) => Some("1"),
        "1" if is_id(body, i) => Some("0"),
        _ => None,
    };
    replaced(i, other)
}

const LANES: &[[&str; 2]] = &[["x", "y"], ["z", "w"], ["lo", "hi"]];

/// Another lane of a vector, or its other half.
fn lanes(body: &Tokens, i: usize) -> Vec<Change> {
    let name = body.text(i);
    if body.text(i.wrapping_sub(1)) != "." {
        return Vec::new();
    }
    let number = name.strip_prefix('s').and_then(|n| n.parse::<u32>().ok());
    let numbered = number.map(|lane| format!("s{}", (lane + 1) % 4));
    replaced(i, partners(name, LANES).map(String::from).chain(numbered))
}
