//! The plausible mistakes: each operator finds all places of a function where its
//! mistake can be made, and makes one at a time.

use std::ops::Range;

use super::tokens::Body;

/// One change of a kernel's text.
pub struct Edit {
    /// The operator that makes it.
    pub operator: &'static str,
    /// The bytes of the file that go.
    pub bytes: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

/// An operator: its name, and the changes that it makes in a body. A change
/// names the tokens that go.
type Operator = (&'static str, fn(&Body) -> Vec<(Range<usize>, String)>);

/// All operators, in the order in which the mutants are told.
pub const OPERATORS: &[Operator] = &[
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
pub fn edits(body: &Body) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (operator, find) in OPERATORS {
        for (tokens, text) in find(body) {
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

/// The changes of single tokens for which `becomes` has something to say.
fn each<T: Into<String>>(
    body: &Body,
    becomes: impl Fn(usize) -> Vec<T>,
) -> Vec<(Range<usize>, String)> {
    (0..body.len())
        .flat_map(|i| {
            becomes(i)
                .into_iter()
                .map(move |text| (i..i + 1, text.into()))
        })
        .collect()
}

fn barriers(body: &Body) -> Vec<(Range<usize>, String)> {
    (0..body.len())
        .filter(|&i| body.text(i) == "barrier")
        .filter_map(|i| Some((i..body.matching(i + 1)? + 1, String::new())))
        .collect()
}

/// One added to each subscript, to each argument of a load or store, and to each id.
fn off_by_one(body: &Body) -> Vec<(Range<usize>, String)> {
    each(body, |i| {
        let indexes = |name: &str| {
            name == "AT"
                || ["vload", "vstore"]
                    .iter()
                    .any(|s| name.to_lowercase().starts_with(s))
        };
        let call = body.begin_of(i, &[]).wrapping_sub(2);
        let is_argument = [",", ")"].contains(&body.text(i)) && indexes(body.text(call));
        let open = body.begin_of(i, &[]).wrapping_sub(1);
        let is_subscript =
            body.text(i) == "]" && body.text(open) == "[" && !body.is_dimension(open);
        let is_id = body.text(i) == ")" && body.text(call).starts_with("get_");
        match (is_id, is_subscript || is_argument) {
            (true, _) => vec![") + 1".to_string()],
            (_, true) => vec![format!(" + 1{}", body.text(i))],
            _ => vec![],
        }
    })
}

fn comparisons(body: &Body) -> Vec<(Range<usize>, String)> {
    each(body, |i| match body.text(i) {
        "<" => vec!["<=", ">="],
        "<=" => vec!["<", ">"],
        ">" => vec![">=", "<="],
        ">=" => vec![">", "<"],
        "==" => vec!["!="],
        "&&" => vec!["||"],
        "||" => vec!["&&"],
        _ => vec![],
    })
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

fn rows_and_columns(body: &Body) -> Vec<(Range<usize>, String)> {
    exchanged(body, DIRECTIONS)
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

fn strides(body: &Body) -> Vec<(Range<usize>, String)> {
    exchanged(body, LENGTHS)
}

/// Each use of a name replaced by its partner: one that the function uses too, or
/// a parameter or macro.
fn exchanged(body: &Body, pairs: &[[&str; 2]]) -> Vec<(Range<usize>, String)> {
    let known = |name: &str| {
        name.chars().all(|c| c.is_uppercase()) || (0..body.len()).any(|i| body.text(i) == name)
    };
    each(body, |i| {
        let name = body.text(i);
        if body.text(i.wrapping_sub(1)) == "." || body.is_declared_here(i) {
            return vec![];
        }
        let partners = pairs.iter().filter_map(|[a, b]| match name {
            _ if name == *a => Some(*b),
            _ if name == *b => Some(*a),
            _ => None,
        });
        partners.filter(|partner| known(partner)).collect()
    })
}

/// A variable that is not begun, and a zero that is not stored.
fn initialisers(body: &Body) -> Vec<(Range<usize>, String)> {
    let dropped = |i: usize| {
        let statement = body.statement(i);
        let end = body.end_of(i, &[";", ","]);
        let before = |word: &str| (statement.start..i).any(|i| body.text(i) == word);
        // `for`, and a macro that ends in it.
        let head = body.text(body.begin_of(i, &[]).wrapping_sub(2));
        let in_a_loops_head = head.ends_with("for");
        let is_pointer = before("*") && body.is_declaration(i);
        if body.text(i) != "=" || before("const") || is_pointer || in_a_loops_head {
            return None;
        }
        let is_zero = body.text(end - 1) == "0" || body.text(end - 2) == "0";
        if body.is_declaration(i) {
            Some((i..end, String::new()))
        } else {
            is_zero.then(|| (stored_from(body, i)..end, String::new()))
        }
    };
    (0..body.len()).filter_map(dropped).collect()
}

/// Where `name[...][...]` before the `=` at `i` begins.
fn stored_from(body: &Body, i: usize) -> usize {
    let mut begin = i - 1;
    while body.text(begin) == "]" {
        begin = body.begin_of(begin, &[]) - 2;
    }
    begin
}

fn accumulations(body: &Body) -> Vec<(Range<usize>, String)> {
    each(body, |i| match body.text(i) {
        "+=" => vec!["=", "-="],
        _ => vec![],
    })
}

/// The other dimension of an id, and the other kind of id.
fn dimensions(body: &Body) -> Vec<(Range<usize>, String)> {
    each(body, |i| match body.text(i) {
        "get_global_id" => vec!["get_local_id"],
        "get_local_id" => vec!["get_global_id"],
        "get_group_id" => vec!["get_local_id"],
        "0" if is_id(body, i) => vec!["1"],
        "1" if is_id(body, i) => vec!["0"],
        _ => vec![],
    })
}

/// Whether `i` is the dimension that an id is asked for.
pub fn is_id(body: &Body, i: usize) -> bool {
    i >= 2 && body.text(i - 2).starts_with("get_")
}

/// Another lane of a vector, or its other half.
fn lanes(body: &Body) -> Vec<(Range<usize>, String)> {
    each(body, |i| {
        if body.text(i.wrapping_sub(1)) != "." {
            return vec![];
        }
        let name = body.text(i);
        let lane = name.strip_prefix('s').and_then(|n| n.parse::<u32>().ok());
        match (lane, name) {
            (Some(lane), _) => vec![format!("s{}", (lane + 1) % 4)],
            (_, "x") => vec!["y".into()],
            (_, "y") => vec!["x".into()],
            (_, "z") => vec!["w".into()],
            (_, "w") => vec!["z".into()],
            (_, "lo") => vec!["hi".into()],
            (_, "hi") => vec!["lo".into()],
            _ => vec![],
        }
    })
}
