//! A text on a screen of its own, to scroll through. The screen before it is as
//! it was when the learner comes back.

use common::error::Result;
use console::{Key, Term, truncate_str};
use text::wrap::wrap;

use super::screen::{Screen, style};

/// The terminal's other screen, which has no scrollback; left when dropped.
struct OtherScreen<'a>(&'a Term);

impl<'a> OtherScreen<'a> {
    fn enter(term: &'a Term) -> OtherScreen<'a> {
        let _ = term.write_str("\x1b[?1049h");
        let _ = term.hide_cursor();
        OtherScreen(term)
    }
}

impl Drop for OtherScreen<'_> {
    fn drop(&mut self) {
        let _ = self.0.show_cursor();
        let _ = self.0.write_str("\x1b[?1049l");
    }
}

/// Where to begin reading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Top,
    Bottom,
}

/// Shows a text until a key leads back, or ends the lesson.
pub fn view(screen: &Screen, text: &[String], begin: Begin) -> Result<()> {
    let other = OtherScreen::enter(&screen.term);
    let mut top = match begin {
        Begin::Top => 0,
        Begin::Bottom => usize::MAX,
    };
    loop {
        let (height, columns) = screen.term.size();
        let (height, columns) = (usize::from(height).max(2), usize::from(columns));
        let wrapped = wrap(&text.join("\n"), columns);
        let lines: Vec<&str> = wrapped.split('\n').collect();
        let page = height - 1;
        let last = lines.len().saturating_sub(page);
        top = top.min(last);
        draw(other.0, &lines[top..], page, columns);
        top = match screen.key()? {
            Key::ArrowUp | Key::Char('k') => top.saturating_sub(1),
            Key::ArrowDown | Key::Char('j') => top.saturating_add(1),
            Key::PageUp => top.saturating_sub(page - 1),
            Key::PageDown | Key::Char(' ') => top + page - 1,
            Key::Home => 0,
            Key::End => last,
            Key::Enter | Key::Escape | Key::ArrowLeft | Key::Char('b' | 'q') => return Ok(()),
            _ => top,
        };
    }
}

fn draw(term: &Term, lines: &[&str], page: usize, columns: usize) {
    let more = lines.len() > page;
    let mut shown = String::from("\x1b[H\x1b[2J");
    for row in 0..page {
        shown.push_str(&truncate_str(lines.get(row).unwrap_or(&""), columns, ""));
        shown.push_str("\r\n");
    }
    let keys = if more {
        " Up Down PgUp PgDn scroll (more below)   Esc back "
    } else {
        " Up Down PgUp PgDn scroll   Esc back "
    };
    let keys = truncate_str(keys, columns, "").to_string();
    shown.push_str(&style(keys).reverse().to_string());
    let _ = term.write_str(&shown);
}
