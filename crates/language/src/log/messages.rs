//! A build log's lines as messages, in the forms of all compilers.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

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
    /// At this place; what stands there may come from macros, which are spelt elsewhere,
    /// the outermost first.
    Told { at: Told, spelt: Vec<Told> },
    /// At the function of this name: a linker knows no places.
    Function(String),
}

/// A place in a compiler's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The file's name: the compiler's own, for the text that it was given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Counted in bytes, from 1.
    pub column: Option<usize>,
}

/// Messages with a place. The first form that fits counts.
static FORMS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    let forms = [
        // PoCL; with where a macro's part was spelt
        r"^(?<level>LEVEL): (?<file>.*?):(?<line>\d+):(?<column>\d+)(?: <Spelling=(?<spelt_file>.*?):(?<spelt_line>\d+):(?<spelt_column>\d+)>)?: (?<text>.+)$",
        // AMD's older driver, by EDG's front end: the text may follow in the next lines
        r#"^"(?<file>.*)", line (?<line>\d+): (?<level>LEVEL): ?(?<text>.*)$"#,
        // Intel, rusticl, NVIDIA, Oclgrind, Apple, AMD, Mali, Adreno: all of them clang
        r"^(?<file>.*?):(?<line>\d+):(?<column>\d+): (?<level>LEVEL): ?(?<text>.+)$",
        // Vivante
        r"^(?<file>)\((?<line>\d+):(?<column>\d+):?\) ?: ?(?<level>LEVEL) ?: ?(?<text>.+)$",
        // Without a column
        r"^(?<file>.*?):(?<line>\d+): (?<level>LEVEL): ?(?<text>.+)$",
    ];
    forms.map(|form| regex(&form.replace("LEVEL", LEVELS)))
});
const LEVELS: &str = "fatal error|catastrophic error|error|warning|note";

/// What those say who come after the compiler: a function's name, and no place.
static LATER: LazyLock<[Regex; 7]> = LazyLock::new(|| {
    let forms = [
        // NVIDIA's assembler
        r"(?<text>Unresolved extern function '(?<name>\w+)')",
        r"(?<text>Entry function '(?<name>\w+)' uses too much shared data \(.*\))",
        // PoCL, rusticl, Intel
        r"(?<text>Cannot find symbol (?<name>\w+) in kernel library)",
        r#"(?<text>Unresolved external reference to "(?<name>\w+)")"#,
        r"(?<text>Symbols not found: \[ (?<name>\w+).*)",
        // AMD's and other linkers
        r"(?<text>undefined (?:hidden )?symbol: (?<name>\w+))",
        r"(?<text>[Uu]ndefined reference to [`'](?<name>\w+)')",
    ];
    forms.map(regex)
});

/// The errors of a log that say where they are.
pub fn messages(log: &str) -> Vec<Message> {
    let lines: Vec<&str> = log.lines().collect();
    let mut messages: Vec<(Message, bool)> = Vec::new();
    for (i, line) in lines.iter().map(|line| line.trim()).enumerate() {
        // Most lines are of the source, and a regular expression takes its time.
        let has_level = LEVELS.split('|').any(|level| line.contains(level));
        let mut forms = FORMS.iter().filter(|_| has_level);
        let Some(parts) = forms.find_map(|form| form.captures(line)) else {
            messages.extend(of_function(line).map(|message| (message, true)));
            continue;
        };
        // clang's note under an error in what a macro stands for.
        if &parts["level"] == "note" && parts["text"].starts_with("expanded from macro") {
            if let Some((message, _)) = messages.last_mut()
                && let Place::Told { spelt, .. } = &mut message.place
            {
                spelt.extend(told(&parts, ""));
            }
            continue;
        }
        let mut text = parts["text"].to_string();
        if line.starts_with('"') {
            text.push_str(&continued(&lines[i + 1..]));
        }
        messages.extend(located(&parts, &text).map(|one| (one, parts["level"].ends_with("error"))));
    }
    let errors = messages.into_iter().filter(|(_, is_error)| *is_error);
    errors.map(|(message, _)| message).collect()
}

/// The function that a linker misses.
pub fn missing_function(text: &str) -> Option<&str> {
    let parts = later(text).filter(|parts| !parts["text"].starts_with("Entry function"))?;
    parts.name("name").map(|name| name.as_str())
}

fn later(line: &str) -> Option<Captures<'_>> {
    LATER.iter().find_map(|form| form.captures(line))
}

fn regex(form: &str) -> Regex {
    Regex::new(form).expect("one of the forms above")
}

