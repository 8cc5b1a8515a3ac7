//! Guards that let everything through: an `if`, or the condition of `?:`, as a
//! whole and each of its parts.

use std::iter::once;
use std::ops::Range;

use language::tokens::Tokens;

use super::operators::Change;

/// A condition that always holds, or for an early return never does; and the condition
/// without one of its parts.
pub fn guards(body: &Tokens, i: usize) -> Vec<Change> {
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
    let operators: Vec<usize> = {
        let is_operator = |i: &usize| ["&&", "||"].contains(&body.text(*i));
        condition.clone().filter(is_operator).collect()
    };
    let Some((&first, &last)) = operators.first().zip(operators.last()) else {
        return Vec::new();
    };
    let middle = operators.windows(2).map(|pair| pair[0]..pair[1]);
    let begin = once(condition.start..first + 1);
    begin
        .chain(middle)
        .chain(once(last..condition.end))
        .collect()
}
