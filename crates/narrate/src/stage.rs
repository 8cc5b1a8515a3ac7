//! The whole terminal, for what is told: a headline, pieces below it in pages, and the keys at
//! the bottom. It is drawn on what standard error was, again at every key and whenever its size
//! changes.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use common::error::{Error, Result, UserRequest};
use text::screen::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use text::screen::pane::{Pane, Scroll, key_lines};
use text::screen::{self, event_within};
use text::stream::Stream;

use super::piece::{self, Form, Piece, headline, style};

/// How often the sign of life moves, and for how long a key is waited for at a time.
const TICK: Duration = Duration::from_millis(100);
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

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
    /// A line of `pieces` that must be seen.
    pub marked: Option<usize>,
}

impl View {
    /// A text without a headline, with these keys.
    pub fn of(lines: Vec<String>, keys: &[Key]) -> View {
        View {
            pieces: vec![Piece::Text(lines.join("\n"))],
            keys: keys.into(),
            ..View::default()
        }
    }
}

/// The terminal while it is taken. A clone is the same.
#[derive(Clone)]
pub(super) struct Stage(Arc<Mutex<Drawn>>);

struct Drawn {
    present: bool,
    view: View,
    pane: Pane,
    /// What takes time now, and since when.
    busy: Option<(String, Instant)>,
}

impl Stage {
    /// Takes the terminal, if it takes orders.
    pub fn enter(present: bool) -> io::Result<Stage> {
        // Asked while standard error is the terminal.
        console::colors_enabled_stderr();
        let printed = process::stage::file_for_printed();
        screen::enter(Stream::Error, printed.as_deref())?;
        let stage = Stage(Arc::new(Mutex::new(Drawn {
            present,
            view: View::default(),
            pane: Pane::default(),
            busy: None,
        })));
        let drawn = Arc::downgrade(&stage.0);
        // Without the thread there is no sign of life, and nothing else is lost.
        let _ = thread::Builder::new().spawn(move || tick(&drawn));
        Ok(stage)
    }

    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a view from this line on, and every row of it anew: drivers and kernels may have
    /// written between.
    pub fn show_from(&self, view: View, top: usize) {
        let mut drawn = self.drawn();
        (drawn.view, drawn.busy) = (view, None);
        drawn.pane.scroll(Scroll::To(top));
        drawn.draw(true);
    }

    pub fn top(&self) -> usize {
        self.drawn().pane.top()
    }

    /// Shows a view that nobody need read yet: from its top, or in place of one like it.
    pub fn show(&self, view: View, from_top: bool) {
        let mut drawn = self.drawn();
        drawn.view = view;
        if from_top {
            drawn.pane.scroll(Scroll::To(0));
        }
        drawn.draw(false);
    }

    /// Says what takes time now, below the view, until something else does.
    pub fn busy(&self, what: &str) {
        let mut drawn = self.drawn();
        if drawn.busy.as_ref().is_none_or(|(known, _)| known != what) {
            drawn.busy = Some((what.into(), Instant::now()));
        }
    }

    /// Scrolls the view; false where there is nothing more in that direction.
    pub fn scroll(&self, to: Scroll) -> bool {
        let mut drawn = self.drawn();
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
            if let Some(key) = self.key_within(TICK)? {
                return Ok(key);
            }
        }
    }

    /// Waits for a key, but not longer than this.
    pub fn key_within(&self, time: Duration) -> Result<Option<KeyCode>> {
        let key = match event_within(time) {
            Ok(Some(Event::Key(key))) if key.kind != KeyEventKind::Release => key,
            Ok(event) => {
                if let Some(Event::Resize(..)) = event {
                    self.drawn().draw(true);
                }
                return Ok(None);
            }
            Err(_) => return Err(Error::Asked(UserRequest::Quit)),
        };
        match key.code {
            code if !key.modifiers.contains(KeyModifiers::CONTROL) => Ok(Some(code)),
            KeyCode::Char('c') => Err(Error::Asked(UserRequest::Interrupt)),
            // Enter, typed before the terminal gave single keys.
            KeyCode::Char('j') => Ok(Some(KeyCode::Enter)),
            _ => Ok(None),
        }
    }
}

/// Draws again and again as long as something takes time, in a new size if there is one.
fn tick(drawn: &Weak<Mutex<Drawn>>) {
    while let Some(drawn) = drawn.upgrade() {
        let mut now = drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if now.busy.is_some() {
            now.draw(false);
        }
        drop(now);
        drop(drawn);
        thread::sleep(TICK);
    }
}

impl Drawn {
    fn draw(&mut self, anew: bool) {
        let (columns, rows) = screen::size();
        let form = Form::new(self.present, Some(columns));
        let keys = key_lines(&self.view.keys, (form.columns, rows));
        let title = self.view.title.as_ref();
        let mut shown = title.map_or(Vec::new(), |title| headline(title, form));
        let mut blocks = Vec::new();
        // Two rows at least, and one for what is typed or under way.
        if shown.len() + keys.len() + 3 > rows {
            blocks.push(std::mem::take(&mut shown));
        }
        blocks.extend(piece::blocks(&self.view.pieces, form));
        let room = rows.saturating_sub(shown.len() + keys.len() + 1);
        self.pane.lay_out(blocks, room);
        if let Some(line) = self.view.marked {
            self.pane.reveal(line);
        }
        shown.extend(self.pane.shown());
        shown.push(self.status());
        shown.extend(keys);
        screen::draw(shown, anew);
    }

    /// The line between the page and the keys.
    fn status(&self) -> String {
        if let Some(typed) = &self.view.typed {
            return format!("  > {typed}");
        }
        if let Some((what, since)) = &self.busy {
            let passed = since.elapsed();
            let sign = SIGNS[(passed.as_millis() / TICK.as_millis()) as usize % SIGNS.len()];
            return format!("  {sign} {what} {}s", passed.as_secs());
        }
        let more = if self.pane.has_more() {
            "more below, "
        } else {
            ""
        };
        match self.pane.page() {
            (_, 1) => String::new(),
            (page, all) => {
                let page = format!("  {more}page {page} of {all}");
                style(page).dim().to_string()
            }
        }
    }
}
