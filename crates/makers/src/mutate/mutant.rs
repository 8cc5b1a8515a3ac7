//! A mutant: a kernel file with one mistake in one of its functions; and which functions it
//! has that every compiler reads.

use language::functions::{self, Function};
use serde::Serialize;

use super::operators::{Edit, edits};

/// A function with one change.
#[derive(Serialize)]
pub struct Mutant {
    /// What kind of mistake it is.
    pub operator: &'static str,
    /// The line, or the lines, before the change: without comments, on one line.
    pub was: String,
    /// The same after it.
    pub becomes: String,
    /// The whole file.
    #[serde(skip)]
    pub text: String,
}

/// All mutants of a function in a file's text; none where the file lacks it.
pub fn mutants(source: &str, name: &str) -> Vec<Mutant> {
    let mut functions = functions(source).into_iter();
    let Some(function) = functions.find(|one| one.name == name) else {
        return Vec::new();
    };
    let make = |edit: Edit| {
        let (start, end) = (edit.bytes.start, edit.bytes.end);
        let begin = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let stop = source[end..].find('\n').map_or(source.len(), |at| end + at);
        let changed = [&source[begin..start], &edit.text, &source[end..stop]].concat();
        Mutant {
            operator: edit.operator,
            was: one_line(&source[begin..stop]),
            becomes: one_line(&changed),
            text: [&source[..begin], &changed, &source[stop..]].concat(),
        }
    };
    edits(&function.body).into_iter().map(make).collect()
}

fn one_line(text: &str) -> String {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

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

    const SUM: &str = "kernel void sum(int M, int N, global float *A) {\n    \
        const int row = get_global_id(0); // mine\n    \
        if (row >= M || N < 1)\n        return;\n    \
        float sum = 0;\n    \
        for (int k = 0; k < N; k++)\n        sum += A[row * N + k];\n    \
        barrier(CLK_LOCAL_MEM_FENCE);\n    A[row] = sum;\n}\n";

    #[test]
    fn every_operator_makes_its_mistake() {
        let made = mutants(SUM, "sum");
        for (operator, becomes) in [
            ("barrier removed", ";"),
            ("off by one", "A[row + 1] = sum;"),
            ("off by one", "const int row = get_global_id(0) + 1;"),
            ("comparison", "if (row > M || N < 1)"),
            ("initialiser dropped", "float sum ;"),
            ("stride", "sum += A[row * M + k];"),
            ("constant", "for (int k = 1; k < N; k++)"),
            ("constant", "for (int k = 0; k < N - 1; k++)"),
            ("accumulation", "sum = A[row * N + k];"),
            ("guard removed", "if (0)"),
            ("guard removed", "if ( N < 1)"),
            ("guard removed", "if (row >= M )"),
            ("dimension", "const int row = get_global_id(1);"),
        ] {
            assert!(
                made.iter()
                    .any(|m| m.operator == operator && m.becomes == becomes),
                "no {operator}: {becomes}"
            );
        }
    }

    #[test]
    fn a_mutant_differs_in_one_line() {
        for mutant in mutants(SUM, "sum") {
            let lines = mutant.text.lines().zip(SUM.lines());
            assert_eq!(
                lines.filter(|(a, b)| a != b).count(),
                1,
                "{}",
                mutant.becomes
            );
            assert_ne!(mutant.was, mutant.becomes);
        }
    }

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
