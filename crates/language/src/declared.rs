//! The names that a kernel file declares.

use std::collections::BTreeSet;

use super::directives;
use super::functions::functions;
use super::tokens::{Tokens, is_word};
use super::types::Types;

/// Words that stand before a name and declare nothing.
const NO_TYPES: [&str; 6] = ["return", "else", "case", "goto", "sizeof", "do"];

/// What can be named at byte `at` of the text: macros, functions, what is declared outside
/// of them, and the arguments and variables of the function around it.
pub fn visible(text: &str, at: usize) -> BTreeSet<&str> {
    let file = Tokens::of(text);
    let (functions, types) = (functions(text), Types::of(text));
    let is_elsewhere = |byte: usize| {
        let next = functions.partition_point(|one| one.bytes.end <= byte);
        let around = functions.get(next).map(|function| &function.bytes);
        around.is_some_and(|bytes| bytes.contains(&byte) && !bytes.contains(&at))
    };
    let above = functions.iter().filter(|one| one.bytes.start < at);
    let mut seen: BTreeSet<&str> = above.map(|one| one.name).collect();
    seen.extend(directives::macros(text).map(|(name, _)| name));
    // Where the statement begins that a token is in, one for each bracket that is open.
    let mut statements = vec![0];
    for i in file.all().take_while(|i| file.byte(*i) < at) {
        let begin = statements.last().copied().unwrap_or(0);
        if declares(&file, &types, begin, i) && !is_elsewhere(file.byte(i)) {
            seen.insert(file.text(i));
        }
        match file.text(i) {
            "(" | "[" | "{" => statements.push(i + 1),
            ")" | "]" => drop(statements.pop()),
            end @ ("}" | ";") => {
                let ended = if end == "}" { 2 } else { 1 };
                statements.truncate(statements.len().saturating_sub(ended));
                statements.push(i + 1);
            }
            _ => {}
        }
    }
    seen
}

/// True for a name with its type before it, as in `float a`, `global real *b` and
/// `int c, d`; its statement begins at `begin`.
fn declares(file: &Tokens, types: &Types, begin: usize, i: usize) -> bool {
    if !is_word(file.text(i)) {
        return false;
    }
    let is_star = |before: &usize| file.text(*before) == "*";
    let stars = (0..i).rev().take_while(is_star).count();
    let Some(before) = i.checked_sub(stars + 1) else {
        return false;
    };
    match file.text(before) {
        "," => types.ends_with(file.text(begin)),
        word if stars > 0 => types.ends_with(word),
        word => is_word(word) && !NO_TYPES.contains(&word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define TILE 16\ntypedef float real;\nconstant float table[] = {TILE, 2};\n\
        float helper(float inner) { float deep = inner; return deep; }\n\
        kernel void work(int M, global const real *A, global float *C)\n{\n\
        int i = get_global_id(0), j = 1, k;\n    real sum = first * second;\n\
        // float remark\n    return lost; here;\n    float later;\n}\n\
        float below(float x) { return x; }\n";

    #[test]
    fn what_stands_above_and_around_a_place_is_visible() {
        let seen = visible(TEXT, TEXT.find("here").unwrap());
        for name in [
            "TILE", "real", "table", "helper", "work", "M", "A", "C", "i", "j", "k", "sum",
        ] {
            assert!(seen.contains(name), "{name} in {seen:?}");
        }
        for name in [
            "inner", "deep", "first", "second", "remark", "lost", "here", "later", "below", "x",
        ] {
            assert!(!seen.contains(name), "{name} in {seen:?}");
        }
    }

    #[test]
    fn the_end_of_a_file_sees_what_no_function_hides() {
        let seen = visible(TEXT, TEXT.len());
        assert!(seen.contains("below") && seen.contains("table"), "{seen:?}");
        assert!(!seen.contains("sum") && !seen.contains("inner"), "{seen:?}");
        assert!(visible("x y", 1).is_empty());
    }
}
