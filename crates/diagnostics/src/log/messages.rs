//! A build log's lines as messages, in the forms of all compilers.

use std::sync::LazyLock;

use regex_lite::Regex;

/// One error of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says, without its place.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// Where a compiler sees an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Here.
    Told {
        /// The file's name: the compiler's own, for the text that it was given.
        file: String,
        /// From 1.
        line: usize,
        /// Counted in bytes, from 1.
        column: Option<usize>,
    },
    /// At the function of this name: a linker knows no places.
    Function(String),
}

/// Forms of [`FORMS`] that have a place; the others are of what comes after the compiler, and
/// name a function.
const LOCATED: usize = 2;

/// Errors, as they are told. The first form that fits counts.
static FORMS: LazyLock<[Regex; 9]> = LazyLock::new(|| {
    let forms = [
        // PoCL; of a macro it says, too, where in its text
        r"^ERROR: (?<file>.*?):(?<line>\d+):(?<column>\d+)(?: <Spelling=.*?>)?: (?<text>.+)$",
        // Intel, rusticl, NVIDIA, Oclgrind, Apple, AMD, Mali, Adreno: all of them clang, some
        // without a column
        r"^(?<file>.*?):(?<line>\d+):(?:(?<column>\d+):)? ERROR: ?(?<text>.+)$",
        // NVIDIA's assembler
        r"Unresolved extern function '(?<function>\w+)'",
        r"Entry function '(?<function>\w+)' uses too much shared data \(.*\)",
        // PoCL, rusticl, Intel
        r"Cannot find symbol (?<function>\w+) in kernel library",
        r#"Unresolved external reference to "(?<function>\w+)""#,
        r"Symbols not found: \[ (?<function>\w+).*",
        // AMD's and other linkers
        r"undefined (?:hidden )?symbol: (?<function>\w+)",
        r"[Uu]ndefined reference to [`'](?<function>\w+)'",
    ];
    let regex = |form: &str| Regex::new(&form.replace("ERROR", "(?:fatal )?error"));
    forms.map(|form| regex(form).expect("one of the forms above"))
});

/// The errors of a log that say where they are.
pub fn messages(log: &str) -> Vec<Message> {
    let message = |line: &str| {
        // Most lines are of the source, and a regular expression takes its time.
        let mut forms = FORMS.iter().skip(if line.contains("error") { 0 } else { LOCATED });
        let parts = forms.find_map(|form| form.captures(line))?;
        if let Some(name) = parts.name("function") {
            let place = Place::Function(name.as_str().into());
            return Some(Message { text: parts[0].into(), place });
        }
        Some(Message {
            // PoCL's own names for functions of OpenCL C.
            text: parts["text"].trim().replace("'_cl_", "'"),
            place: Place::Told {
                file: parts["file"].to_string(),
                line: parts["line"].parse().ok()?,
                column: parts.name("column").and_then(|at| at.as_str().parse().ok()),
            },
        })
    };
    log.lines().map(str::trim).filter_map(message).collect()
}

/// The function that a linker misses.
pub fn missing_function(text: &str) -> Option<&str> {
    let parts = FORMS[LOCATED..].iter().find_map(|form| form.captures(text))?;
    let is_missing = !parts[0].starts_with("Entry function");
    Some(parts.name("function")?.as_str()).filter(|_| is_missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, file: &str, line: usize, column: Option<usize>) -> Message {
        let (text, file) = (text.into(), file.into());
        let place = Place::Told { file, line, column };
        Message { text, place }
    }

    #[test]
    fn the_forms_of_all_compilers_are_read() {
        for (line, file, column) in [
            ("error: /tmp/1.cl:3:14: no such name: x", "/tmp/1.cl", Some(14)),
            ("1:3:14: error: no such name: x", "1", Some(14)),
            ("<kernel>:3:14: error: no such name: x", "<kernel>", Some(14)),
            ("C:\\a.cl:3:14: fatal error: no such name: x", "C:\\a.cl", Some(14)),
            ("a.cl:3: error: no such name: x", "a.cl", None),
        ] {
            let expected = message("no such name: x", file, 3, column);
            assert_eq!(messages(line), [expected], "{line}");
        }
        let of_a_macro = "error: a:5:12 <Spelling=b:1:26>: call to '_cl_max' is ambiguous";
        let expected = message("call to 'max' is ambiguous", "a", 5, Some(12));
        assert_eq!(messages(of_a_macro), [expected]);
    }

    #[test]
    fn warnings_notes_and_source_lines_are_no_errors() {
        for line in [
            "",
            "1 error generated.",
            "    int y = x;",
            "            ^",
            "a.cl:3:14: warning: unused",
            "a.cl:3:14: note: declared here",
            "error: choose another device",
            "warning: a.cl:3:14: unused",
        ] {
            assert_eq!(messages(line), [], "{line}");
        }
    }

    #[test]
    fn a_linker_names_the_function() {
        for line in [
            "ptxas fatal   : Unresolved extern function 'later'",
            "Cannot find symbol later in kernel library",
            "(file=input,line=0,column=0,index=0): Unresolved external reference to \"later\".",
            "JIT session error: Symbols not found: [ later ]",
            "lld: error: undefined hidden symbol: later",
            "error: Undefined reference to 'later'",
        ] {
            let found = messages(line);
            let place = Place::Function("later".into());
            assert!(found.len() == 1 && found[0].place == place, "{line}: {found:?}");
            assert_eq!(missing_function(line), Some("later"));
        }
        let overfull =
            "ptxas error : Entry function 'f' uses too much shared data (0x9 bytes, 0x8 max)";
        assert_eq!(messages(overfull)[0].place, Place::Function("f".into()));
        assert_eq!(missing_function(overfull), None);
    }
}
