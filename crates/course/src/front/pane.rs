//! A text that fits the columns that it gets, and scrolls where it does not fit the rows.

use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};

use super::lines::fitted;

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
    lines: Vec<Line<'static>>,
}

impl Pane {
    /// Shows a text, colours and all.
    pub fn draw(&mut self, frame: &mut Frame, area: Rect, text: &str) {
        self.rows = usize::from(area.height);
        if self.shown.text != text || self.shown.columns != area.width {
            self.shown = Shown {
                text: text.into(),
                columns: area.width,
                lines: fitted(text, area.width),
            };
        }
        self.top = self.top.min(self.last_top());
        let lines = self.shown.lines.iter().skip(self.top).take(self.rows);
        frame.render_widget(Text::from_iter(lines.cloned()), area);
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
        let all = self.shown.lines.len();
        if self.last_top() == 0 {
            return String::new();
        }
        let last = (self.top + self.rows).min(all);
        format!("lines {} to {last} of {all} ↑↓", self.top + 1)
    }

    fn last_top(&self) -> usize {
        self.shown.lines.len().saturating_sub(self.rows)
    }
}
