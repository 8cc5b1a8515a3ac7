//! A command to be copied from the screen.

use crate::game::screen::WORDS;
use crate::prose::WIDTH;

/// Columns that a command may take, with a backslash behind it.
const ROOM: usize = WIDTH - WORDS - 4;

/// Words for a shell, in lines that fit beside a heading: a backslash joins them again.
pub fn command_line(words: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words.iter().map(|word| quoted(word)) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= ROOM => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.join(&format!(" \\\n{:WORDS$}  ", ""))
}

fn quoted(word: &str) -> String {
    if word.contains([' ', '\'', '"', '$', '\\']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_pasted() {
        assert_eq!(command_line(&["run", "my file.cl"]), "run 'my file.cl'");
        let lines = command_line(&["word"; 20]);
        assert!(lines.contains(" \\\n            word"), "{lines}");
    }
}
