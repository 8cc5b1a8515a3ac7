//! Text from outside: what a driver, a file or another process says.

/// The same without what a terminal would obey: escape sequences are left out, other
/// control characters become `�`, and lines and tabs stay as they are.
pub fn plain(text: &str) -> String {
    let text = console::strip_ansi_codes(text).replace("\r\n", "\n");
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        _ if c.is_control() || turns_lines_around(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// The same in one line, without the spaces and zero bytes that drivers put around names.
pub fn plain_name(text: &str) -> String {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    plain(text).replace(['\n', '\t'], " ")
}

/// What changes the direction of writing, so that a name can pass for another (Unicode
/// Standard Annex #9, "Explicit Directional Embeddings", "Overrides" and "Isolates").
fn turns_lines_around(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_left_out() {
        assert_eq!(plain("a\x1b[31mb\x1b[0m\x1b]0;title\x07c"), "abc");
        assert_eq!(plain("one\r\ntwo\tthree\n"), "one\ntwo\tthree\n");
        assert_eq!(
            plain("seen\roverwritten\x08\x7f\u{9b}"),
            "seen�overwritten���"
        );
        assert_eq!(plain("\u{202e}abc"), "�abc");
        assert_eq!(plain("Größe ±0.7 % ✓"), "Größe ±0.7 % ✓");
    }

    #[test]
    fn an_escape_that_does_not_end_is_not_obeyed_either() {
        for text in ["\x1b", "\x1b[", "\x1b]0;title", "\x1b[31", "\x1bP1"] {
            assert!(!plain(text).contains('\x1b'), "{text:?}");
        }
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(plain_name(" NVIDIA  H200\0\0"), "NVIDIA  H200");
        assert_eq!(plain_name("one\ntwo"), "one two");
    }
}
