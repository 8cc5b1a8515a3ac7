//! The plausible mistakes: each operator finds all places of a function where its
//! mistake can be made, and makes one at a time.

use std::iter;
use std::ops::Range;

use language::tokens::{Tokens, is_word};

/// The tokens that go, and what comes in their place.
pub type Change = (Range<usize>, String);

/// How an operator makes its mistake.
enum Makes {
    /// One token in place of another, where the function says so: what follows each in the table.
    Tokens(&'static str, fn(&Tokens, usize) -> bool),
    /// A name in place of its partner, which the function uses too, or which is a parameter
    /// or a macro.
    Names(&'static str),
    /// The changes at a token of a body.
    By(fn(&Tokens, usize) -> Vec<Change>),
}

/// All operators, in the order in which the mutants are told.
const OPERATORS: &[(&str, Makes)] = &[
    ("barrier removed", Makes::By(barriers)),
    ("off by one", Makes::By(off_by_one)),
    ("comparison", Makes::Tokens(COMPARISONS, anywhere)),
    ("row and column exchanged", Makes::Names(DIRECTIONS)),
    ("initialiser dropped", Makes::By(initialisers)),
    ("stride", Makes::Names(LENGTHS)),
    ("constant", Makes::By(constants)),
    ("accumulation", Makes::Tokens("+= = -=", anywhere)),
    ("guard removed", Makes::By(guards)),
    ("dimension", Makes::Tokens(IDS, is_id_or_its_name)),
    ("lane", Makes::Tokens(LANES, is_lane)),
];

const COMPARISONS: &str = "< <= >=; <= < >; > >= <=; >= > <; == !=; && ||; || &&";
/// Names that stand for the two directions of a matrix.
const DIRECTIONS: &str =
    "row column; x y; row0 column0; first_row first_column; rows columns; r c; i j";
/// Widths and heights that can be taken for one another.
const LENGTHS: &str =
    "M N; M K; N K; TM TN; TM TK; TN TK; GX GY; columns stride; TS STEP; SIDE STRIPE";
/// The other kind of id, and its other dimension.
const IDS: &str = "get_global_id get_local_id; get_group_id get_local_id; \
                   get_local_id get_global_id; 0 1; 1 0";
/// Another lane of a vector, or its other half.
const LANES: &str = "x y; y x; z w; w z; lo hi; hi lo; \
                     s0 s1; s1 s2; s2 s3; s3 s0; s4 s1; s5 s2; s6 s3; s7 s0";

/// One change of a kernel's text.
pub struct Edit {
    pub operator: &'static str,
    /// The bytes of the file that go.
    pub bytes: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

/// Every change of every operator, each once.
pub fn edits(body: &Tokens) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (operator, makes) in OPERATORS {
        for (tokens, text) in body.all().flat_map(|i| makes.changes(body, i)) {
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

impl Makes {
    fn changes(&self, body: &Tokens, i: usize) -> Vec<Change> {
        let name = body.text(i);
        match self {
            Makes::By(changes) => changes(body, i),
            Makes::Tokens(_, is_meant) if !is_meant(body, i) => Vec::new(),
            Makes::Tokens(table, _) => {
                let mut rows = table.split("; ").map(|row| row.split(' '));
                let row =
                    rows.find_map(|mut row| row.next().filter(|one| *one == name).map(|_| row));
                replaced(i, row.into_iter().flatten())
            }
            Makes::Names(_) if body.text(i.wrapping_sub(1)) == "." || is_declared_here(body, i) => {
                Vec::new()
            }
            Makes::Names(pairs) => {
                let is_used = |name: &str| body.all().any(|i| body.text(i) == name);
                let is_known = |name: &&str| name.chars().all(char::is_uppercase) || is_used(name);
                replaced(i, partners(name, pairs).filter(is_known))
            }
        }
    }
}

/// The token at `i` replaced by one of these at a time.
fn replaced<T: Into<String>>(i: usize, by: impl IntoIterator<Item = T>) -> Vec<Change> {
    by.into_iter().map(|text| (i..i + 1, text.into())).collect()
}

/// The other names of the pairs in which this one is.
fn partners(name: &str, pairs: &'static str) -> impl Iterator<Item = &'static str> {
    let pairs = pairs.split("; ").filter_map(|pair| pair.split_once(' '));
    pairs.filter_map(move |(one, other)| match name {
        _ if name == one => Some(other),
        _ if name == other => Some(one),
        _ => None,
    })
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
        // From where `name[...][...]` before the `=` begins.
        let mut begin = i - 1;
        while body.text(begin) == "]" {
            begin = body.begin_of(begin, &[]) - 2;
        }
        vec![(begin..end, String::new())]
    } else {
        Vec::new()
    }
}

/// A constant, a bound or the length of an array that is one too large or too small: literals
/// one up and one down; macros, bounds and arrays one short.
fn constants(body: &Tokens, i: usize) -> Vec<Change> {
    let text = body.text(i);
    let mut changes = replaced(i, literals(body, i));
    if is_macro(body, i) {
        changes.push((i..i + 1, format!("({text} - 1)")));
    }
    if ["<", "<=", ">", ">="].contains(&text) {
        let end = body.end_of(i, &[";", "&&", "||", "?", ","]) - 1;
        if end > i + 1 || (is_word(body.text(end)) && !is_macro(body, end)) {
            changes.push((end..end + 1, format!("{} - 1", body.text(end))));
        }
    }
    if is_dimension(body, i)
        && let Some(end) = body.matching(i)
    {
        changes.push((end..end + 1, " - 1]".into()));
    }
    changes
}

/// An integer's neighbours; for the zero of a float, one.
fn literals(body: &Tokens, i: usize) -> Vec<String> {
    if is_id(body, i) || is_whole_dimension(body, i) {
        return Vec::new();
    }
    match (body.text(i), body.text(i).parse::<u32>()) {
        ("0.0f", _) => vec!["1.0f".into()],
        (_, Ok(0)) => vec!["1".into(), "(-1)".into()],
        (_, Ok(n)) => vec![(n + 1).to_string(), (n - 1).to_string()],
        _ => Vec::new(),
    }
}

/// Whether `i` is a macro that stands for a number: TS, PIECE, P_ROWS.
fn is_macro(body: &Tokens, i: usize) -> bool {
    let name = body.text(i);
    let upper = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let other = ["REAL", "CLK_"].iter().any(|start| name.starts_with(start));
    name.len() > 1 && upper && !other && body.text(i + 1) != "(" && !is_whole_dimension(body, i)
}

fn anywhere(_: &Tokens, _: usize) -> bool {
    true
}

fn is_id_or_its_name(body: &Tokens, i: usize) -> bool {
    is_word(body.text(i)) || is_id(body, i)
}

fn is_lane(body: &Tokens, i: usize) -> bool {
    body.text(i.wrapping_sub(1)) == "."
}

/// A condition that always holds, or for an early return never does; and the condition
/// without one of its parts.
fn guards(body: &Tokens, i: usize) -> Vec<Change> {
    let Some((condition, always)) = condition(body, i) else {
        return Vec::new();
    };
    let mut changes = vec![(condition.clone(), always.into())];
    let parts = parts(body, &condition).into_iter();
    changes.extend(parts.map(|part| (part, String::new())));
    changes
}

/// The condition that the token at `i` begins or ends, and what removes it.
fn condition(body: &Tokens, i: usize) -> Option<(Range<usize>, &'static str)> {
    match body.text(i) {
        "if" => {
            let end = body.matching(i + 1)?;
            let never = body.text(end + 1) == "return";
            Some((i + 2..end, if never { "0" } else { "1" }))
        }
        "?" => Some((body.begin_of(i, &["=", ","])..i, "1")),
        _ => None,
    }
}

/// What to take away to be rid of one part: the part and the operator beside it.
fn parts(body: &Tokens, condition: &Range<usize>) -> Vec<Range<usize>> {
    let is_operator = |i: &usize| ["&&", "||"].contains(&body.text(*i));
    let operators: Vec<usize> = condition.clone().filter(is_operator).collect();
    let Some((first, last)) = operators.first().zip(operators.last()) else {
        return Vec::new();
    };
    let begin = iter::once(condition.start..first + 1);
    let middle = operators.windows(2).map(|pair| pair[0]..pair[1]);
    let end = iter::once(*last..condition.end);
    begin.chain(middle).chain(end).collect()
}

/// The tokens of the statement around `i`, up to its semicolon or brace.
fn statement(body: &Tokens, i: usize) -> Range<usize> {
    let ends = |i: &usize| [";", "{", "}"].contains(&body.text(*i));
    let begin = (0..i).rev().find(ends).map_or(0, |end| end + 1);
    let end = (i..body.all().end).find(ends).unwrap_or(body.all().end);
    begin..end
}

/// Whether `i` lies in a declaration: two words and more before a variable.
fn is_declaration(body: &Tokens, i: usize) -> bool {
    let begin = statement(body, i).start;
    is_word(body.text(begin)) && is_word(body.text(begin + 1)) && body.text(begin) != "return"
}

/// Whether the token names a variable that is being declared.
fn is_declared_here(body: &Tokens, i: usize) -> bool {
    let before = body.text(i.wrapping_sub(1));
    let after_type = before == "*" || (is_word(before) && before != "return");
    let is_begun = body.text(i + 1) == "=" && (after_type || is_declaration(body, i));
    is_begun || (is_dimension(body, i + 1) && after_type)
}

/// Whether the bracket at `open` gives an array's size: `REAL a[TS][TS];`.
fn is_dimension(body: &Tokens, open: usize) -> bool {
    let begin = statement(body, open).start;
    let before = (begin..open).all(|i| body.text(i) != "=" && body.text(i) != "(");
    body.text(open) == "[" && is_declaration(body, open) && before
}

/// The array size in whose brackets `i` stands alone.
fn is_whole_dimension(body: &Tokens, i: usize) -> bool {
    i > 0 && body.text(i + 1) == "]" && is_dimension(body, i - 1)
}

/// Whether `i` is the dimension that an id is asked for.
fn is_id(body: &Tokens, i: usize) -> bool {
    i >= 2 && body.text(i - 2).starts_with("get_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_from_a_subscript() {
        let body = Tokens::of("local float tile[TS]; const float a = tile[n + 1]; c[n] = a;");
        let brackets = body.all().filter(|&i| body.text(i) == "[");
        let sizes: Vec<bool> = brackets.map(|i| is_dimension(&body, i)).collect();
        assert_eq!(sizes, [true, false, false]);
    }
}
