//! The keys of a screen: a table, from which they are drawn and answered.

use crossterm::event::KeyCode;

/// What is pressed, of which the first is named; what is said of it, nothing where another key's
/// words do; and what it does.
pub type Key<Does> = (&'static [KeyCode], &'static str, Does);

/// The space bar.
pub const SPACE: KeyCode = KeyCode::Char(' ');

/// What a key does on a screen that has these.
pub fn meaning<Does: Copy>(keys: &[Key<Does>], pressed: KeyCode) -> Option<Does> {
    let key = keys.iter().find(|(codes, ..)| codes.contains(&pressed));
    key.map(|(.., does)| *does)
}

/// A key as screens call it.
pub fn name(key: KeyCode) -> String {
    match key {
        KeyCode::Char(letter) => letter.into(),
        other => format!("{other:?}"),
    }
}

/// The keys' names and words; neighbours of which the same is said stand together.
pub fn named<Does>(keys: &[Key<Does>]) -> Vec<(String, String)> {
    let mut named: Vec<(String, String)> = Vec::new();
    for (codes, says, _) in keys.iter().filter(|(_, says, _)| !says.is_empty()) {
        let name = name(codes[0]);
        match named.last_mut() {
            Some((names, same)) if same == says => *names += &format!(" {name}"),
            _ => named.push((name, says.to_string())),
        }
    }
    named
}
