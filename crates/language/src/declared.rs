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
    let elsewhere = |byte: usize| {
        let bytes = functions.iter().map(|function| &function.bytes);
        bytes
            .clone()
            .any(|bytes| bytes.contains(&byte) && !bytes.contains(&at))
    };
    let above = file.all().take_while(|i| file.byte(*i) < at);
    let names = above
        .filter(|i| !elsewhere(file.byte(*i)) && declares(&file, &types, *i))
        .map(|i| file.text(i));
    let functions = functions.iter().filter(|one| one.bytes.start < at);
    let macros = directives::macros(text).map(|(name, _)| name);
    names
        .chain(functions.map(|one| one.name))
        .chain(macros)
        .collect()
}

/// True for a name with its type before it, as in `float a`, `global real *b` and
/// `int c, d`.
fn declares(file: &Tokens, types: &Types, i: usize) -> bool {
    if !is_word(file.text(i)) {
        return false;
    }
    let is_star = |before: &usize| file.text(*before) == "*";
    let stars = (0..i).rev().take_while(is_star).count();
    let Some(before) = i.checked_sub(stars + 1) else {
        return false;
    };
    match file.text(before) {
        "," => types.ends_with(file.text(file.begin_of(before, &[";", "{", "}"]))),
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
