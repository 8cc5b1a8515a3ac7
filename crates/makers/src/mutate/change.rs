//! A change of some tokens of a function's body.

use std::ops::Range;

use language::tokens::Tokens;

/// The tokens that go, and what comes in their place.
pub type Change = (Range<usize>, String);

/// The token at `i` replaced by one of these at a time.
pub fn replaced<T: Into<String>>(i: usize, by: impl IntoIterator<Item = T>) -> Vec<Change> {
    let by = by.into_iter();
    by.map(|text| (i..i + 1, text.into())).collect()
}

/// Whether `i` is the dimension that an id is asked for.
pub fn is_id(body: &Tokens, i: usize) -> bool {
    i >= 2 && body.text(i - 2).starts_with("get_")
}
