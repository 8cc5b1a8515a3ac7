//! What a compiler's message means, in plain words, and what to change: the words are those of
//! the page docs/compiler-messages.md, which is read here. What is in doubt is not explained:
//! the message stands alone.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::messages;
use crate::functions::functions;
use crate::tokens::{Tokens, is_word};
use crate::types::is_known;

/// A row of one of the page's tables.
struct Row {
    /// The heading above the table.
    table: &'static str,
    /// What the first cell lists: of a message the parts, of all else a name.
    keys: Vec<Vec<&'static str>>,
    words: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut table = "";
    let lines = include_str!("../../../../docs/compiler-messages.md").lines();
    let row = |line: &'static str| {
        table = line.strip_prefix("## ").unwrap_or(table);
        let cells = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (keys, words) = cells.split_once("` | ")?;
        let parts = |key: &'static str| key.split("` … `").collect();
        Some(Row {
            table,
            keys: keys.split("`, `").map(parts).collect(),
            words: words.replace('`', ""),
        })
    };
    lines.filter_map(row).collect()
});

/// What one of the other tables says of a name.
fn of_name(table: &str, name: &str) -> Option<&'static str> {
    words(table, |key| key[..] == [name])
}

/// What the page says where it depends.
fn said(case: &str) -> Option<&'static str> {
    of_name("Where it depends", case)
}

fn words(table: &str, fits: impl Fn(&Vec<&str>) -> bool) -> Option<&'static str> {
    let mut rows = ROWS.iter().filter(|row| row.table == table);
    let row = rows.find(|row| row.keys.iter().any(&fits))?;
    Some(&row.words)
}

/// A message, and the file that it is about.
pub struct Case<'a> {
    /// What the compiler says.
    pub message: &'a str,
    /// The file's text.
    pub text: &'a str,
    /// The byte of the text, where the message tells its place.
    pub at: Option<usize>,
}

impl<'a> Case<'a> {
    /// What the message means; `None` where that is in doubt.
    pub fn explain(&self) -> Option<String> {
        if let Some(name) = messages::missing_function(self.message) {
            return self.undeclared(name);
        }
        // Of messages the first row counts whose parts all occur.
        let fits = |parts: &Vec<&str>| parts.iter().all(|part| self.message.contains(part));
        match words("Messages", fits)? {
            "see the table of names" => self.undeclared(self.name()?),
            "see the table of calls" => self.call(),
            "see the table of calls that fit several" => {
                of_name("Calls that fit several", self.name()?).map(String::from)
            }
            "it depends on what stands there" => self.value(),
            words => Some(words.into()),
        }
    }

    /// The first name in quotes.
    fn name(&self) -> Option<&'a str> {
        let name = self.message.split('\'').nth(1);
        name.filter(|name| !name.is_empty())
    }

    /// A name that the compiler has not met.
    fn undeclared(&self, name: &str) -> Option<String> {
        if let Some(words) = of_name("Names", name) {
            return Some(words.into());
        }
        // Some compilers ask by themselves.
        if self.message.contains("did you mean") {
            return None;
        }
        let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_called =
            messages::missing_function(self.message).is_some() || self.message.contains("function");
        let case = if functions(self.text).iter().any(|one| one.name == name) {
            "defined further down"
        } else if self.stands_behind_a_type(name) {
            // A function's first line; or a declaration that has an error of its own.
            is_called.then_some("declared without a body")?
        } else if name.len() > 1 && name.chars().all(is_macro) {
            "a macro"
        } else {
            "another name"
        };
        Some(said(case)?.replace("{name}", name))
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

    /// A call with the wrong arguments.
    fn call(&self) -> Option<String> {
        let named = match self.message.contains("function for call to") {
            true => self.name(),
            false => self.at.and_then(|at| callee(self.text, at)),
        };
        let known = of_name("Calls", named?).map(String::from);
        known.or_else(|| Some(said("a call")?.replace("{name}", named?)))
    }

    /// A type in a value's place, as in `float4(1.0f)`.
    fn value(&self) -> Option<String> {
        let tokens = Tokens::of(self.text.get(self.at?..)?.lines().next()?);
        let is_cast = is_known(tokens.text(0)) && tokens.text(1) == "(";
        is_cast.then(|| said("a type like a call").map(String::from)).flatten()
    }
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
