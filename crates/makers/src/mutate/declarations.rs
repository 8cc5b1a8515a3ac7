//! What a token of a function's body stands in: a statement, a declaration, the size of
//! an array.

use std::ops::Range;

use language::tokens::{Tokens, is_word};

/// The tokens of the statement around `i`, up to its semicolon or brace.
pub fn statement(body: &Tokens, i: usize) -> Range<usize> {
    let ends = |i: &usize| [";", "{", "}"].contains(&body.text(*i));
    let begin = (0..i).rev().find(ends).map_or(0, |end| end + 1);
    let end = (i..body.all().end).find(ends).unwrap_or(body.all().end);
    begin..end
}

/// Whether `i` lies in a declaration: two words and more before a variable.
pub fn is_declaration(body: &Tokens, i: usize) -> bool {
    let begin = statement(body, i).start;
    is_word(body.text(begin)) && is_word(body.text(begin + 1)) && body.text(begin) != "return"
}

/// Whether the token names a variable that is being declared.
pub fn is_declared_here(body: &Tokens, i: usize) -> bool {
    let before = body.text(i.wrapping_sub(1));
    let after_type = before == "*" || (is_word(before) && before != "return");
    let is_begun = body.text(i + 1) == "=" && (after_type || is_declaration(body, i));
    is_begun || (is_dimension(body, i + 1) && after_type)
}

/// Whether the bracket at `open` gives an array's size: `REAL a[TS][TS];`.
pub fn is_dimension(body: &Tokens, open: usize) -> bool {
    let begin = statement(body, open).start;
    let before = (begin..open).all(|i| body.text(i) != "=" && body.text(i) != "(");
    body.text(open) == "[" && is_declaration(body, open) && before
}

/// The array size in whose brackets `i` stands alone.
pub fn is_whole_dimension(body: &Tokens, i: usize) -> bool {
    i > 0 && body.text(i + 1) == "]" && is_dimension(body, i - 1)
}

/// Whether `i` is the dimension that an id is asked for.
pub fn is_id(body: &Tokens, i: usize) -> bool {
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
