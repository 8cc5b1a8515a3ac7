//! What a compiler's message means, in plain words, and what to change.
//!
//! The compilers of PoCL, Oclgrind, rusticl, Intel and NVIDIA all descend from
//! clang, so a table of parts of its messages serves them all; AMD's older one has words
//! of its own. What is in doubt is not explained: the message stands alone.

mod known;

use self::known::{CALLS, KNOWN, OF_FLOATS};
use super::{messages, names};
use crate::source::declared::visible;
use crate::source::functions::functions;
use crate::source::tokens::{Tokens, is_word};
use crate::source::types::is_known;

/// A message, and the file that it is about.
pub struct Case<'a> {
    /// What the compiler says.
    pub message: &'a str,
    /// The file's text.
    pub text: &'a str,
    /// The byte of the text, where the message tells its place.
    pub at: Option<usize>,
    /// The byte where the macro is used, where the place is in what it stands for.
    pub used: Option<usize>,
}

const PARTS_OF_FOR: &str =
    "the three parts of a for are separated by semicolons: for (int i = 0; i < n; i++)";

/// The first name in quotes.
pub fn quoted(message: &str) -> Option<&str> {
    message
        .split(['\'', '"'])
        .nth(1)
        .filter(|name| !name.is_empty())
}

impl Case<'_> {
    /// What the message means; `None` where that is in doubt.
    pub fn explain(&self) -> Option<String> {
        let message = self.message;
        let is_one_of = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
        if let Some(name) = messages::missing_function(message) {
            return self.undeclared(&name, true);
        }
        if is_one_of(&[
            "use of undeclared identifier",
            "unknown type name",
            "implicit declaration of function",
            "\" is undefined",
        ]) {
            return self.undeclared(quoted(message)?, message.contains("function"));
        }
        if is_one_of(&[
            "arguments to function call",
            "no matching function for call",
            "no instance of overloaded function",
        ]) {
            return Some(self.call());
        }
        if is_one_of(&[
            "is ambiguous",
            "more than one instance of overloaded function",
        ]) {
            return ambiguous(quoted(message)?).map(String::from);
        }
        if is_one_of(&[
            "file not found",
            "cannot open source file",
            "could not open source file",
        ]) {
            return Some(self.not_found()?.into());
        }
        if message.contains("too much shared data") {
            return too_much_local(message);
        }
        if is_one_of(&[
            "expected expression",
            "expected ';'",
            "expected ')'",
            "expected ']'",
            "expected a \"",
            "expected an expression",
        ]) {
            return self.expected().map(String::from);
        }
        if message.contains("redefinition of") && self.statement().starts_with("for") {
            return Some(PARTS_OF_FOR.into());
        }
        let known = KNOWN
            .iter()
            .find(|known| known.0.iter().all(|part| message.contains(part)));
        known.map(|known| known.1.to_string())
    }

    /// A name that the compiler has not met.
    fn undeclared(&self, name: &str, is_function: bool) -> Option<String> {
        if let Some(words) = names::elsewhere(name) {
            return Some(words.into());
        }
        // Some compilers ask by themselves.
        if self.message.contains("did you mean") {
            return None;
        }
        let end = self.used.or(self.at).unwrap_or(self.text.len());
        let visible = visible(self.text, end);
        let next = self.word_behind(name);
        let is_function = is_function || next == "(";
        let is_below = |one: &&str| *one == name && !visible.contains(name);
        let functions = functions(self.text);
        if functions
            .iter()
            .map(|one| one.name)
            .any(|one| is_below(&one))
        {
            return Some(format!(
                "{name} is written further down: a function must stand above its first call, or at least its first line, with a semicolon"
            ));
        }
        if visible.contains(name) {
            // A declaration that has an error of its own; or a function's first line.
            return is_function.then(|| format!("{name} is declared, and its body is not in this file, in which all must be that the kernel calls"));
        }
        if let Some(near) = names::nearest(name, &visible, is_function) {
            return Some(format!("did you mean {near}?"));
        }
        let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let words = if name.len() > 1 && name.chars().all(is_macro) {
            "no macro of this name is defined: write #define {} and its value above, or see which macros the lesson gives this kernel"
        } else if is_function {
            "no function {} is declared above this line; OpenCL C has functions of its own, and no C library"
        } else if is_word(next) {
            "no type {} is declared above this line"
        } else {
            "nothing called {} is declared above this line: give it a type where it is first used"
        };
        let words = words.replace("{}", name);
        let of_macro = "the line that uses the macro";
        Some(match self.used {
            Some(_) => words.replace("this line", of_macro),
            None => words,
        })
    }

    /// The beginning of the statement in which the place is.
    fn statement(&self) -> &str {
        let before = self.at.and_then(|at| self.text.get(..at)).unwrap_or("");
        let begin = before.rfind([';', '{', '}']).map_or(0, |end| end + 1);
        before[begin..].trim_start()
    }

    /// What stands behind the name, at the message's place or else where it first stands.
    fn word_behind(&self, name: &str) -> &str {
        let file = Tokens::of(self.text);
        let named = |i: &usize| file.text(*i) == name;
        let here = |i: &usize| self.at.is_none_or(|at| file.byte(*i) >= at);
        let i = file.all().filter(named).find(here);
        i.map_or("", |i| file.text(i + 1))
    }

    /// A call with the wrong arguments.
    fn call(&self) -> String {
        let named = if self.message.contains("function for call to")
            || self.message.contains("overloaded function")
        {
            quoted(self.message)
        } else {
            self.at.and_then(|at| callee(self.text, at))
        };
        let known = CALLS.iter().find(|(name, _)| Some(*name) == named);
        match (known, named) {
            (Some((_, words)), _) => words.to_string(),
            (None, Some(name)) => format!(
                "compare the call with {name}'s own arguments: their number, and their types (1 is an int, 1.0f is a float)"
            ),
            (None, None) => "compare the call with the function's own arguments".into(),
        }
    }

    /// A file that is included, and is not there.
    fn not_found(&self) -> Option<&'static str> {
        let name = quoted(self.message)?;
        Some(if self.text.contains(&format!("\"{name}\"")) {
            "this file was not found: a compiler looks for it from the folder in which the \
             program was started, not from that of the kernel file. Name it from there, or copy \
             its text into the kernel file"
        } else {
            "a kernel has no C library and needs no #include: the functions of OpenCL C are \
             there without one"
        })
    }

    /// A sign or a value that is missing; nothing where something else may be wrong.
    fn expected(&self) -> Option<&'static str> {
        let at = self.at?;
        let (before, behind) = (self.text.get(..at)?, self.text.get(at..)?);
        let is = |sign: char| {
            let (clang, edg) = (
                format!("expected '{sign}'"),
                format!("expected a \"{sign}\""),
            );
            self.message.contains(&clang) || self.message.contains(&edg)
        };
        // The statement around the place.
        let ends = [';', '{', '}'];
        let begin = before.rfind(ends).map_or(0, |end| end + 1);
        let end = behind.find(ends).unwrap_or(behind.len());
        let statement = &self.text[begin..at + end];
        let is_open =
            |open, close| statement.matches(open).count() > statement.matches(close).count();
        let line = behind.lines().next().unwrap_or("").trim();
        let ends_line = line.is_empty() || line.starts_with("//");
        let begins_line = before
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.trim().is_empty());
        if self.message.contains("expression") && !is(';') {
            return a_value(behind);
        }
        if self.message.contains("in 'for' statement") {
            return Some(PARTS_OF_FOR);
        }
        if is(';') && (ends_line || begins_line) {
            return Some("a statement ends with a semicolon, and one is missing before this place");
        }
        if is(')') && is_open('(', ')') {
            return Some("a ( is not closed before this place");
        }
        (is(']') && is_open('[', ']')).then_some("a [ is not closed before this place")
    }
}

