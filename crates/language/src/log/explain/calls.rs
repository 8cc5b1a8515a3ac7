//! Calls that fit no function, or several.

use super::known::{CALLS, OF_FLOATS};
use super::{Case, quoted};

impl Case<'_> {
    /// A call with the wrong arguments.
    pub(super) fn call(&self) -> String {
        let named = if self.message.contains("function for call to")
            || self.message.contains("overloaded function")
        {
            quoted(self.message)
        } else {
            self.at.and_then(|at| callee(self.text, at))
        };
        let known = CALLS.iter().find(|(name, _)| Some(*name) == named);
        match (known, named) {
            (Some((_, words)), _) => words.to_string(),
            (None, Some(name)) => format!(
                "compare the call with {name}'s own arguments: their number, and their types (1 is an int, 1.0f is a float)"
            ),
            (None, None) => "compare the call with the function's own arguments".into(),
        }
    }
}

/// A function that exists for several types, of which none is the one that is given.
pub(super) fn ambiguous(name: &str) -> Option<&'static str> {
    Some(match name {
        "mul24" | "mad24" => {
            "mul24 and mad24 take int or uint, all arguments the same; get_group_id() and the \
             like return a size_t: convert with (int)get_group_id(0)"
        }
        "min" | "max" | "clamp" => {
            "all arguments must have the same type: 1 is an int, 1.0f is a float"
        }
        "abs" => "abs takes an integer; of a float it is fabs",
        _ if name.starts_with("atom") => {
            "the atomic functions of OpenCL C 1.2 work on int and uint, atomic_xchg on float too"
        }
        _ if OF_FLOATS.contains(&format!(" {name} ")) => {
            "this function takes floats: write 2.0f and not 2, or convert with (float)x"
        }
        _ => return None,
    })
}

/// The function whose argument list surrounds byte `at`.
pub(super) fn callee(source: &str, at: usize) -> Option<&str> {
    let mut open = 1;
    let before = source.get(..at)?;
    let (parenthesis, _) = before.char_indices().rev().find(|(_, c)| {
        match c {
            ')' => open += 1,
            '(' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = before[..parenthesis].trim_end().rsplit(|c| !is_word(c));
    words.next().filter(|name| !name.is_empty())
}
