//! A constant, a bound or the length of an array that is one too large or too small.

use std::ops::Range;

use super::operators::is_id;
use super::tokens::{Body, is_word};

const COMPARISONS: [&str; 4] = ["<", "<=", ">", ">="];

/// Literals one up and one down; macros, bounds and arrays one short.
pub fn constants(body: &Body) -> Vec<(Range<usize>, String)> {
    let mut changes = Vec::new();
    for i in 0..body.len() {
        let text = body.text(i);
        for literal in literals(body, i) {
            changes.push((i..i + 1, literal));
        }
        if is_macro(body, i) {
            changes.push((i..i + 1, format!("({text} - 1)")));
        }
        if COMPARISONS.contains(&text) {
            let end = body.end_of(i, &[";", "&&", "||", "?", ","]) - 1;
            if end > i + 1 || (is_word(body.text(end)) && !is_macro(body, end)) {
                changes.push((end..end + 1, format!("{} - 1", body.text(end))));
            }
        }
        if body.is_dimension(i)
            && let Some(end) = body.matching(i)
        {
            changes.push((end..end + 1, " - 1]".into()));
        }
    }
    changes
}

/// An integer's neighbours; for the zero of a float, one.
fn literals(body: &Body, i: usize) -> Vec<String> {
    if is_id(body, i) || body.is_whole_dimension(i) {
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
fn is_macro(body: &Body, i: usize) -> bool {
    let name = body.text(i);
    let upper = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let other = ["REAL", "CLK_"].iter().any(|start| name.starts_with(start));
    name.len() > 1 && upper && !other && body.text(i + 1) != "(" && !body.is_whole_dimension(i)
}
