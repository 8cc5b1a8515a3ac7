//! The terminal as a whole: its other screen, which has no scrollback. It is drawn row by row,
//! and given back whatever happens: by [`leave`], by a panic, and after a death by the process
//! that watches, if one does.
//!
//! # Layout
//!
//! `input` is the keys, [`pane`] a text that scrolls.

mod input;
pub mod pane;

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Result, Write, stderr, stdout};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use console::truncate_str;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};

pub use crossterm;
pub use input::{event_within, give_keys_back, take_keys};

use crate::plain::plain;
use crate::stream::{Stream, Taken as Diverted};
/// Columns and rows that are drawn at most: some terminals tell sizes that nobody sees.
const MOST: u16 = 1000;

/// The other screen, while it is shown.
struct Taken {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The rows as they were drawn last, and the screen's size then.
    rows: Vec<String>,
    size: (usize, usize),
    /// What others print, which would be drawn over; where it cannot be kept, they print on the
    /// screen.
    captured: Vec<Diverted>,
}

static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

fn taken() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal that this stream goes to. What this process and its drivers print
/// meanwhile is kept in the file, if one is named.
pub fn enter(stream: Stream, printed: Option<&Path>) -> Result<()> {
    leave_on_panic();
    let mut out: Box<dyn Write + Send> = match (stream.as_it_is(), stream) {
        (Ok(own), _) => Box::new(own),
        (Err(_), Stream::Output) => Box::new(stdout()),
        (Err(_), Stream::Error) => Box::new(stderr()),
    };
    execute!(out, EnterAlternateScreen, Hide)?;
    *taken() = Some(Taken {
        out: BufWriter::new(out),
        rows: Vec::new(),
        size: size(),
        captured: printed.map_or(Vec::new(), captured),
    });
    // From now on a change of size is noted, also before the first key is awaited.
    let _ = crossterm::event::poll(std::time::Duration::ZERO);
    Ok(())
}

/// Whether it is taken.
pub fn is_taken() -> bool {
    taken().is_some()
}

/// Gives the terminal back, if it was taken, and passes on what others have printed.
pub fn leave() {
    let Some(mut taken) = taken().take() else {
        return;
    };
    // A terminal that has gone away needs nothing.
    give_keys_back();
    let printed: String = taken
        .captured
        .into_iter()
        .map(Diverted::given_back)
        .collect();
    let _ = execute!(taken.out, LeaveAlternateScreen, Show);
    if !printed.is_empty() {
        crate::aside!("{}", plain(&printed).trim_end());
    }
}

/// Standard error, and output where that is the terminal, sent to this file.
fn captured(path: &Path) -> Vec<Diverted> {
    // A file stays what it is; and without a /dev/tty crossterm asks standard output how
    // large the terminal is.
    let both = stdout().is_terminal() && File::open("/dev/tty").is_ok();
    let streams = [Stream::Error, Stream::Output].into_iter();
    let streams = streams.take(if both { 2 } else { 1 });
    streams
        .filter_map(|stream| Diverted::to(stream, path))
        .collect()
}

/// A panic's message is to be read.
fn leave_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            told(panic);
        }));
    });
}

/// Columns and rows.
pub fn size() -> (usize, usize) {
    let (columns, rows) = crossterm::terminal::size().unwrap_or_default();
    (columns.min(MOST).into(), rows.min(MOST).into())
}

/// Draws these rows as far as they fit: those that have changed, or all of them `anew` where
/// others may have written. A terminal that has gone away shows nothing.
pub fn draw(rows: Vec<String>, anew: bool) {
    let size = size();
    let (columns, height) = size;
    let fitting = |row: String| truncate_str(&row, columns, "").into_owned();
    let rows: Vec<String> = rows.into_iter().take(height).map(fitting).collect();
    if let Some(taken) = &mut *taken() {
        let _ = taken.draw(&rows, anew || taken.size != size);
        (taken.rows, taken.size) = (rows, size);
    }
}

impl Taken {
    fn draw(&mut self, rows: &[String], anew: bool) -> Result<()> {
        queue!(self.out, BeginSynchronizedUpdate)?;
        if anew {
            queue!(self.out, Clear(ClearType::All), Hide)?;
            self.rows.clear();
        }
        for (at, row) in (0..).zip(rows) {
            if self.rows.get(usize::from(at)) != Some(row) {
                // Cleared before: behind a full row the cursor still stands in it.
                queue!(self.out, MoveTo(0, at), Clear(ClearType::CurrentLine))?;
                queue!(self.out, Print(row), SetAttribute(Attribute::Reset))?;
            }
        }
        if self.rows.len() > rows.len() {
            let below = MoveTo(0, rows.len().try_into().unwrap_or(MOST));
            queue!(self.out, below, Clear(ClearType::FromCursorDown))?;
        }
        execute!(self.out, EndSynchronizedUpdate)
    }
}
