//! The functions of a kernel file that every compiler reads, and which of them call which.

use language::functions::{self, Function};

/// The functions in the text, kernels among them, in the order of the file. One
/// that is defined twice, for a vendor and in standard OpenCL C, counts as the latter:
/// it has no assembly, and it comes last.
pub fn functions(source: &str) -> Vec<Function<'_>> {
    let mut standard: Vec<Function> = Vec::new();
    for function in functions::functions(source) {
        if !has(&function, |text, _| text == "__asm__") {
            standard.retain(|other| other.name != function.name);
            standard.push(function);
        }
    }
    standard
}

/// Whether a token of the body, beside the one behind it, is of this kind.
fn has(function: &Function, is: impl Fn(&str, &str) -> bool) -> bool {
    let body = &function.body;
    body.all().any(|i| is(body.text(i), body.text(i + 1)))
}

/// Whether one function calls another, directly or through others. OpenCL C knows no
/// recursion, so the search ends.
pub fn reaches(functions: &[Function], from: &str, to: &str) -> bool {
    let Some(caller) = functions.iter().find(|function| function.name == from) else {
        return false;
    };
    let is_called = |one: &&Function| has(caller, |text, next| text == one.name && next == "(");
    let mut callees = functions.iter().filter(is_called);
    callees.any(|one| one.name == to || reaches(functions, one.name, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        int2 pair(uint n) { return (int2)(n, n); }\n\
        inline static void quiet(void)\n{\n    if (1) { pair(2); }\n}\n\
        #ifdef VENDOR\n\
        REAL twice(REAL x) { return own(x); }\n\
        REAL own(REAL x) { __asm__(\"x {\"); return x; }\n\
        #else\n\
        REAL twice(REAL x) { return x + x; }\n\
        #endif\n\
        kernel __attribute__((reqd_work_group_size(TS, 1, 1)))\n\
        void first(global REAL *c) { quiet(); c[0] = twice(1); }\n\
        kernel void second(int pair) { pair = prototype(pair); }\n";

    #[test]
    fn the_standard_definition_comes_last_and_wins() {
        let functions = functions(TEXT);
        let names: Vec<&str> = functions.iter().map(|one| one.name).collect();
        assert_eq!(names, ["pair", "quiet", "twice", "first", "second"]);
        let twice = functions.iter().find(|one| one.name == "twice");
        let body = &twice.expect("is there").body;
        let words: Vec<&str> = body.all().map(|i| body.text(i)).collect();
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