/// What stands in a value's place.
fn a_value(behind: &str) -> Option<&'static str> {
    let tokens = Tokens::of(behind.lines().next().unwrap_or(""));
    let ty = tokens.text(0);
    if !is_known(ty) || tokens.text(1) != "(" {
        return None;
    }
    Some(if ty.ends_with(|c: char| c.is_ascii_digit()) {
        "the type of a vector literal stands in parentheses: (float4)(1.0f, 2.0f, 3.0f, 4.0f)"
    } else {
        "the type to convert to stands in parentheses: (float)x"
    })
}

/// A function that exists for several types, of which none is the one that is given.
fn ambiguous(name: &str) -> Option<&'static str> {
    Some(match name {
        "mul24" | "mad24" => {
            "mul24 and mad24 take int or uint, all arguments the same; get_group_id() and the \
             like return a size_t: convert with (int)get_group_id(0)"
        }
        "min" | "max" | "clamp" => {
            "all arguments must have the same type: 1 is an int, 1.0f is a float"
        }
        "abs" => "abs takes an integer; of a float it is fabs",
        _ if name.starts_with("atom") => {
            "the atomic functions of OpenCL C 1.2 work on int and uint, atomic_xchg on float too"
        }
        _ if OF_FLOATS.contains(&format!(" {name} ")) => {
            "this function takes floats: write 2.0f and not 2, or convert with (float)x"
        }
        _ => return None,
    })
}

/// NVIDIA's assembler counts a group's local memory in hexadecimal bytes.
fn too_much_local(message: &str) -> Option<String> {
    let mut numbers = message.split("0x").skip(1).filter_map(|hexadecimal| {
        let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit())?;
        u64::from_str_radix(&hexadecimal[..end], 16).ok()
    });
    let (used, limit) = (numbers.next()?, numbers.last()?);
    Some(format!(
        "its local arrays take {} bytes in each group, and this device has {}: declare smaller ones, such as a smaller tile",
        used, limit
    ))
}

