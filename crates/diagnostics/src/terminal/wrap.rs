//! Lines that are too long for the terminal, broken at spaces; and prose in columns.

use console::{AnsiCodeIterator, Term, measure_text_width};

use crate::terminal::stream::Stream;

/// Columns of a plain terminal.
pub const WIDTH: usize = 80;
/// Columns that continuation lines must have left, to begin under a column of
/// the line itself.
const ROOM: usize = 24;

/// The columns of the terminal that a stream goes to, if it does.
fn columns(stream: Stream) -> Option<usize> {
    let term = match stream {
        Stream::Output => Term::stdout(),
        Stream::Error => Term::stderr(),
    };
    let (_, columns) = term.is_term().then(|| term.size_checked()).flatten()?;
    Some(columns.into())
}

/// A text in lines that fit the terminal that this stream goes to.
pub fn fitted(stream: Stream, text: &str) -> String {
    columns(stream).map_or(text.into(), |columns| wrap(text, columns))
}

/// Breaks every line of a text that is longer than `columns`, colours and all. A
/// line goes on under its last column, which is what follows two spaces or more;
/// where that leaves little room, two further in than it began, if it was indented. A word that is
/// itself too long stays whole, and so does a piece of source, or of a map, behind a margin
/// (`12 | ...`).
pub fn wrap(text: &str, columns: usize) -> String {
    let margin = |c: char| c == ' ' || c.is_ascii_digit();
    let lines = text.split('\n').map(|line| {
        let is_source = line.trim_start_matches(margin).starts_with('|');
        if is_source || measure_text_width(line) <= columns {
            return line.to_string();
        }
        let plain = console::strip_ansi_codes(line);
        let plain = plain.trim_end();
        let begin = plain.len() - plain.trim_start_matches(' ').len();
        let column = plain.rfind("  ").map_or(0, |at| plain[..at + 2].chars().count());
        let indent = match begin {
            _ if column > begin && column + ROOM <= columns => column,
            0 => 0,
            _ => begin + 2,
        };
        folded(line, columns, indent)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The same in lines for a screen, which would cut what is too long: such a word goes on in the
/// next line, and so does a style that is still on at the end of a line. Of what else a terminal
/// would obey nothing is left.
pub fn lines(text: &str, columns: usize) -> Vec<String> {
    let wrapped = wrap(&text.replace('\t', "    "), columns);
    let (mut lines, mut now, mut used) = (Vec::new(), String::new(), 0);
    let mut style = String::new();
    for (text, is_code) in AnsiCodeIterator::new(&wrapped) {
        if is_code && text.starts_with("\x1b[") && text.ends_with('m') {
            now += text;
            match text {
                "\x1b[0m" | "\x1b[m" => style.clear(),
                _ => style += text,
            }
        }
        for letter in text.chars().filter(|_| !is_code) {
            let width = measure_text_width(letter.encode_utf8(&mut [0; 4]));
            if letter == '\n' || used > 0 && used + width > columns {
                lines.push(std::mem::replace(&mut now, style.clone()));
                used = 0;
            }
            if !letter.is_control() {
                now.push(letter);
                used += width;
            }
        }
    }
    lines.push(now);
    lines
}

/// A paragraph that begins in a column, and goes on there in the lines below: in 80 columns, or
/// in fewer where the terminal has no more, or the screen that shows it, as `COLUMNS` tells.
pub fn beside(paragraph: &str, column: usize) -> String {
    let of_screen = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = columns(Stream::Output).or_else(of_screen).unwrap_or(WIDTH).min(WIDTH);
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = format!("{:column$}{}", "", words.join(" "));
    folded(&line, width, column).trim_start().into()
}

/// A line, or its beginning where it is longer than `width` columns.
pub fn cut(line: &str, width: usize) -> String {
    console::truncate_str(line, width, "...").into_owned()
}

/// A line in lines of at most so many columns, broken at spaces; those behind the first are moved
/// in by `indent`. A word that is longer than a line has one of its own.
pub fn folded(line: &str, columns: usize, indent: usize) -> String {
    let (mut lines, mut now) = (Vec::new(), String::new());
    for word in line.split_inclusive(' ') {
        let room = columns.saturating_sub(if lines.is_empty() { 0 } else { indent });
        let long = measure_text_width(word.trim_end());
        let begun = !now.trim_end().is_empty();
        if begun && long > 0 && measure_text_width(&now) + long > room {
            lines.push(std::mem::take(&mut now).trim_end().to_string());
        }
        now.push_str(word);
    }
    lines.push(now.trim_end().to_string());
    lines.join(&format!("\n{:indent$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_under_its_last_column() {
        let line = "  limits   518 GFLOP/s of multiply-adds, 45.3 GB/s of copying";
        let wrapped = "  limits   518 GFLOP/s of multiply-adds,\n           45.3 GB/s of copying";
        assert_eq!(wrap(line, 40), wrapped);
        assert_eq!(wrap(line, 80), line);
    }

    #[test]
    fn without_room_under_the_column_it_goes_on_two_further_in() {
        let line = "  a                                   far to the right and long";
        assert_eq!(wrap(line, 50).lines().nth(1), Some("    right and long"));
    }

    #[test]
    fn colours_take_no_room() {
        let line = "\u{1b}[36mclCreateBuffer\u{1b}[0m(size = 4)";
        assert_eq!(wrap(line, 24), line);
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let line = "in /a/very/long/path/that/nobody/should/break here";
        assert_eq!(wrap(line, 20), "in\n/a/very/long/path/that/nobody/should/break\nhere");
    }

    #[test]
    fn on_a_screen_nothing_is_wider_and_nothing_is_lost() {
        let text = "\u{1b}[31min\u{1b}[0m /a/\u{1b}[36mpath/without\u{1b}[0m/any blank";
        let expected = [
            "\u{1b}[31min\u{1b}[0m",
            "/a/\u{1b}[36mpath/w",
            "\u{1b}[36mithout\u{1b}[0m/an",
            "y",
            "blank",
        ];
        assert_eq!(lines(text, 9), expected);
        assert_eq!(lines("ab", 0), ["a", "b"]);
        assert_eq!(lines("\x1b[2Ja\x07\r\n", 9), ["a", ""]);
    }

    #[test]
    fn lines_are_folded_between_words() {
        assert_eq!(folded("one two three", 7, 0), "one two\nthree");
        assert_eq!(folded("unbreakable", 3, 0), "unbreakable");
    }

    #[test]
    fn source_behind_a_margin_is_left_alone() {
        let message = "a long line of words\n12 |  float x = 1; // more\n   |    ^";
        let expected = "a long line\nof words\n12 |  float x = 1; // more\n   |    ^";
        assert_eq!(wrap(message, 12), expected);
    }

    #[test]
    fn no_text_from_outside_is_too_odd_to_be_laid_out() {
        let text = "a \x1b[31mred\x1b[0m line\twith   columns\r\n  12 | source \u{4e00}\n";
        damage::must_be_survived(text.as_bytes(), |bytes| {
            let text = crate::terminal::plain(&String::from_utf8_lossy(bytes));
            assert!(!text.contains('\x1b'));
            for columns in [0, 9] {
                wrap(&text, columns);
                let lines = lines(&text, columns);
                assert!(lines.iter().all(|line| measure_text_width(line) <= columns.max(2)));
            }
        });
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(cut("abcdefgh", 6), "abc...");
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abc", 0), "...");
    }

    #[test]
    fn a_paragraph_stays_in_its_column() {
        let text = "word\n".repeat(30);
        let shown = beside(&text, 40);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with(&" ".repeat(40)) && lines[1].trim_start().len() <= 40);
    }
}
