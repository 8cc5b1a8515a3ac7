//! Sentences in a terminal of few columns.

/// The text in lines of at most `width` columns, broken at spaces; all but the
/// first are shifted by `indent`, which does not count. A word that is longer than
/// a line has one of its own.
pub fn folded(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        let columns = |text: &str| console::measure_text_width(text);
        if line.is_empty() {
            line.push_str(word);
        } else if columns(line) + 1 + columns(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines.join(&format!("\n{indent}"))
}

/// A message for people, its lines broken where they would run over the edge of a
/// terminal. Lines with a margin (spans of source, maps) stay as they are.
pub fn fitted(message: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return message.to_string();
    };
    let fit = |line: &str| {
        let begin = line.len() - line.trim_start().len();
        let has_margin = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        if has_margin.trim_start().starts_with('|') || console::measure_text_width(line) <= width {
            return line.to_string();
        }
        let indent = " ".repeat(begin + 2);
        let room = width.saturating_sub(indent.len());
        format!(
            "{}{}",
            &line[..begin],
            folded(&line[begin..], room, &indent)
        )
    };
    message.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// The columns of the terminal behind standard error, if it is one.
pub fn width_of_stderr() -> Option<usize> {
    let terminal = console::Term::stderr();
    terminal
        .size_checked()
        .map(|(_, columns)| usize::from(columns))
}

/// The columns of the terminal behind standard output, if it is one.
pub fn width_of_stdout() -> Option<usize> {
    let terminal = console::Term::stdout();
    terminal
        .size_checked()
        .map(|(_, columns)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(folded("one two three", 7, ""), "one two\nthree");
        assert_eq!(folded("one two three", 7, "  "), "one two\n  three");
        assert_eq!(folded("unbreakable", 3, ""), "unbreakable");
    }

    #[test]
    fn source_behind_a_margin_is_left_alone() {
        let message = "a long line of words\n12 |  float x = 1; // more\n   |    ^";
        let expected = "a long\n  line of\n  words\n12 |  float x = 1; // more\n   |    ^";
        assert_eq!(fitted(message, Some(12)), expected);
        assert_eq!(fitted(message, None), message);
    }
}
