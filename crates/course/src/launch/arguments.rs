//! What a kernel is given, by the text of its file.

use language::tokens::Tokens;
use language::types::Types;
use serde::{Deserialize, Serialize};

/// An argument that the course can make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// What it is.
    pub kind: Kind,
    /// What the kernel calls it.
    pub name: String,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// An `int`.
    Size,
    /// A `float`.
    Factor,
    /// A pointer to const.
    Input,
    /// A pointer to what is written.
    Output,
}

/// The arguments, in order, of a kernel that is no product: one size or two, factors,
/// inputs, and one output. `None` for any other.
pub fn of(text: &str, kernel: &str) -> Option<Vec<Argument>> {
    let (file, types) = (Tokens::of(text), Types::of(text));
    let opens = |i: &usize| file.text(*i) == kernel && file.text(i + 1) == "(";
    let is_defined = |open: &usize| {
        let end = file.matching(*open);
        end.is_some_and(|end| file.text(end + 1) == "{")
    };
    let open = file.all().filter(opens).map(|i| i + 1).find(is_defined)?;
    let inside = file.inside(open)?;
    let words: Vec<&str> = inside.all().map(|i| inside.text(i)).collect();
    let arguments = words.split(|word| *word == ",");
    let arguments: Option<Vec<Argument>> = arguments.map(|words| of_words(words, &types)).collect();
    arguments.filter(|all| {
        let sizes = count(all, Kind::Size);
        (1..=2).contains(&sizes) && count(all, Kind::Output) == 1
    })
}

/// How many there are of a kind.
pub fn count(arguments: &[Argument], kind: Kind) -> usize {
    arguments.iter().filter(|one| one.kind == kind).count()
}

fn of_words(words: &[&str], types: &Types) -> Option<Argument> {
    let kind = kind(words, types)?;
    let name = words.last()?.to_string();
    Some(Argument { kind, name })
}

fn kind(words: &[&str], types: &Types) -> Option<Kind> {
    let has = |word| words.contains(&word);
    if has("*") {
        let is_const = has("const") || has("constant") || has("__constant");
        let is_global = is_const || has("global") || has("__global");
        let which = if is_const { Kind::Input } else { Kind::Output };
        // How large local memory must be, nobody knows.
        return (is_global && !has("local") && !has("__local")).then_some(which);
    }
    let (_, ty) = words.split_last()?;
    let meanings = types.meanings(ty.last()?);
    let is = |name: &str| meanings.contains(name);
    if is("int") || is("uint") || has("unsigned") {
        Some(Kind::Size)
    } else if is("float") || is("REAL") {
        Some(Kind::Factor)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::*;

    #[test]
    fn copies_and_their_like_are_told_from_products() {
        let kinds = |text: &str| {
            let arguments = of(text, "f")?;
            Some(arguments.iter().map(|one| one.kind).collect::<Vec<_>>())
        };
        let of = |arguments: &str| kinds(&format!("kernel void f({arguments})\n{{\n}}\n"));
        let saxpy = "const int n, float d, global const float *A, const global float* B, \
                     __global float *restrict C";
        assert_eq!(of(saxpy), Some(vec![Size, Factor, Input, Input, Output]));
        let copy = "int rows, unsigned columns, constant float *from, global float *to";
        assert_eq!(of(copy), Some(vec![Size, Size, Input, Output]));
        for other in [
            "int M, int N, int K, global const float *A, global const float *B, global float *C",
            "int n, global float *A, global float *C",
            "int n, local float *tile, global float *C",
            "global const float *A, global float *C",
            "int n, read_only image2d_t a, global float *C",
            "int n, global const float *A",
            "",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        let renamed = "typedef float real;\n#define IDX int\nvoid g(int f);\n\
                       kernel void f(IDX n, real d, global real *C) { f(n); }";
        assert_eq!(kinds(renamed), Some(vec![Size, Factor, Output]));
        assert_eq!(super::of(renamed, "h"), None);
        let names = super::of(renamed, "f").unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["n", "d", "C"]);
    }
}
