//! Signs and values that a compiler misses.

use super::{Case, PARTS_OF_FOR};
use crate::tokens::Tokens;
use crate::types::is_known;

impl Case<'_> {
    /// A sign or a value that is missing; nothing where something else may be wrong.
    pub(super) fn expected(&self) -> Option<&'static str> {
        let at = self.at?;
        let (before, behind) = (self.text.get(..at)?, self.text.get(at..)?);
        let is = |sign: char| {
            let (clang, edg) = (
                format!("expected '{sign}'"),
                format!("expected a \"{sign}\""),
            );
            self.message.contains(&clang) || self.message.contains(&edg)
        };
        // The statement around the place, with the end of the one before.
        let ends = [';', '{', '}'];
        let begin = before.rfind(ends).unwrap_or(0);
        let end = behind.find(ends).unwrap_or(behind.len());
        let statement = &self.text[begin..at + end];
        let is_open =
            |open, close| statement.matches(open).count() > statement.matches(close).count();
        let line = behind.lines().next().unwrap_or("").trim();
        let ends_line = line.is_empty() || line.starts_with("//");
        let begins_line = before
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.trim().is_empty());
        if self.message.contains("expression") && !is(';') {
            return a_value(behind);
        }
        if self.message.contains("in 'for' statement") {
            return Some(PARTS_OF_FOR);
        }
        if is(';') && (ends_line || begins_line) {
            return Some("a statement ends with a semicolon, and one is missing before this place");
        }
        if is(')') && is_open('(', ')') {
            return Some("a ( is not closed before this place");
        }
        (is(']') && is_open('[', ']')).then_some("a [ is not closed before this place")
    }
}

/// What stands in a value's place.
fn a_value(behind: &str) -> Option<&'static str> {
    let tokens = Tokens::of(behind.lines().next().unwrap_or(""));
    let ty = tokens.text(0);
    if !is_known(ty) || tokens.text(1) != "(" {
        return None;
    }
    Some(if ty.ends_with(|c: char| c.is_ascii_digit()) {
        "the type of a vector literal stands in parentheses: (float4)(1.0f, 2.0f, 3.0f, 4.0f)"
    } else {
        "the type to convert to stands in parentheses: (float)x"
    })
}
