//! What a compiler's message means, in plain words, and what to change. What is in doubt is
//! not explained: the message stands alone.

#[cfg(test)]
mod tests;

use super::{messages, names, page};
use crate::declared::visible;
use crate::functions::functions;
use crate::tokens::{Tokens, is_word};
use crate::types::is_known;

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
    let name = message.split(['\'', '"']).nth(1);
    name.filter(|name| !name.is_empty())
}

impl Case<'_> {
    /// What the message means; `None` where that is in doubt.
    pub fn explain(&self) -> Option<String> {
        let message = self.message;
        if let Some(name) = messages::missing_function(message) {
            return self.undeclared(name, true);
        }
        let words = match page::meaning(message)? {
            "see the table of names" => {
                return self.undeclared(quoted(message)?, message.contains("function"));
            }
            "see the table of calls" => return Some(self.call()),
            "it depends on the numbers" => return too_much_local(message),
            "see the table of calls that fit several" => {
                page::of_name("Calls that fit several", quoted(message)?)?
            }
            "it depends on the name of the file" => self.not_found()?,
            "it depends on what stands there" => self.expected()?,
            _ if message.contains("redefinition of") && self.statement().starts_with("for") => {
                PARTS_OF_FOR
            }
            words => words,
        };
        Some(words.into())
    }

    /// A name that the compiler has not met.
    fn undeclared(&self, name: &str, is_function: bool) -> Option<String> {
        if let Some(words) = page::of_name("Names", name) {
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
        if visible.contains(name) {
            // A declaration that has an error of its own; or a function's first line.
            return is_function.then(|| {
                format!(
                    "{name} is declared, and its body is not in this file, in which all must be \
                     that the kernel calls"
                )
            });
        }
        if functions(self.text).iter().any(|one| one.name == name) {
            return Some(format!(
                "{name} is written further down: a function must stand above its first call, or \
                 at least its first line, with a semicolon"
            ));
        }
        if let Some(near) = names::nearest(name, &visible, is_function) {
            return Some(format!("did you mean {near}?"));
        }
        let line = match self.used {
            Some(_) => "the line that uses the macro",
            None => "this line",
        };
        let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        Some(if name.len() > 1 && name.chars().all(is_macro) {
            format!(
                "no macro of this name is defined: write #define {name} and its value above, or \
                 see which macros the lesson gives this kernel"
            )
        } else if is_function {
            format!(
                "no function {name} is declared above {line}; OpenCL C has functions of its own, \
                 and no C library"
            )
        } else if is_word(next) {
            format!("no type {name} is declared above {line}")
        } else {
            format!(
                "nothing called {name} is declared above {line}: give it a type where it is \
                 first used"
            )
        })
    }

    /// A call with the wrong arguments.
    fn call(&self) -> String {
        let says_whose = ["function for call to", "overloaded function"];
        let named = if says_whose.iter().any(|part| self.message.contains(part)) {
            quoted(self.message)
        } else {
            self.at.and_then(|at| callee(self.text, at))
        };
        match named.map(|name| (name, page::of_name("Calls", name))) {
            Some((_, Some(words))) => words.into(),
            Some((name, None)) => format!(
                "compare the call with {name}'s own arguments: their number, and their types \
                 (1 is an int, 1.0f is a float)"
            ),
            None => "compare the call with the function's own arguments".into(),
        }
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
        // As clang says it, and as EDG does.
        let is = |sign: char| {
            let mut forms = [
                format!("expected '{sign}'"),
                format!("expected a \"{sign}\""),
            ]
            .into_iter();
            forms.any(|form| self.message.contains(&form))
        };
        if self.message.contains("expression") && !is(';') {
            return a_value(behind);
        }
        if self.message.contains("in 'for' statement") {
            return Some(PARTS_OF_FOR);
        }
        // The statement around the place, with the end of the one before.
        let ends = [';', '{', '}'];
        let begin = before.rfind(ends).unwrap_or(0);
        let end = behind.find(ends).unwrap_or(behind.len());
        let statement = &self.text[begin..at + end];
        let is_open =
            |open, close| statement.matches(open).count() > statement.matches(close).count();
        let line = behind.lines().next().unwrap_or("").trim();
        let ends_line = line.is_empty() || line.starts_with("//");
        let above = before.rsplit('\n').next().unwrap_or("");
        if is(';') && (ends_line || above.trim().is_empty()) {
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

/// NVIDIA's assembler counts a group's local memory in hexadecimal bytes.
fn too_much_local(message: &str) -> Option<String> {
    let mut numbers = message.split("0x").skip(1).filter_map(|hexadecimal| {
        let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit())?;
        u64::from_str_radix(&hexadecimal[..end], 16).ok()
    });
    let (used, limit) = (numbers.next()?, numbers.last()?);
    Some(format!(
        "its local arrays take {used} bytes in each group, and this device has {limit}: declare \
         smaller ones, such as a smaller tile"
    ))
}
