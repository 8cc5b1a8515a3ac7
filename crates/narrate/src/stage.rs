//! The whole terminal, for what is told. It is drawn on what standard error was, again at every
//! key and whenever its size changes, and given back whatever happens: by the drop of a lesson,
//! by a panic, and after a death by the process that watches.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ansi_to_tui::IntoText;
use common::error::{Error, Result, UserRequest};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::Rect;
use ratatui::style::Stylize;
use ratatui::text::{Line, Text};

use super::terminal;
use super::view::{Sheet, View};

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(100);
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The terminal while it is taken. A clone is the same.
#[derive(Clone)]
pub(super) struct Stage(Arc<Mutex<Drawn>>);

struct Drawn {
    terminal: ratatui::Terminal<CrosstermBackend<BufWriter<Box<dyn Write + Send>>>>,
    present: bool,
    view: View,
    /// The first line of the view that is seen.
    top: usize,
    /// What takes time now, and since when.
    busy: Option<(String, Instant)>,
}

/// Where to in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scroll {
    NextPage,
    PageBefore,
    Line(isize),
    Top,
    Bottom,
}

impl Stage {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When it tells no size, or takes no order.
    pub fn enter(present: bool) -> io::Result<Stage> {
        let screen = BufWriter::new(terminal::enter()?);
        let terminal = ratatui::Terminal::new(CrosstermBackend::new(screen));
        let terminal = terminal.inspect_err(|_| terminal::leave())?;
        // From now on a change of size is noted, also before the first key is awaited.
        let _ = event::poll(Duration::ZERO);
        let stage = Stage(Arc::new(Mutex::new(Drawn {
            terminal,
            present,
            view: View::default(),
            top: 0,
            busy: None,
        })));
        let drawn = Arc::downgrade(&stage.0);
        // Without the thread there is no sign of life, and nothing else is lost.
        let _ = thread::Builder::new().spawn(move || tick(&drawn));
        Ok(stage)
    }

    fn drawn(&self) -> MutexGuard<'_, Drawn> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Shows a view from its top, and every cell of it anew: drivers and kernels may have
    /// written between.
    pub fn show_anew(&self, view: View) {
        self.show_again(view, 0);
    }

    /// The same from this line on.
    pub fn show_again(&self, view: View, top: usize) {
        let mut drawn = self.drawn();
        (drawn.view, drawn.top, drawn.busy) = (view, top, None);
        drawn.draw_anew();
    }

    /// The first line that is seen.
    pub fn top(&self) -> usize {
        self.drawn().top
    }

    /// Shows a view that nobody need read yet: from its top, or in place of one like it,
    /// which stays scrolled as it is.
    pub fn show(&self, view: View, from_top: bool) {
        let mut drawn = self.drawn();
        drawn.view = view;
        if from_top {
            drawn.top = 0;
        }
        drawn.draw();
    }

    /// Says what takes time now, below the view, until something else does.
    pub fn busy(&self, what: String) {
        let mut drawn = self.drawn();
        let since = drawn.busy.as_ref().filter(|(known, _)| *known == what);
        let since = since.map_or_else(Instant::now, |(_, since)| *since);
        drawn.busy = Some((what, since));
    }

    /// Scrolls the view; false where there is nothing more in that direction.
    pub fn scroll(&self, to: Scroll) -> bool {
        let mut drawn = self.drawn();
        let sheet = drawn.sheet();
        let last = sheet.last_top();
        let before = drawn.top;
        let top = match to {
            Scroll::NextPage => match sheet.next_page(before) {
                Some(next) => next,
                None => return false,
            },
            Scroll::PageBefore => sheet.page_before(before),
            Scroll::Line(lines) => before.saturating_add_signed(lines).min(last.max(before)),
            Scroll::Top => 0,
            Scroll::Bottom => last,
        };
        drawn.top = top;
        drawn.draw_anew();
        top != before
    }

    /// Waits for a key. Control-C and a terminal that has gone away are errors: wishes to
    /// end.
    pub fn key(&self) -> Result<KeyCode> {
        loop {
            match event::read() {
                Ok(event) => {
                    if let Some(key) = self.meant(&event)? {
                        return Ok(key);
                    }
                }
                Err(_) => return Err(Error::Asked(UserRequest::Quit)),
            }
        }
    }

    /// Waits for a key, but not longer than this.
    pub fn key_within(&self, time: Duration) -> Result<Option<KeyCode>> {
        match event::poll(time) {
            Ok(true) => match event::read() {
                Ok(event) => self.meant(&event),
                Err(_) => Err(Error::Asked(UserRequest::Quit)),
            },
            Ok(false) => Ok(None),
            Err(_) => Err(Error::Asked(UserRequest::Quit)),
        }
    }

