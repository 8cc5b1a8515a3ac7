//! The functions of a kernel file.

use super::tokens::{Tokens, is_word};

/// A function that a file defines.
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it stands in the text, from its first word to the brace that closes it.
    pub bytes: std::ops::Range<usize>,
    /// What stands between its braces.
    pub body: Tokens<'a>,
}

/// All functions, kernels among them, in the order of the file. One may be defined
/// twice, for a vendor and in standard OpenCL C.
pub fn functions(text: &str) -> Vec<Function<'_>> {
    let file = Tokens::of(text);
    let mut passed = 0;
    // The bracket at `open` begins the parameters. Only a definition has a brace behind them: a
    // prototype, a call and an attribute have none.
    let definition = |open: usize| {
        let name = file.text(open.wrapping_sub(1));
        if open < passed || file.text(open) != "(" || !is_word(name) {
            return None;
        }
        let brace = file.matching(open)? + 1;
        passed = file.matching(brace).filter(|_| file.text(brace) == "{")?;
        Some(Function {
            name,
            bytes: file.span(file.begin_of(open, &[";", "}"])..passed + 1),
            body: file.part(brace + 1..passed),
        })
    };
    file.all().filter_map(definition).collect()
}

/// Names of the kernels, in the order of the file, also where brackets do not match.
pub fn kernels(text: &str) -> Vec<&str> {
    let file = Tokens::of(text);
    // What follows the word is attributes in brackets, the type, and the name.
    let declared = |mut i: usize| loop {
        match (file.text(i), file.text(i + 1)) {
            ("__attribute__", "(") => i = file.matching(i + 1)?,
            (name, "(") => return Some(name),
            (_, "{" | ";" | "" | "kernel" | "__kernel") => return None,
            _ => i += 1,
        }
    };
    let begins = |i: &usize| ["kernel", "__kernel"].contains(&file.text(*i));
    file.all().filter(begins).filter_map(declared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// kernel void not_me(int x)\n\
        /* kernel void nor_me() */\n\
        #define MACRO(a) { a(1); }\n\
        int prototype(int n);\n\
        int2 pair(uint n) { return (int2)(n, n); }\n\
        inline static void quiet(int kernel_size)\n{\n    if (1) { pair(2); }\n}\n\
        constant int table[] = { 1, 2 };\n\
        kernel void first(int n) { n; }\n\
        #define TS 16 // a macro\n\
        __attribute__((reqd_work_group_size(16, 16, 1)))\n\
        __kernel __attribute__((vec_type_hint(float4))) void\nsecond (global float *c)\n{\n\
        local float tile[TS]; // [k]\n    #pragma unroll\n    \
        const float a = tile[n + 1];\n    if (n <= 3) c[n] = a;\n}\n";

    #[test]
    fn kernels_are_found_in_order() {
        assert_eq!(kernels(TEXT), ["first", "second"]);
        assert_eq!(kernels("kernel void open(int n) { ("), ["open"]);
    }

    #[test]
    fn definitions_are_found_whatever_they_return() {
        let functions = functions(TEXT);
        let names: Vec<&str> = functions.iter().map(|one| one.name).collect();
        assert_eq!(names, ["pair", "quiet", "first", "second"]);
        assert_eq!(&TEXT[functions[2].bytes.clone()], "kernel void first(int n) { n; }");
        let second = &TEXT[functions[3].bytes.clone()];
        assert!(second.starts_with("__attribute__((reqd") && second.ends_with("= a;\n}"));
    }

    #[test]
    fn a_body_is_that_of_its_function_without_comments_and_directives() {
        let body = &functions(TEXT)[3].body;
        let words: Vec<&str> = body.all().map(|i| body.text(i)).collect();
        assert_eq!(
            words.join(" "),
            "local float tile [ TS ] ; const float a = tile [ n + 1 ] ; \
             if ( n <= 3 ) c [ n ] = a ;"
        );
    }
}
