//! The whole terminal, for what is told: a headline, pieces below it in pages, and the keys at
//! the bottom. It is drawn on what standard error was, again at every key and whenever its size
//! changes.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use common::error::{Error, Result, UserRequest};
use text::screen::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use text::screen::pane::{Pane, Scroll};
use text::screen::{self, event_within};
use text::stream::Stream;

use super::piece::{Form, Piece};

/// For how long a key is waited for at a time.
const TICK: Duration = Duration::from_millis(100);

/// A key's name, and what it does.
pub(super) type Key = (&'static str, &'static str);

/// What is shown; how it is laid out follows from the size of the terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Stands on each page.
    pub title: Option<String>,
    pub pieces: Vec<Piece>,
    pub keys: Vec<Key>,
    /// What is typed, below the page.
    pub typed: Option<String>,
}

/// The terminal while it is taken. A clone is the same.
#[derive(Clone)]
pub(super) struct Stage(Rc<RefCell<Drawn>>);

struct Drawn {
    present: bool,
    view: View,
    pane: Pane,
    /// What takes time now.
    busy: String,
}

impl Stage {
    /// Takes the terminal, if it takes orders.
    pub fn enter(present: bool) -> io::Result<Stage> {
        // Asked while standard error is the terminal.
        console::colors_enabled_stderr();
        let printed = process::events::file_for_printed();
        screen::enter(Stream::Error, printed.as_deref())?;
        Ok(Stage(Rc::new(RefCell::new(Drawn {
            present,
            view: View::default(),
            pane: Pane::default(),
            busy: String::new(),
        }))))
    }

    /// Shows a view from its top; where a key is `awaited`, every row of it anew: drivers and
    /// kernels may have written between.
    pub fn show(&self, view: View, awaited: bool) {
        let mut drawn = self.0.borrow_mut();
        drawn.view = view;
        if awaited {
            drawn.busy.clear();
        }
        drawn.pane.scroll(Scroll::Top);
        drawn.draw(awaited);
    }

    /// Says what takes time now, below the view, until something else does.
    pub fn busy(&self, what: &str) {
        let mut drawn = self.0.borrow_mut();
        drawn.busy = format!("  ... {what}");
        drawn.draw(false);
    }

    /// Scrolls the view; false where there is nothing more in that direction.
    pub fn scroll(&self, to: Scroll) -> bool {
        let mut drawn = self.0.borrow_mut();
        let has_moved = drawn.pane.scroll(to);
        if has_moved {
            drawn.draw(true);
        }
        has_moved
    }

    /// Waits for a key. Control-C and a terminal that has gone away are errors: wishes to
    /// end.
    pub fn key(&self) -> Result<KeyCode> {
        loop {
            let key = match event_within(TICK) {
                Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => key,
                Ok(Some(Event::Resize(..))) => {
                    self.0.borrow_mut().draw(true);
                    continue;
                }
                Ok(_) => continue,
                Err(_) => return Err(Error::Asked(UserRequest::Quit)),
            };
            match key.code {
                code if !key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(code),
                KeyCode::Char('c') => return Err(Error::Asked(UserRequest::Interrupt)),
                // Enter, typed before the terminal gave single keys.
                KeyCode::Char('j') => return Ok(KeyCode::Enter),
                _ => {}
            }
        }
    }
}

impl Drawn {
    fn draw(&mut self, anew: bool) {
        let (columns, rows) = screen::size();
        let form = Form::new(self.present, Some(columns));
        let View {
            title,
            pieces,
            keys,
            ..
        } = &self.view;
        let head = title.iter().flat_map(|title| form.headline(title));
        let text = pieces.iter().flat_map(|piece| piece.lines(form)).collect();
        // What is typed, or under way.
        let typed = self.view.typed.as_ref().map(|typed| format!("  > {typed}"));
        let status = typed.unwrap_or_else(|| self.busy.clone());
        let size = (form.columns, rows);
        let rows = self.pane.frame(head.collect(), text, &status, keys, size);
        screen::draw(rows, anew);
    }
}
