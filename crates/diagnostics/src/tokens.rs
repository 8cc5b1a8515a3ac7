//! OpenCL C, or a part of it, as tokens: words, numbers and punctuation, each with its
//! place in the file. Comments and preprocessor lines are left out.

use std::ops::Range;

/// The tokens of a file, or of one function's body.
pub struct Tokens<'a> {
    source: &'a str,
    tokens: Vec<Token>,
}

#[derive(Clone)]
struct Token {
    bytes: Range<usize>,
    /// Of a bracket: the tokens from it to the one that closes it; else 0.
    closes_after: usize,
}

impl<'a> Tokens<'a> {
    /// Splits a whole file.
    pub fn of(source: &'a str) -> Tokens<'a> {
        Tokens { source, tokens: tokens(source) }
    }

    /// Some of the tokens.
    pub fn part(&self, tokens: Range<usize>) -> Tokens<'a> {
        Tokens { source: self.source, tokens: self.tokens.get(tokens).unwrap_or_default().to_vec() }
    }

    /// The places of all tokens.
    pub fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    /// A token's text; empty beyond either end, also where an index wrapped.
    pub fn text(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |token| &self.source[token.bytes.clone()])
    }

    /// The byte of the file at which a token begins.
    pub fn byte(&self, i: usize) -> usize {
        self.tokens[i].bytes.start
    }

    /// The bytes of the file from one token up to and including another.
    pub fn span(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].bytes.start..self.tokens[tokens.end - 1].bytes.end
    }

    /// The token that closes the bracket at `open`.
    pub fn matching(&self, open: usize) -> Option<usize> {
        let close = open + self.tokens.get(open)?.closes_after;
        (close > open && close < self.tokens.len()).then_some(close)
    }

    /// The first token from `i` on that is one of these, or closes the brackets
    /// around `i`; tokens inside further brackets do not count.
    pub fn end_of(&self, i: usize, ends: &[&str]) -> usize {
        self.end(i..self.tokens.len(), 1, ends).unwrap_or(self.tokens.len())
    }

    /// The same backwards: the first token after such an end.
    pub fn begin_of(&self, i: usize, ends: &[&str]) -> usize {
        self.end((0..i).rev(), -1, ends).map_or(0, |end| end + 1)
    }

    fn end(&self, mut way: impl Iterator<Item = usize>, sign: i32, ends: &[&str]) -> Option<usize> {
        let mut depth = 0;
        way.find(|&i| {
            let deeper = match self.text(i) {
                "(" | "[" | "{" => sign,
                ")" | "]" | "}" => -sign,
                _ => 0,
            };
            let ends_here = depth == 0 && (ends.contains(&self.text(i)) || deeper < 0);
            depth += deeper;
            ends_here
        })
    }
}

/// A name, a keyword or a type.
pub fn is_word(text: &str) -> bool {
    text.starts_with(begins_word)
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn tokens(source: &str) -> Vec<Token> {
    const LONG: [&str; 11] = ["<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "++", "--"];
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::<Token>::new();
    // The brackets that are open, and whether nothing but spaces came before in this line.
    let (mut open, mut begins_line) = (Vec::new(), true);
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let to = |end: &str, from: usize| {
            let found = rest[from..].find(end);
            found.map_or(rest.len(), |found| from + found + end.len())
        };
        let of_number = |c| of_word(c) || c == '.';
        let (length, is_token) = match first {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '#' if begins_line => {
                // With the lines that a backslash joins to it.
                let mut goes_on = true;
                let lines = rest.split_inclusive('\n').take_while(|line| {
                    std::mem::replace(&mut goes_on, line.trim_end().ends_with('\\'))
                });
                (lines.map(str::len).sum(), false)
            }
            _ if rest.starts_with("//") => (to("\n", 0), false),
            _ if rest.starts_with("/*") => (to("*/", 2), false),
            '"' | '\'' => (literal(rest), true),
            c if c.is_ascii_digit() => (rest.find(|c| !of_number(c)).unwrap_or(rest.len()), true),
            c if begins_word(c) => (rest.find(|c| !of_word(c)).unwrap_or(rest.len()), true),
            _ if LONG.iter().any(|long| rest.starts_with(long)) => (2, true),
            c => (c.len_utf8(), true),
        };
        if is_token {
            match first {
                '(' | '[' | '{' => open.push(tokens.len()),
                ')' | ']' | '}' => {
                    if let Some(begin) = open.pop() {
                        tokens[begin].closes_after = tokens.len() - begin;
                    }
                }
                _ => {}
            }
            tokens.push(Token { bytes: at..at + length, closes_after: 0 });
        }
        let passed = rest[..length].rsplit_once('\n');
        let (is_new, passed) =
            passed.map_or((begins_line, &rest[..length]), |(_, line)| (true, line));
        begins_line = is_new && passed.trim().is_empty();
        at += length;
    }
    tokens
}

/// The length of a literal: a sign behind a backslash does not close it, a line's end does.
fn literal(rest: &str) -> usize {
    let quote = rest.chars().next();
    let mut is_escaped = false;
    let mut inside = rest.char_indices().skip(1);
    let end = inside.find(|(_, c)| {
        let ends = *c == '\n' || Some(*c) == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::{functions, kernels};

    #[test]
    fn a_line_of_a_megabyte_takes_no_longer_than_many_short_ones() {
        let calls = format!("kernel void f() {{ {} }}", "g(1, x[2]); ".repeat(90_000));
        let open = format!("kernel void f() {{ {}", "g(x[".repeat(250_000));
        let kernels_alone = "kernel ".repeat(150_000);
        let begin = std::time::Instant::now();
        for (text, names) in [(&calls, &["f"][..]), (&open, &["f"]), (&kernels_alone, &[])] {
            assert_eq!(kernels(text), names);
            assert!(functions(text).len() < 2);
        }
        let seconds = begin.elapsed().as_secs_f64();
        assert!(seconds < 40.0, "{seconds} s");
    }

    #[test]
    fn a_directive_begins_its_line() {
        let text = "#define A\n  # define B\na /* \n */ # b\n/**/\n#if 1 \\\n c\n\"\\\"\" d";
        let file = Tokens::of(text);
        let words: Vec<&str> = file.all().map(|i| file.text(i)).collect();
        assert_eq!(words, ["a", "#", "b", r#""\"""#, "d"]);
    }
}
