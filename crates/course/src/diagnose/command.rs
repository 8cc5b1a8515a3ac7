//! A command to be copied from the screen.

use crate::prose::WIDTH;

/// Columns that a command may take, moved in as it is shown.
const ROOM: usize = WIDTH - 16;

/// Words for a shell, in lines that fit: a backslash joins them again.
pub fn command_line(words: &[String]) -> String {
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
    lines.join(" \\\n  ")
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
        let words = ["run", "my file.cl"].map(String::from);
        assert_eq!(command_line(&words), "run 'my file.cl'");
        let long: Vec<String> = (0..20).map(|i| format!("word{i:04}")).collect();
        assert!(command_line(&long).contains(" \\\n  word"));
    }
}
