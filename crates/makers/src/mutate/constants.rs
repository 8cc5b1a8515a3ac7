//! A constant, a bound or the length of an array that is one too large or too small.

use language::tokens::{Tokens, is_word};

use super::change::{Change, is_id, replaced};
use super::declarations::{is_dimension, is_whole_dimension};

const COMPARISONS: [&str; 4] = ["<", "<=", ">", ">="];

/// Literals one up and one down; macros, bounds and arrays one short.
pub fn constants(body: &Tokens, i: usize) -> Vec<Change> {
    let text = body.text(i);
    let mut changes = replaced(i, literals(body, i));
    if is_macro(body, i) {
        changes.push((i..i + 1, format!("({text} - 1)")));
    }
    if COMPARISONS.contains(&text) {
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