    /// The key of an event, if it is one.
    fn meant(&self, event: &Event) -> Result<Option<KeyCode>> {
        match event {
            Event::Resize(..) => {
                self.drawn().draw_anew();
                Ok(None)
            }
            Event::Key(key) if key.kind != KeyEventKind::Release => pressed(key),
            _ => Ok(None),
        }
    }
}

fn pressed(key: &KeyEvent) -> Result<Option<KeyCode>> {
    if !key.modifiers.contains(KeyModifiers::CONTROL) {
        return Ok(Some(key.code));
    }
    match key.code {
        KeyCode::Char('c') => Err(Error::Asked(UserRequest::Interrupt)),
        // Enter, typed before the terminal gave single keys.
        KeyCode::Char('j') => Ok(Some(KeyCode::Enter)),
        _ => Ok(None),
    }
}

/// Draws again and again as long as something takes time, in a new size if there is one.
fn tick(drawn: &Weak<Mutex<Drawn>>) {
    while let Some(drawn) = drawn.upgrade() {
        let mut now = drawn.lock().unwrap_or_else(|poison| poison.into_inner());
        if now.busy.is_some() {
            now.draw();
        }
        drop(now);
        drop(drawn);
        thread::sleep(TICK);
    }
}

impl Drawn {
    fn sheet(&self) -> Sheet {
        let size = self.terminal.size().unwrap_or_default();
        let (columns, rows) = (usize::from(size.width), usize::from(size.height));
        Sheet::of(&self.view, self.present, columns, rows)
    }

    fn draw_anew(&mut self) {
        if terminal::is_taken() {
            let _ = execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate);
            // `clear` would ask the terminal for its cursor, and wait where it does not tell.
            let size = self.terminal.size().unwrap_or_default();
            let _ = self.terminal.resize(size.into());
            self.draw();
            let _ = execute!(self.terminal.backend_mut(), EndSynchronizedUpdate);
        }
    }

    /// Draws what changed. A terminal that has gone away shows nothing.
    fn draw(&mut self) {
        if !terminal::is_taken() {
            return;
        }
        let sheet = self.sheet();
        if let Some(line) = self.view.marked {
            let first = (line + 1).saturating_sub(sheet.room);
            self.top = self.top.clamp(first, line.max(first));
        }
        let (top, status) = (self.top, self.status(&sheet));
        let _ = self.terminal.draw(|frame| draw(frame, &sheet, top, status));
    }

    /// The line between the page and the keys.
    fn status(&self, sheet: &Sheet) -> Line<'static> {
        if let Some(typed) = &self.view.typed {
            return Line::from(format!("  > {typed}"));
        }
        if let Some((what, since)) = &self.busy {
            let passed = since.elapsed();
            let sign = SIGNS[(passed.as_millis() / TICK.as_millis()) as usize % SIGNS.len()];
            return Line::from(format!("  {sign} {what} {}s", passed.as_secs()));
        }
        let pages = sheet.pages();
        let page = pages.iter().filter(|page| **page <= self.top).count();
        let more = sheet.next_page(self.top).map_or("", |_| "more below, ");
        match pages.len() {
            1 => Line::default(),
            all => Line::from(format!("  {more}page {page} of {all}")).dim(),
        }
    }
}

fn draw(frame: &mut Frame, sheet: &Sheet, top: usize, status: Line) {
    let area = frame.area();
    let mut row = 0;
    let mut print = |text: Text| {
        let room = area.height.saturating_sub(row);
        let rows = room.min(text.lines.len() as u16);
        frame.render_widget(text, Rect::new(0, row, area.width, rows));
        row += rows;
    };
    print(styled(&sheet.head));
    let lines = styled(&sheet.lines).lines.into_iter();
    let rows = sheet.next_page(top).map_or(sheet.room, |next| next - top);
    let mut page: Vec<Line> = lines.skip(top).take(rows).collect();
    // The keys stand at the bottom, whatever the page holds.
    page.resize(sheet.room, Line::default());
    print(Text::from(page));
    print(Text::from(status));
    let keys = sheet
        .keys
        .iter()
        .map(|line| Line::from(format!(" {line} ").reversed()));
    print(Text::from_iter(keys));
}

/// Lines with the escape sequences of styles, as the library has them. A style goes on in
/// the next line.
fn styled(lines: &[String]) -> Text<'static> {
    // A last line that is empty would be left out.
    let text = format!("{}\n ", lines.join("\n"));
    let mut text = text.into_text().unwrap_or_default();
    text.lines.truncate(lines.len());
    text
}
