//! What is told, piece by piece, on pages of the whole terminal: a headline, pieces below it in
//! lines of at most 80 columns (with `--present` in 60, with fewer words), and the keys at the
//! bottom. A page is drawn on what standard error was, again at every key and whenever the
//! terminal's size changes.

use std::io;
use std::time::Duration;

use common::error::{Error, Result, UserRequest};
use common::session::Call;
use console::{StyledObject, measure_text_width};
use crossterm::event::KeyCode::{self, Char, Down, Enter, Esc, Left, PageDown, PageUp, Right, Up};
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::wrap;

use super::pane::{Key, Pane, SCROLL, SPACE, Scroll, meaning, named};
use super::screen::{self, Input};

/// For how long a key is waited for at a time.
const TICK: Duration = Duration::from_millis(100);

/// Text as it looks on standard error.
pub(super) fn style<T>(text: T) -> StyledObject<T> {
    console::style(text).for_stderr()
}

pub(super) fn bold(text: impl std::fmt::Display) -> String {
    style(text).bold().to_string()
}

/// Something that is told.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Lines as they are.
    Text(String),
    /// Something that is no call.
    Note(String),
    /// A call with its arguments, and what it returned.
    Call(Call),
}

/// How pieces are to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// To a room, through a projector.
    pub present: bool,
    columns: usize,
}

impl Form {
    /// For a terminal of so many columns, or for none.
    pub fn new(present: bool, terminal: Option<usize>) -> Form {
        let most = if present { 60 } else { 80 };
        let columns = terminal.map_or(most, |columns| most.min(columns));
        Form { present, columns }
    }

    fn wrapped(self, text: &str) -> Vec<String> {
        wrap::lines(text, self.columns)
    }

    pub fn headline(self, title: &str) -> Vec<String> {
        let rest = self.columns.saturating_sub(measure_text_width(title) + 4);
        self.wrapped(&bold(format!("── {title} {}", "─".repeat(rest))))
    }

    pub fn lines(self, piece: &Piece) -> Vec<String> {
        match piece {
            Piece::Text(text) => self.wrapped(text),
            Piece::Note(text) => {
                let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
                self.wrapped(&indented.join("\n"))
            }
            Piece::Call(call) => self.called(call),
        }
    }

    /// A call; the result behind it, or below where there is no room.
    fn called(self, call: &Call) -> Vec<String> {
        let returned = style(&call.returned);
        let returned = match call.failed {
            true => returned.red().bold(),
            false => returned.green(),
        };
        let arguments = call.arguments.iter();
        let shown = arguments.filter(|argument| !(self.present && argument.starts_with('~')));
        let shown = shown.map(|argument| argument.strip_prefix('~').unwrap_or(argument));
        let arguments = shown.collect::<Vec<_>>().join(", ");
        let call = format!("  {}({arguments})", style(call.name).cyan().bold());
        let line = format!("{call} -> {returned}");
        if measure_text_width(&line) <= self.columns {
            return vec![line];
        }
        self.wrapped(&format!("{call}\n      -> {returned}"))
    }
}

/// What is shown; how it is laid out follows from the size of the terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Stands on each page.
    pub title: Option<String>,
    pub pieces: Vec<Piece>,
    /// Their names, and what they do.
    pub keys: Vec<(String, String)>,
    /// What is typed, below the page.
    pub typed: Option<String>,
}

/// The terminal while it is taken.
#[derive(Default)]
pub(super) struct Page {
    present: bool,
    view: View,
    pane: Pane,
    /// What takes time now.
    busy: String,
}

/// What turns the pages of a screen.
const TURN: [Key<Scroll>; 2] = [
    (&[Down, PageDown, Right, SPACE, Enter], "", Scroll::NextPage),
    (&[Up, PageUp], "", Scroll::PageBefore),
];
/// What leads back from a text.
const BACK: [Key<()>; 1] = [(&[Esc, Enter, Left, Char('b'), Char('q')], "back", ())];

impl Page {
    /// Takes the terminal, if it takes orders.
    pub fn enter(present: bool) -> io::Result<Page> {
        // Asked while standard error is the terminal.
        console::colors_enabled_stderr();
        let printed = watchdog::events::file_for_printed();
        screen::enter(Stream::Error, printed.as_deref())?;
        Ok(Page { present, ..Page::default() })
    }

    /// Shows a view from its top.
    pub fn show(&mut self, view: View) {
        if !view.keys.is_empty() {
            self.busy.clear();
        }
        self.view = view;
        self.pane.scroll(Scroll::Top);
        self.draw();
    }

    /// Says what takes time now, below the view, until something else does.
    pub fn busy(&mut self, what: &str) {
        self.busy = format!("  ... {what}");
        // No key is awaited meanwhile.
        self.view.keys.clear();
        self.draw();
    }

    /// Scrolls the view; false where there is nothing more in that direction.
    fn scroll(&mut self, to: Scroll) -> bool {
        let has_moved = self.pane.scroll(to);
        if has_moved {
            self.draw();
        }
        has_moved
    }

    /// Waits for a key. Control-C and a terminal that has gone away are errors: wishes to
    /// end.
    pub fn key(&mut self) -> Result<KeyCode> {
        loop {
            match screen::input_within(TICK) {
                Ok(Some(Input::Key(key))) => return Ok(key),
                Ok(Some(Input::Interrupt)) => return Err(Error::Asked(UserRequest::Interrupt)),
                Ok(Some(Input::Resized)) => self.draw(),
                Ok(None) => {}
                Err(_) => return Err(Error::Asked(UserRequest::Quit)),
            }
        }
    }

    /// Turns pages until a key is pressed that does not.
    pub fn key_that_turns_no_page(&mut self) -> Result<KeyCode> {
        loop {
            let key = self.key()?;
            if !meaning(&TURN, key).is_some_and(|to| self.scroll(to)) {
                return Ok(key);
            }
        }
    }

    /// Shows a text until a key leads back.
    pub fn read(&mut self, lines: &[String]) -> Result<()> {
        self.show(View {
            pieces: vec![Piece::Text(lines.join("\n"))],
            keys: [named(&SCROLL), named(&BACK)].concat(),
            ..View::default()
        });
        loop {
            let key = self.key()?;
            if meaning(&BACK, key).is_some() {
                return Ok(());
            }
            meaning(&SCROLL, key).map(|to| self.scroll(to));
        }
    }

    fn draw(&mut self) {
        let (columns, rows) = screen::size();
        let form = Form::new(self.present, Some(columns));
        let view = &self.view;
        let head = view.title.iter().flat_map(|title| form.headline(title));
        let text = view.pieces.iter().flat_map(|piece| form.lines(piece));
        // What is typed, or under way.
        let typed = view.typed.as_ref().map(|typed| format!("  > {typed}"));
        let status = typed.unwrap_or_else(|| self.busy.clone());
        let (head, text, size) = (head.collect(), text.collect(), (form.columns, rows));
        screen::draw(&self.pane.frame(head, text, &status, &view.keys, size));
    }
}
