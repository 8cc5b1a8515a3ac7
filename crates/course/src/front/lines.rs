//! A text in lines that fit the screen.

use ansi_to_tui::IntoText;
use ratatui::text::{Line, Text};
use text::wrap::fit;

/// Lines of at most so many columns, colours and all.
pub fn fitted(text: &str, columns: u16) -> Vec<Line<'static>> {
    let text = fit(&text.replace('\t', "    "), usize::from(columns));
    let text = text.trim_end();
    let lines = text.into_text();
    lines.unwrap_or_else(|_| Text::raw(text.to_string())).lines
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    #[test]
    fn what_is_broken_keeps_its_colour() {
        let text = "\x1b[31mred\x1b[0m words\n\t\x1b[32m/a/path/without/any/blank\n";
        let lines = fitted(text, 12);
        assert!(lines.iter().all(|line| line.width() <= 12), "{lines:?}");
        let all: String = lines.iter().map(Line::to_string).collect();
        assert!(all.contains("red words"), "{all}");
        assert!(all.contains("/a/path/without/any/blank"), "{all}");
        assert_eq!(lines[0].spans[0].style.fg, Some(Color::Red));
        let last = lines.last().and_then(|line| line.spans.first());
        assert_eq!(last.and_then(|span| span.style.fg), Some(Color::Green));
    }
}
