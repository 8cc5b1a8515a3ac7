//! The tokens of one function's body, each with its place in the file.

use std::ops::Range;

/// A function's body, as tokens of the file's text.
pub struct Body<'a> {
    source: &'a str,
    tokens: Vec<Range<usize>>,
}

impl<'a> Body<'a> {
    /// The whole file, as if it were one body.
    pub fn file(source: &'a str) -> Body<'a> {
        Body {
            source,
            tokens: tokens(source),
        }
    }

    /// What stands between the bracket at `open` and the one that closes it.
    pub fn inside(&self, open: usize) -> Option<Body<'a>> {
        let close = self.matching(open)?;
        Some(Body {
            source: self.source,
            tokens: self.tokens[open + 1..close].to_vec(),
        })
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// A token's text; empty beyond either end, also where an index wrapped.
    pub fn text(&self, i: usize) -> &'a str {
        let range = self.tokens.get(i).cloned();
        range.map_or("", |range| &self.source[range])
    }

    /// The bytes of the file from one token up to and including another.
    pub fn span(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end
    }

    /// The token that closes the bracket at `open`.
    pub fn matching(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..self.len()).find(|&i| {
            depth += self.deeper(i);
            depth == 0
        })
    }

    /// 1 for an opening bracket, -1 for a closing one.
    fn deeper(&self, i: usize) -> i32 {
        match self.text(i) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        }
    }

    /// The first token from `i` on that is one of these, or closes the brackets
    /// around `i`; tokens inside further brackets do not count.
    pub fn end_of(&self, i: usize, ends: &[&str]) -> usize {
        let mut depth = 0;
        let end = (i..self.len()).find(|&i| {
            let ends_here = depth == 0 && (ends.contains(&self.text(i)) || self.deeper(i) < 0);
            depth += self.deeper(i);
            ends_here
        });
        end.unwrap_or(self.len())
    }

    /// The same backwards: the first token after such an end.
    pub fn begin_of(&self, i: usize, ends: &[&str]) -> usize {
        let mut depth = 0;
        let end = (0..i).rev().find(|&i| {
            let ends_here = depth == 0 && (ends.contains(&self.text(i)) || self.deeper(i) > 0);
            depth -= self.deeper(i);
            ends_here
        });
        end.map_or(0, |end| end + 1)
    }

    /// The tokens of the statement around `i`, up to its semicolon or brace.
    pub fn statement(&self, i: usize) -> Range<usize> {
        let ends = |i: &usize| [";", "{", "}"].contains(&self.text(*i));
        let begin = (0..i).rev().find(ends).map_or(0, |end| end + 1);
        let end = (i..self.len()).find(ends).unwrap_or(self.len());
        begin..end
    }

    /// Whether `i` lies in a declaration: two words and more before a variable.
    pub fn is_declaration(&self, i: usize) -> bool {
        let begin = self.statement(i).start;
        is_word(self.text(begin)) && is_word(self.text(begin + 1)) && self.text(begin) != "return"
    }

    /// Whether the token names a variable that is being declared.
    pub fn is_declared_here(&self, i: usize) -> bool {
        let before = self.text(i.wrapping_sub(1));
        let after_type = before == "*" || (is_word(before) && before != "return");
        let is_begun = self.text(i + 1) == "=" && (after_type || self.is_declaration(i));
        is_begun || (self.is_dimension(i + 1) && after_type)
    }

    /// Whether the bracket at `open` gives an array's size: `REAL a[TS][TS];`.
    pub fn is_dimension(&self, open: usize) -> bool {
        let begin = self.statement(open).start;
        let before = (begin..open).all(|i| self.text(i) != "=" && self.text(i) != "(");
        self.text(open) == "[" && self.is_declaration(open) && before
    }

    /// The array size in whose brackets `i` stands alone.
    pub fn is_whole_dimension(&self, i: usize) -> bool {
        i > 0 && self.text(i + 1) == "]" && self.is_dimension(i - 1)
    }
}

/// A name, a keyword or a type.
pub fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits OpenCL C; comments and preprocessor lines are left out.
fn tokens(source: &str) -> Vec<Range<usize>> {
    const LONG: [&str; 11] = [
        "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "++", "--",
    ];
    let of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let to = |end: &str, from: usize| {
            let found = rest[from..].find(end).map(|at| from + at + end.len());
            found.unwrap_or(rest.len())
        };
        let line_begins = source[..at].lines().next_back().unwrap_or("").trim() == ""
            || source[..at].ends_with('\n');
        let (length, is_token) = match first {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '#' if line_begins => (preprocessor_line(rest), false),
            _ if rest.starts_with("//") => (to("\n", 0), false),
            _ if rest.starts_with("/*") => (to("*/", 2), false),
            '"' => (to("\"", 1), true),
            c if c.is_ascii_digit() => (rest.find(|c| !of_word(c)).unwrap_or(rest.len()), true),
            c if is_word(&c.to_string()) => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                (end.unwrap_or(rest.len()), true)
            }
            _ if LONG.iter().any(|long| rest.starts_with(long)) => (2, true),
            c => (c.len_utf8(), true),
        };
        if is_token {
            tokens.push(at..at + length);
        }
        at += length;
    }
    tokens
}

/// The length of a `#` line, with the lines that a backslash joins to it.
fn preprocessor_line(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::functions::functions;

    const TEXT: &str = "kernel void first(int n) { n; }\n\
        #define TS 16 // a macro\n\
        kernel __attribute__((reqd_work_group_size(TS, 1, 1)))\n\
        void second(int n, global float *c)\n{\n\
        local float tile[TS]; // [k]\n    #pragma unroll\n    \
        const float a = tile[n + 1];\n    if (n <= 3) c[n] = a;\n}\n";

    fn body_of(name: &str) -> Option<Body<'static>> {
        let mut all = functions(TEXT).into_iter();
        all.find(|one| one.name == name).map(|one| one.body)
    }

    #[test]
    fn a_body_is_that_of_its_function_without_comments_and_directives() {
        let body = body_of("second").expect("is there");
        let words: Vec<&str> = (0..body.len()).map(|i| body.text(i)).collect();
        assert_eq!(
            words.join(" "),
            "local float tile [ TS ] ; const float a = tile [ n + 1 ] ; \
             if ( n <= 3 ) c [ n ] = a ;"
        );
        assert!(body_of("third").is_none());
    }

    #[test]
    fn a_size_is_told_from_a_subscript() {
        let body = body_of("second").expect("is there");
        let brackets = (0..body.len()).filter(|&i| body.text(i) == "[");
        let sizes: Vec<bool> = brackets.map(|i| body.is_dimension(i)).collect();
        assert_eq!(sizes, [true, false, false]);
    }
}
