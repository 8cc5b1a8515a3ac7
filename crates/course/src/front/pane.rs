//! A text that fits the columns that it gets, and scrolls where it does not fit the rows.

use ansi_to_tui::IntoText;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;
use text::wrap::wrap;

/// Where in a text its reader is.
#[derive(Default)]
pub struct Pane {
    top: usize,
    /// The rows that were there when it was drawn.
    rows: usize,
    shown: Shown,
}

/// A text as it was drawn last: it is laid out anew only where something changed.
#[derive(Default)]
struct Shown {
    text: String,
    columns: u16,
    lines: Text<'static>,
}

impl Pane {
    /// Shows a text, colours and all.
    pub fn draw(&mut self, frame: &mut Frame, area: Rect, text: &str) {
        self.rows = usize::from(area.height);
        if self.shown.text != text || self.shown.columns != area.width {
            self.shown = Shown::of(text, area.width);
        }
        self.top = self.top.min(self.last_top());
        let page = Paragraph::new(self.shown.lines.clone());
        let top = self.top.min(usize::from(u16::MAX)) as u16;
        frame.render_widget(page.scroll((top, 0)), area);
    }

    /// Scrolls, if this key does that.
    pub fn on(&mut self, key: &KeyEvent) -> bool {
        let page = self.rows.saturating_sub(2).max(1);
        self.top = match key.code {
            KeyCode::Up => self.top.saturating_sub(1),
            KeyCode::Down => self.top + 1,
            KeyCode::PageUp => self.top.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top + page,
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX,
            _ => return false,
        };
        self.top = self.top.min(self.last_top());
        true
    }

    /// "lines 3 to 20 of 45", where it does not fit.
    pub fn place(&self) -> String {
        let all = self.shown.lines.height();
        if self.last_top() == 0 {
            return String::new();
        }
        let last = (self.top + self.rows).min(all);
        format!("lines {} to {last} of {all} ↑↓", self.top + 1)
    }

    fn last_top(&self) -> usize {
        self.shown.lines.height().saturating_sub(self.rows)
    }
}

impl Shown {
    fn of(text: &str, columns: u16) -> Shown {
        let width = usize::from(columns.max(1));
        let at_spaces = wrap(&text.replace('\t', "    "), width);
        let lines = at_spaces.trim_end().into_text();
        let lines = lines.unwrap_or_else(|_| Text::raw(at_spaces.clone()));
        Shown {
            lines: lines.iter().flat_map(|line| broken(line, width)).collect(),
            text: text.into(),
            columns,
        }
    }
}

/// A line that has no space to be broken at, such as a long path, in pieces.
fn broken(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    if line.width() <= width {
        return vec![line.clone()];
    }
    let mut lines = vec![Line::default()];
    for piece in line.styled_graphemes(Style::default()) {
        let piece = Span::styled(piece.symbol.to_string(), piece.style);
        if lines.last().map_or(0, Line::width) + piece.width() > width {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            line.push_span(piece);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    #[test]
    fn nothing_is_wider_than_the_screen_and_nothing_is_lost() {
        let text = "\x1b[31mred\x1b[0m words\n\t/a/path/without/any/blank\n";
        let shown = Shown::of(text, 12).lines;
        assert!(shown.iter().all(|line| line.width() <= 12), "{shown:?}");
        let all: String = shown.iter().map(Line::to_string).collect();
        assert!(all.contains("red words"), "{all}");
        assert!(all.contains("/a/path/without/any/blank"), "{all}");
        assert_eq!(shown.lines[0].spans[0].style.fg, Some(Color::Red));
    }
}
