//! What a compiler's message means, in plain words, and what to change: the words are those of
//! the page. What is in doubt is not explained: the message stands alone.

#[cfg(test)]
mod tests;

use super::{messages, page};
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

/// The first name in quotes.
pub fn quoted(message: &str) -> Option<&str> {
    let name = message.split(['\'', '"']).nth(1);
    name.filter(|name| !name.is_empty())
}

/// What the page says where it depends.
fn said(case: &str) -> Option<&'static str> {
    page::of_name("Where it depends", case)
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
            "see the table of calls" => return self.call(),
            "it depends on the numbers" => return too_much_local(message),
            "see the table of calls that fit several" => {
                page::of_name("Calls that fit several", quoted(message)?)?
            }
            "it depends on the name of the file" => {
                let is_own = self.text.contains(&format!("\"{}\"", quoted(message)?));
                said(if is_own {
                    "a file of one's own"
                } else {
                    "a header"
                })?
            }
            "it depends on what stands there" => said(self.expected()?)?,
            _ if message.contains("redefinition of") && self.statement().starts_with("for") => {
                said("a for")?
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
        let next = self.word_behind(name);
        let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let case = if functions(self.text).iter().any(|one| one.name == name) {
            "defined further down"
        } else if self.stands_behind_a_type(name) {
            // A function's first line; or a declaration that has an error of its own.
            is_function.then_some("declared without a body")?
        } else if name.len() > 1 && name.chars().all(is_macro) {
            "a macro"
        } else if is_function || next == "(" {
            "a function"
        } else if is_word(next) {
            "a type"
        } else {
            "a variable"
        };
        let line = match self.used {
            Some(_) => "the line that uses the macro",
            None => "this line",
        };
        Some(said(case)?.replace("{name}", name).replace("{line}", line))
    }

    /// A call with the wrong arguments.
    fn call(&self) -> Option<String> {
        let says_whose = ["function for call to", "overloaded function"];
        let named = if says_whose.iter().any(|part| self.message.contains(part)) {
            quoted(self.message)
        } else {
            self.at.and_then(|at| callee(self.text, at))
        };
        let Some(name) = named else {
            return said("a call of something").map(String::from);
        };
        let known = page::of_name("Calls", name).map(String::from);
        known.or_else(|| Some(said("a call")?.replace("{name}", name)))
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
        let here = |i: &usize| self.at.is_none_or(|at| file.byte(*i) >= at);
        let i = file.all().find(|i| file.text(*i) == name && here(i));
        i.map_or("", |i| file.text(i + 1))
    }

    /// True where the file seems to declare a name.
    fn stands_behind_a_type(&self, name: &str) -> bool {
        let file = Tokens::of(self.text);
        let before = |i: usize, back| file.text(i.wrapping_sub(back));
        let is_type = |word: &str| is_word(word) && !["return", "else", "case"].contains(&word);
        file.all().any(|i| {
            let is_pointer = before(i, 1) == "*" && is_known(before(i, 2));
            file.text(i) == name && (is_pointer || is_type(before(i, 1)))
        })
    }

    /// A sign or a value that is missing; nothing where something else may be wrong.
    fn expected(&self) -> Option<&'static str> {
        let at = self.at?;
        let (before, behind) = (self.text.get(..at)?, self.text.get(at..)?);
        // As clang says it, and as EDG does.
        let is = |sign: char| {
            self.message.contains(&format!("expected '{sign}'"))
                || self.message.contains(&format!("expected a \"{sign}\""))
        };
        if self.message.contains("expression") && !is(';') {
            return a_value(behind);
        }
        if self.message.contains("in 'for' statement") {
            return Some("a for");
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
            return Some("a semicolon");
        }
        if is(')') && is_open('(', ')') {
            return Some("a parenthesis");
        }
        (is(']') && is_open('[', ']')).then_some("a bracket")
    }
}

/// What stands in a value's place.
fn a_value(behind: &str) -> Option<&'static str> {
    let tokens = Tokens::of(behind.lines().next().unwrap_or(""));
    let ty = tokens.text(0);
    if !is_known(ty) || tokens.text(1) != "(" {
        return None;
    }
    let is_vector = ty.ends_with(|c: char| c.is_ascii_digit());
    Some(if is_vector {
        "a vector literal"
    } else {
        "a conversion"
    })
}

/// The function whose argument list surrounds byte `at`.
fn callee(source: &str, at: usize) -> Option<&str> {
    let mut open = 1;
    let before = source.get(..at)?;
    let (parenthesis, _) = before.char_indices().rev().find(|(_, c)| {
        open += i32::from(*c == ')') - i32::from(*c == '(');
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
    let (used, limit) = (numbers.next()?.to_string(), numbers.last()?.to_string());
    Some(
        said("local memory")?
            .replace("{used}", &used)
            .replace("{limit}", &limit),
    )
}