/// The function whose argument list surrounds byte `at`.
fn callee(source: &str, at: usize) -> Option<&str> {
    let mut open = 1;
    let before = source.get(..at)?;
    let (parenthesis, _) = before.char_indices().rev().find(|(_, c)| {
        match c {
            ')' => open += 1,
            '(' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = before[..parenthesis].trim_end().rsplit(|c| !is_word(c));
    words.next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(message: &str, text: &str, at: Option<usize>) -> Option<String> {
        let case = Case {
            message,
            text,
            at,
            used: None,
        };
        case.explain()
    }

    #[test]
    fn the_callee_is_the_function_around_the_place() {
        let source = "x = mad(f(a, b), get_local_id());";
        let at = source.find("());").map(|at| at + 1);
        assert_eq!(callee(source, at.unwrap()), Some("get_local_id"));
        assert_eq!(callee(source, source.find("get").unwrap()), Some("mad"));
        assert_eq!(callee(source, 3), None);
        assert_eq!(callee(source, 9999), None);
        assert_eq!(callee("√fma_2 (x", 10), Some("fma_2"));
        assert_eq!(callee("(x", 1), None);
    }

    #[test]
    fn an_undeclared_name_is_explained_by_what_it_was_meant_to_be() {
        let source = "float sum = 1.0f; sqtr(x);";
        for (message, words) in [
            ("use of undeclared identifier 'smu'", "did you mean sum?"),
            (
                "implicit declaration of function 'sqtr'",
                "did you mean sqrt?",
            ),
            ("unknown type name 'flaot'", "did you mean float?"),
            (
                "use of undeclared identifier '__ldg'",
                "OpenCL C has no __ldg: read the element itself",
            ),
            (
                "use of undeclared identifier 'WIDE_OF_2'",
                "no macro of this name is defined: write #define WIDE_OF_2 and its value above, \
                 or see which macros the lesson gives this kernel",
            ),
            (
                "identifier \"C\" is undefined",
                "nothing called C is declared above this line: give it a type where it is first \
                 used",
            ),
            (
                "use of undeclared identifier 'anywhere'",
                "nothing called anywhere is declared above this line: give it a type where it is \
                 first used",
            ),
        ] {
            assert_eq!(explain(message, source, Some(17)).as_deref(), Some(words));
        }
        for message in [
            "use of undeclared identifier 'smu'; did you mean 'sum'?",
            "use of undeclared identifier ''",
            "use of undeclared identifier 'sum'",
            "call to 'mine' is ambiguous",
            "use of undeclared identifier",
            "something else",
        ] {
            assert_eq!(explain(message, source, Some(17)), None, "{message}");
        }
    }

    #[test]
    fn an_undeclared_name_that_is_called_is_a_function() {
        let message = "use of undeclared identifier 'somewhere'";
        let called = explain(message, "x = somewhere (1);", Some(4)).unwrap();
        assert!(
            called.starts_with("no function somewhere is declared"),
            "{called}"
        );
        let read = explain(message, "x = somewhere; (1)", Some(4)).unwrap();
        assert!(read.starts_with("nothing called somewhere is"), "{read}");
    }

    #[test]
    fn a_call_with_wrong_arguments_is_explained() {
        let source = "a = dot(1); b = mine(2); c = 3;";
        let few = "too few arguments to function call, expected 2, have 1";
        let none = "no matching function for call to 'barrier'";
        let dot = "dot(a, b) takes two float vectors of up to four parts";
        let at = |part: &str| source.find(part).unwrap();
        assert_eq!(explain(few, source, Some(at("1"))).as_deref(), Some(dot));
        let mine = explain(few, source, Some(at("2"))).unwrap();
        assert!(
            mine.starts_with("compare the call with mine's own"),
            "{mine}"
        );
        let unknown = explain(few, source, Some(at("3"))).unwrap();
        assert_eq!(
            unknown,
            "compare the call with the function's own arguments"
        );
        let barrier = explain(none, source, Some(at("1"))).unwrap();
        assert!(barrier.starts_with("barrier takes the memory"), "{barrier}");
    }

    #[test]
    fn no_pattern_hides_behind_an_earlier_one() {
        for (i, known) in KNOWN.iter().enumerate() {
            let message = known.0.join(" ");
            let found = explain(&message, "", None);
            assert_eq!(found.as_deref(), Some(known.1), "pattern {i}: {message}");
        }
    }

    #[test]
    fn a_function_is_missed_for_one_of_several_reasons() {
        let text = "float first(float x);\nkernel void f() { first(1); second(2); third(3); }\n\
                    float second(float x) { return x; }\n";
        let at = text.find("third");
        for (name, words) in [
            (
                "first",
                "first is declared, and its body is not in this file",
            ),
            ("second", "second is written further down"),
            ("third", "no function third is declared above"),
        ] {
            let message = format!("ptxas fatal   : Unresolved extern function '{name}'");
            let told = explain(&message, text, at).unwrap();
            assert!(told.starts_with(words), "{told}");
        }
        let type_ = explain("use of undeclared identifier 'real4'", "real4 v;", Some(0));
        assert_eq!(
            type_.as_deref(),
            Some("no type real4 is declared above this line")
        );
    }

    #[test]
    fn a_sign_is_missing_only_where_nothing_else_can_be() {
        let said = |sign: &str, text: &str| {
            let (before, behind) = text.split_once('@').unwrap();
            explain(sign, &format!("{before}{behind}"), Some(before.len()))
        };
        for (sign, text, is_told) in [
            ("expected ';' after", "x = 1@\n y", true),
            ("expected ';' after", "x = 1@ // one", true),
            ("expected a \";\"", "x = 1\n  @y = 2", true),
            ("expected ';' after", "float @x 1;", false),
            ("expected ')'", "{ f(g(1) @; }", true),
            ("expected ')'", "{ f(1 @2); (", false),
            ("expected a \")\"", "; f(1 @", true),
            ("expected ']'", "A[1@; (", true),
            ("expected ']'", "A[1 @2]; [", false),
            ("expected expression", "x = @float4(1);", true),
            ("expected expression", "x = @float(1);", true),
            ("expected expression", "x = @float;", false),
            ("expected expression", "x = @* 2;", false),
        ] {
            assert_eq!(said(sign, text).is_some(), is_told, "{sign} in {text}");
        }
        assert_eq!(explain("expected ';'", "x", None), None);
        let both = [
            said("expected expression", "@float4(1)"),
            said("expected expression", "@int(1)"),
        ];
        assert!(both[0].as_ref().unwrap().contains("literal"));
        assert!(both[1].as_ref().unwrap().contains("convert"));
        let of_for = said(
            "expected ';' in 'for' statement specifier",
            "for (int i = 0@, i < n)",
        );
        assert!(of_for.unwrap().contains("separated by semicolons"));
    }

    #[test]
    fn a_file_that_is_not_there_is_ones_own_or_the_librarys() {
        let own = explain("'./main.h' file not found", "#include \"./main.h\"", None).unwrap();
        assert!(own.starts_with("this file was not found"), "{own}");
        let library = explain("'stdio.h' file not found", "#include <stdio.h>", None).unwrap();
        assert!(library.contains("no C library"), "{library}");
    }

    #[test]
    fn local_memory_beyond_the_limit_is_told_in_bytes() {
        let message = "Entry function 'f' uses too much shared data (0x40b0 bytes, 0x4000 max)";
        let told = explain(message, "", None).unwrap();
        assert!(
            told.contains("16560 bytes") && told.contains("has 16384:"),
            "{told}"
        );
        assert_eq!(explain("uses too much shared data", "", None), None);
        assert_eq!(explain("uses too much shared data (0x1", "", None), None);
    }

    #[test]
    fn a_call_that_fits_several_functions_is_explained_by_what_they_take() {
        for (name, words) in [
            ("mad24", "mul24 and mad24 take"),
            ("clamp", "all arguments must"),
            ("abs", "abs takes an integer"),
            ("atomic_add", "the atomic functions"),
            ("sqrt", "this function takes floats"),
        ] {
            let told = explain(&format!("call to '{name}' is ambiguous"), "", None).unwrap();
            assert!(told.starts_with(words), "{told}");
        }
    }

    #[test]
    fn in_a_macro_what_stands_above_its_use_is_known() {
        let text = "#define ADD sume + smu\nvoid f() { float sum = 0; ADD; }\n";
        let told = |message, used| {
            let at = text.find("sume");
            Case {
                message,
                text,
                at,
                used,
            }
            .explain()
            .unwrap()
        };
        let used = text.find("ADD;");
        assert_eq!(
            told("use of undeclared identifier 'sume'", used),
            "did you mean sum?"
        );
        let other = told("use of undeclared identifier 'other'", used);
        assert!(
            other.contains("above the line that uses the macro"),
            "{other}"
        );
    }

    #[test]
    fn a_second_declaration_in_a_for_is_a_comma_for_a_semicolon() {
        let told =
            |text: &str, at: &str| explain("redefinition of 'i'", text, text.find(at)).unwrap();
        assert_eq!(told("{ for (int i = 0, i < n, i++) }", "i <"), PARTS_OF_FOR);
        let twice = told("{ int i; for (;;) int i = 1; }", "i = 1");
        assert!(
            twice.starts_with("this name is declared already"),
            "{twice}"
        );
    }
}
