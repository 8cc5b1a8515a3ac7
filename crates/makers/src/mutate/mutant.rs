//! A mutant: a kernel file with one mistake in one of its functions.

use serde::Serialize;

use super::calls::functions;
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kernel void sum(int M, int N, global float *A) {\n    \
        const int row = get_global_id(0); // mine\n    \
        if (row >= M || N < 1)\n        return;\n    \
        float sum = 0;\n    \
        for (int k = 0; k < N; k++)\n        sum += A[row * N + k];\n    \
        barrier(CLK_LOCAL_MEM_FENCE);\n    A[row] = sum;\n}\n";

    #[test]
    fn every_operator_makes_its_mistake() {
        let made = mutants(TEXT, "sum");
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
        for mutant in mutants(TEXT, "sum") {
            let lines = mutant.text.lines().zip(TEXT.lines());
            assert_eq!(
                lines.filter(|(a, b)| a != b).count(),
                1,
                "{}",
                mutant.becomes
            );
            assert_ne!(mutant.was, mutant.becomes);
        }
    }
}
