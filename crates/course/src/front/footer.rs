//! What the keys do, in the last lines of a screen.

use ratatui::layout::Rect;
use ratatui::style::Stylize;
use ratatui::text::Line;

/// Keys and what they do, in as many lines as it takes, though not in more than half of the
/// screen.
pub fn lines(keys: &[(&str, &str)], area: Rect) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for (key, does) in keys {
        let width = key.chars().count() + 1 + does.chars().count();
        let used = lines.last().map_or(0, Line::width);
        if used > 0 && used + 2 + width > usize::from(area.width) {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            if line.width() > 0 {
                line.push_span("  ");
            }
            line.push_span(key.to_string().cyan().bold());
            line.push_span(format!(" {does}"));
        }
    }
    lines.truncate(usize::from(area.height / 2).max(1));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let keys = [("h", "hint"), ("s", "solution"), ("q", "quit")];
        let lines = lines(&keys, Rect::new(0, 0, 18, 5));
        let text: Vec<String> = lines.iter().map(Line::to_string).collect();
        assert_eq!(text, ["h hint  s solution", "q quit"]);
    }
}
