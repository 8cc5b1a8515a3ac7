//! A text that fits the columns that it gets, and scrolls where it does not fit the rows.

use ansi_to_tui::IntoText;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::Text;
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
        let laid_out = wrap(&text.replace('\t', "    "), usize::from(columns.max(1)));
        let lines = laid_out.trim_end().into_text();
        Shown {
            lines: lines.unwrap_or_else(|_| Text::raw(laid_out)),
            text: text.into(),
            columns,
        }
    }
}
