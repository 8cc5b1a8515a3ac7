//! The functions of a kernel file, and which of them call which.

use super::tokens::{Body, is_word};

/// A function that the file defines.
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// What stands between its braces.
    pub body: Body<'a>,
}

/// The functions in the text, kernels among them, in the order of the file. One
/// that is defined twice, for a vendor and in standard OpenCL C, counts as the latter:
/// it has no assembly, and it comes last.
pub fn functions(source: &str) -> Vec<Function<'_>> {
    let file = Body::file(source);
    let mut functions: Vec<Function> = Vec::new();
    let mut at = 0;
    while at < file.len() {
        let Some((function, end)) = definition(&file, at) else {
            at += 1;
            continue;
        };
        if !function.has_assembly() {
            functions.retain(|other| other.name != function.name);
            functions.push(function);
        }
        at = end;
    }
    functions
}

/// The function whose parameters the bracket at `open` begins, and its last token.
/// Only a definition has a brace behind them: a prototype, a call and an attribute
/// have none.
fn definition<'a>(file: &Body<'a>, open: usize) -> Option<(Function<'a>, usize)> {
    let name = file.text(open.wrapping_sub(1));
    if file.text(open) != "(" || !is_word(name) {
        return None;
    }
    let brace = file.matching(open)? + 1;
    if file.text(brace) != "{" {
        return None;
    }
    let body = file.inside(brace)?;
    Some((Function { name, body }, file.matching(brace)?))
}

impl Function<'_> {
    /// Whether it is one vendor's: no compiler for another device reads it.
    fn has_assembly(&self) -> bool {
        (0..self.body.len()).any(|i| self.body.text(i) == "__asm__")
    }

    /// Whether it calls the function of this name itself.
    fn calls(&self, name: &str) -> bool {
        let body = &self.body;
        (0..body.len()).any(|i| body.text(i) == name && body.text(i + 1) == "(")
    }
}

/// Whether one function calls another, directly or through others. OpenCL C knows no
/// recursion, so the search ends.
pub fn reaches(functions: &[Function], from: &str, to: &str) -> bool {
    let Some(caller) = functions.iter().find(|function| function.name == from) else {
        return false;
    };
    let mut callees = functions.iter().filter(|one| caller.calls(one.name));
    callees.any(|one| one.name == to || reaches(functions, one.name, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        #define MACRO(a) { a(1); }\n\
        int prototype(int n);\n\
        int2 pair(uint n) { return (int2)(n, n); }\n\
        inline static void quiet(void)\n{\n    if (1) { pair(2); }\n}\n\
        #ifdef VENDOR\n\
        REAL twice(REAL x) { return own(x); }\n\
        REAL own(REAL x) { __asm__(\"x {\"); return x; }\n\
        #else\n\
        REAL twice(REAL x) { return x + x; }\n\
        #endif\n\
        constant int table[] = { 1, 2 };\n\
        kernel __attribute__((reqd_work_group_size(TS, 1, 1)))\n\
        void first(global REAL *c) { quiet(); c[0] = twice(1); }\n\
        kernel void second(int pair) { pair = prototype(pair); }\n";

    #[test]
    fn definitions_are_found_whatever_they_return() {
        let functions = functions(TEXT);
        let names: Vec<&str> = functions.iter().map(|one| one.name).collect();
        assert_eq!(names, ["pair", "quiet", "twice", "first", "second"]);
    }

    #[test]
    fn the_standard_definition_comes_last_and_wins() {
        let functions = functions(TEXT);
        let twice = functions.iter().find(|one| one.name == "twice");
        let body = &twice.expect("is there").body;
        let words: Vec<&str> = (0..body.len()).map(|i| body.text(i)).collect();
        assert_eq!(words.join(" "), "return x + x ;");
    }

    #[test]
    fn a_call_through_another_function_is_a_call() {
        let functions = functions(TEXT);
        let reaches = |from, to| reaches(&functions, from, to);
        assert!(reaches("first", "quiet") && reaches("first", "twice"));
        assert!(reaches("first", "pair"), "through quiet");
        assert!(!reaches("second", "pair"), "a variable of that name");
        assert!(!reaches("first", "own"), "by the vendor's definition only");
    }
}
