//! What a compiler's message means, in plain words, and what to change: the words are those of
//! the page docs/compiler-messages.md, which is read here. What is in doubt is not explained:
//! the message stands alone.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::places::missing_function;
use crate::tokens::{Tokens, is_word};
use crate::{functions::functions, types::is_known};

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
        Some(Row {
            table,
            keys: keys.split("`, `").map(|key| key.split("` … `").collect()).collect(),
            words: words.replace('`', ""),
        })
    };
    lines.filter_map(row).collect()
});

/// What one of the other tables says of a name.
fn of_name(table: &str, name: &str) -> Option<&'static str> {
    words(table, |key| key[..] == [name])
}

fn words(table: &str, fits: impl Fn(&Vec<&str>) -> bool) -> Option<&'static str> {
    let mut rows = ROWS.iter().filter(|row| row.table == table);
    Some(&rows.find(|row| row.keys.iter().any(&fits))?.words)
}

/// The table of what the page says where it depends.
const CASES: &str = "Where it depends";

/// What a message means that is about this text, and this byte of it, where it tells its place;
/// `None` where that is in doubt.
pub fn explain(message: &str, text: &str, at: Option<usize>) -> Option<String> {
    let name = || message.split('\'').nth(1).filter(|name| !name.is_empty());
    if let Some(name) = missing_function(message) {
        return undeclared(name, message, text);
    }
    // Of messages the first row counts whose parts all occur.
    let fits = |parts: &Vec<&str>| parts.iter().all(|part| message.contains(part));
    match words("Messages", fits)? {
        "see the table of names" => undeclared(name()?, message, text),
        "see the table of calls" => {
            let named = match message.contains("function for call to") {
                true => name()?,
                false => callee(text, at?)?,
            };
            let known = of_name("Calls", named).map(String::from);
            known.or_else(|| Some(of_name(CASES, "a call")?.replace("{name}", named)))
        }
        "see the table of calls that fit several" => {
            of_name("Calls that fit several", name()?).map(String::from)
        }
        "it depends on what stands there" => {
            // A type in a value's place, as in `float4(1.0f)`.
            let tokens = Tokens::of(text.get(at?..)?.lines().next()?);
            let is_cast = is_known(tokens.text(0)) && tokens.text(1) == "(";
            of_name(CASES, "a type like a call").filter(|_| is_cast).map(String::from)
        }
        words => Some(words.into()),
    }
}

/// A name that the compiler has not met.
fn undeclared(name: &str, message: &str, text: &str) -> Option<String> {
    if let Some(words) = of_name("Names", name) {
        return Some(words.into());
    }
    // Some compilers ask by themselves.
    if message.contains("did you mean") {
        return None;
    }
    let is_macro = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_called = missing_function(message).is_some() || message.contains("function");
    let case = if functions(text).iter().any(|one| one.name == name) {
        "defined further down"
    } else if stands_behind_a_type(name, text) {
        // A function's first line; or a declaration that has an error of its own.
        is_called.then_some("declared without a body")?
    } else if name.len() > 1 && name.chars().all(is_macro) {
        "a macro"
    } else {
        "another name"
    };
    Some(of_name(CASES, case)?.replace("{name}", name))
}

/// True where the file seems to declare a name.
fn stands_behind_a_type(name: &str, text: &str) -> bool {
    let file = Tokens::of(text);
    let before = |i: usize, back| file.text(i.wrapping_sub(back));
    let is_type = |word: &str| is_word(word) && !["return", "else", "case"].contains(&word);
    file.all().any(|i| {
        let is_pointer = before(i, 1) == "*" && is_known(before(i, 2));
        file.text(i) == name && (is_pointer || is_type(before(i, 1)))
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
    let name = before[..parenthesis].trim_end();
    let mut words = name.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    words.next().filter(|name| !name.is_empty())
}
