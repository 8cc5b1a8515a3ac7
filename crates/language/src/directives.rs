//! The preprocessor lines of a kernel file: its macros, the files that it includes, and
//! the lines that it numbers anew.

/// The word and the rest of a preprocessor line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric());
    let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
    Some((word, rest.trim()))
}

/// Names of the macros, and what each stands for: nothing, where it takes arguments.
pub fn macros(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let directives = text.lines().filter_map(directive);
    directives
        .filter(|(word, _)| *word == "define")
        .map(|(_, rest)| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let (name, value) = rest.split_at(end.unwrap_or(rest.len()));
            let takes_arguments = value.starts_with('(');
            (name, if takes_arguments { "" } else { value.trim() })
        })
}

/// The files that are included: number of the line, from 1, and the name.
pub fn includes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(i, line)| {
        let (_, rest) = directive(line).filter(|(word, _)| *word == "include")?;
        Some((i + 1, between_quotes(rest)?))
    })
}

/// What a compiler calls each line: the file's name, where a `#line` above gave one, and
/// the number.
pub fn numbering(text: &str) -> Vec<(Option<&str>, usize)> {
    let (mut file, mut next) = (None, 1_usize);
    let number = |line| {
        let told = (file, next);
        next = next.saturating_add(1);
        if let Some((number, name)) = directive(line).and_then(renumbered) {
            next = number;
            file = name.or(file);
        }
        told
    };
    text.lines().map(number).collect()
}

/// `#line 7 "file"`, or `# 7 "file"` as a preprocessor writes it.
fn renumbered<'a>((word, rest): (&'a str, &'a str)) -> Option<(usize, Option<&'a str>)> {
    let number = match word {
        "line" => rest.split_whitespace().next()?,
        number => number,
    };
    Some((number.parse().ok()?, between_quotes(rest)))
}

fn between_quotes(text: &str) -> Option<&str> {
    text.split(['"', '<', '>']).nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_come_with_what_they_stand_for() {
        let text = "#define A\n  # define  B_1   unsigned int \n#define C(x) (x)\n#undef D\n// #define E\n";
        let macros: Vec<_> = macros(text).collect();
        assert_eq!(macros, [("A", ""), ("B_1", "unsigned int"), ("C", "")]);
    }

    #[test]
    fn included_files_come_with_their_lines() {
        let text = "#include \"a/b.cl\"\n#if 1\n#  include <stdio.h> // why\n#include NAME\n";
        let files: Vec<_> = includes(text).collect();
        assert_eq!(files, [(1, "a/b.cl"), (3, "stdio.h")]);
    }

    #[test]
    fn lines_are_called_as_the_line_before_says() {
        let text = "one\n#line 500 \"other.cl\"\ntwo\n#line 7\nthree\n# 0 \"x.cl\"\nfour\n#pragma unroll\n#if 1\n";
        let other = Some("other.cl");
        let x = Some("x.cl");
        let told = [
            (None, 1),
            (None, 2),
            (other, 500),
            (other, 501),
            (other, 7),
            (other, 8),
            (x, 0),
            (x, 1),
            (x, 2),
        ];
        assert_eq!(numbering(text), told);
    }
}
