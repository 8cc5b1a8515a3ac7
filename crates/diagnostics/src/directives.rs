//! The preprocessor lines of a kernel file: its macros, and the files that it includes.

/// The word and the rest of a preprocessor line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric());
    let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
    Some((word, rest.trim()))
}

/// Names of the macros, and what each stands for: nothing, where it takes arguments.
pub fn macros(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (_, rest) = directive(line).filter(|(word, _)| *word == "define")?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (name, value) = rest.split_at(end.unwrap_or(rest.len()));
        let takes_arguments = value.starts_with('(');
        Some((name, if takes_arguments { "" } else { value.trim() }))
    })
}

/// The files that are included: number of the line, from 1, and the name.
pub fn includes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let (_, rest) = directive(line).filter(|(word, _)| *word == "include")?;
        Some((number, rest.split(['"', '<', '>']).nth(1)?))
    })
}

/// What a kernel file has a compiler read besides itself, however that is spelt: a file's name, or
/// the words of which only a compiler knows what they name.
pub fn reads(text: &str) -> Vec<Result<String, String>> {
    // What compilers take for a line's end, a space, a backslash, or the sign of a directive.
    let spellings = "\r\n=\n|\r=\n|\0= |\u{feff}= |??/=\\|??==@|%:=@|#=@".split('|');
    let spellings = spellings.filter_map(|one| one.rsplit_once('='));
    let plain = spellings.fold(text.to_string(), |text, (spelt, is)| text.replace(spelt, is));
    let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let joined = lines.join("\n").replace("\\\n", "");
    let tokens = crate::tokens::Tokens::of(&joined);
    let read = |at: usize| {
        let (word, next) = (tokens.text(at), tokens.text(at + 1));
        if ["asm", "__asm", "__asm__"].contains(&word) {
            return Some(Err("asm, which can include files".into()));
        }
        if (word, next) == ("@", "@") {
            return Some(Err("##, which can spell asm".into()));
        }
        if ["__has_include", "__has_include_next", "__has_embed"].contains(&word) {
            return Some(Err(format!("{word}, which tells what lies elsewhere")));
        }
        let names = ["include", "import", "embed"].map(|one| word.contains(one));
        if !names.contains(&true) || tokens.text(at.wrapping_sub(1)) != "@" {
            return None;
        }
        let name = match next.strip_prefix('"') {
            Some(name) => name.strip_suffix('"'),
            // What looks like a comment here is none to a compiler.
            None if next == "<" => {
                let line = joined[tokens.byte(at + 1) + 1..].lines().next();
                let name = line.and_then(|line| line.split_once('>'));
                name.map(|(name, _)| name).filter(|name| !name.contains("/*"))
            }
            None => None,
        };
        Some(name.map(String::from).ok_or(format!("#{word} {next}")))
    };
    tokens.all().filter_map(read).collect()
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
    fn what_is_read_is_found_in_every_spelling() {
        for text in [
            "#include \"a\"\n",
            " \t# /* x */ include /*\n*/ \"a\" // b",
            "int x; // c\r#import <a>\r\n",
            "#inc\\ \nlude \"a\"",
            "??=include \"a\"",
            "%: incl??/\r\nude \"a\"",
            "\u{feff}#include_next \"a\"",
            "char c = '\"'; /* \"\n*/\n#embed \"a\"",
            "#define S \"\\\"/*\"\n\0#__include_macros \"a\"\n// */",
        ] {
            assert_eq!(reads(text), [Ok("a".to_string())], "{text:?}");
        }
        for text in [
            "#define N \"a\"\n#include N",
            "#include <a/*\n#include \"b\"\n*/",
            "#include",
            "#define A asm\nA(\".incbin\")",
            "#define C(a, b) a##b\nC(__as, m__)(\"syscall\");",
            "#define C(a, b) a%:%:b\n",
            "#if __has_include(\"/etc/shadow\")\n#endif",
        ] {
            assert!(matches!(reads(text)[..], [Err(_)]), "{text:?}");
        }
        for text in [
            "// #include \"a\"",
            "/* \n#include \"a\"\n*/",
            "a / b; printf(\"#include\\n\");",
            "int plasma, include; /",
        ] {
            assert!(reads(text).is_empty(), "{text:?}");
        }
        let whole = "#include \"\u{fc}\" // '\n/* # */ '\\'' / \"b\\\"\\\n\"\n";
        damage::must_be_survived(whole.as_bytes(), |bytes| {
            reads(&String::from_utf8_lossy(bytes));
        });
    }
}