fn of_function(line: &str) -> Option<Message> {
    let parts = later(line)?;
    Some(Message {
        text: parts["text"].to_string(),
        place: Place::Function(parts["name"].to_string()),
    })
}

fn located(parts: &Captures, text: &str) -> Option<Message> {
    Some(Message {
        // PoCL's own names for functions of OpenCL C.
        text: text.trim().replace("'_cl_", "'"),
        place: Place::Told {
            at: told(parts, "")?,
            spelt: told(parts, "spelt_").into_iter().collect(),
        },
    })
}

/// The place in the groups whose names begin like this.
fn told(parts: &Captures, prefix: &str) -> Option<Told> {
    let part = |name: &str| Some(parts.name(&format!("{prefix}{name}"))?.as_str());
    Some(Told {
        file: part("file")?.to_string(),
        line: part("line")?.parse().ok()?,
        column: part("column").and_then(|column| column.parse().ok()),
    })
}

/// EDG breaks a long message, and moves what follows in by ten columns. Below it stand
/// the line of the source, and a caret.
fn continued(lines: &[&str]) -> String {
    let is_source = |i: usize| lines.get(i + 1).is_some_and(|next| next.trim() == "^");
    let moved_in = |i: &usize| lines[*i].starts_with("          ") && !is_source(*i);
    let more = (0..lines.len()).take_while(moved_in);
    more.map(|i| format!(" {}", lines[i].trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str, line: usize, column: Option<usize>) -> Told {
        let file = file.to_string();
        Told { file, line, column }
    }

    fn message(text: &str, at: Told, spelt: Vec<Told>) -> Message {
        let place = Place::Told { at, spelt };
        Message {
            text: text.into(),
            place,
        }
    }

    #[test]
    fn the_forms_of_all_compilers_are_read() {
        let text = "no such name: x";
        for (line, place) in [
            (
                "error: /tmp/tempfile_1.cl:3:14: no such name: x",
                at("/tmp/tempfile_1.cl", 3, Some(14)),
            ),
            ("1:3:14: error: no such name: x", at("1", 3, Some(14))),
            (
                "<kernel>:3:14: error: no such name: x",
                at("<kernel>", 3, Some(14)),
            ),
            (
                "C:\\a.cl:3:14: fatal error: no such name: x",
                at("C:\\a.cl", 3, Some(14)),
            ),
            ("(3:14) : error : no such name: x", at("", 3, Some(14))),
            ("(3:14:) : error : no such name: x", at("", 3, Some(14))),
            ("a.cl:3: error: no such name: x", at("a.cl", 3, None)),
            (
                "\"a.cl\", line 3: error: no such name: x",
                at("a.cl", 3, None),
            ),
            (
                "\"a.cl\", line 3: catastrophic error: no such name: x",
                at("a.cl", 3, None),
            ),
            (
                "\"a.cl\", line 3: error:\r\n          no such name:\n          x\n            x;\n  ^",
                at("a.cl", 3, None),
            ),
        ] {
            assert_eq!(messages(line), [message(text, place, vec![])], "{line}");
        }
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
    fn a_macros_part_is_spelt_elsewhere() {
        let here = || at("1", 5, Some(12));
        let spelt = || vec![at("1", 2, Some(23)), at("1", 1, Some(26))];
        let log = "1:5:12: error: odd\n  x\n1:2:23: note: expanded from macro 'B'\n  x\n\
                   1:1:26: note: expanded from macro 'A'\n1:7:1: note: declared here\n";
        assert_eq!(messages(log), [message("odd", here(), spelt())]);
        let log = "error: a:5:12 <Spelling=b:1:26>: call to '_cl_max' is ambiguous";
        let message = message(
            "call to 'max' is ambiguous",
            at("a", 5, Some(12)),
            vec![at("b", 1, Some(26))],
        );
        assert_eq!(messages(log), [message]);
        // A warning's notes are not those of the error above it.
        let log = "1:5:12: error: odd\n1:9:9: warning: odd\n1:1:26: note: expanded from macro 'A'";
        let found = messages(log);
        assert_eq!(found, [self::message("odd", here(), vec![])]);
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
            assert!(
                found.len() == 1 && found[0].place == place,
                "{line}: {found:?}"
            );
            assert_eq!(missing_function(line), Some("later"));
        }
        let overfull =
            "ptxas error : Entry function 'f' uses too much shared data (0x9 bytes, 0x8 max)";
        assert_eq!(messages(overfull)[0].place, Place::Function("f".into()));
        assert_eq!(missing_function(overfull), None);
    }
}
