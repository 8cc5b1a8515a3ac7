//! OpenCL C, or a part of it, as tokens: words, numbers and punctuation, each with its
//! place in the file. Comments and preprocessor lines are left out.

use std::ops::Range;

/// The tokens of a file, or of one function's body.
pub struct Tokens<'a> {
    source: &'a str,
    tokens: Vec<Range<usize>>,
}

impl<'a> Tokens<'a> {
    /// Splits a whole file.
    pub fn of(source: &'a str) -> Tokens<'a> {
        Tokens {
            source,
            tokens: tokens(source),
        }
    }

    /// What stands between the bracket at `open` and the one that closes it.
    pub fn inside(&self, open: usize) -> Option<Tokens<'a>> {
        Some(self.part(open + 1..self.matching(open)?))
    }

    /// Some of the tokens.
    pub fn part(&self, tokens: Range<usize>) -> Tokens<'a> {
        Tokens {
            source: self.source,
            tokens: self.tokens.get(tokens).unwrap_or_default().to_vec(),
        }
    }

    /// The places of all tokens.
    pub fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    /// A token's text; empty beyond either end, also where an index wrapped.
    pub fn text(&self, i: usize) -> &'a str {
        let range = self.tokens.get(i).cloned();
        range.map_or("", |range| &self.source[range])
    }

    /// The byte of the file at which a token begins.
    pub fn byte(&self, i: usize) -> usize {
        self.tokens[i].start
    }

    /// The bytes of the file from one token up to and including another.
    pub fn span(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end
    }

    /// The token that closes the bracket at `open`.
    pub fn matching(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..self.tokens.len()).find(|&i| {
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
        let end = self.end(i..self.tokens.len(), 1, ends);
        end.unwrap_or(self.tokens.len())
    }

    /// The same backwards: the first token after such an end.
    pub fn begin_of(&self, i: usize, ends: &[&str]) -> usize {
        let end = self.end((0..i).rev(), -1, ends);
        end.map_or(0, |end| end + 1)
    }

    fn end(&self, mut way: impl Iterator<Item = usize>, sign: i32, ends: &[&str]) -> Option<usize> {
        let mut depth = 0;
        way.find(|&i| {
            let deeper = sign * self.deeper(i);
            let ends_here = depth == 0 && (ends.contains(&self.text(i)) || deeper < 0);
            depth += deeper;
            ends_here
        })
    }
}

/// A name, a keyword or a type.
pub fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

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
        let line = source[..at].rsplit('\n').next().unwrap_or_default();
        let (length, is_token) = match first {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '#' if line.trim().is_empty() => (preprocessor_line(rest), false),
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
