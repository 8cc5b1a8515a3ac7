//! What a compiler's message means, in plain words, and what to change.
//!
//! The compilers of PoCL, Oclgrind, rusticl, Intel and NVIDIA all descend from
//! clang, so a table of parts of its messages serves them all; AMD's older one has words
//! of its own. What is in doubt is not explained: the message stands alone.

mod calls;
mod known;
mod signs;
#[cfg(test)]
mod tests;

use self::calls::ambiguous;
use self::known::KNOWN;
use super::{messages, names};
use crate::declared::visible;
use crate::functions::functions;
use crate::tokens::{Tokens, is_word};

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
