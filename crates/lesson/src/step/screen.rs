//! The terminal as a whole: its other screen, which has no scrollback, and its single keys. It
//! is given back whatever happens: by [`leave`], by a panic, and after a death by the process
//! that watches, if one does.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, IsTerminal, Result, Write, stderr, stdout};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use console::truncate_str;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use diagnostics::aside;
use diagnostics::terminal::plain;
use diagnostics::terminal::stream::{Stream, Taken as Diverted};

/// Columns and rows that are drawn at most: some terminals tell sizes that nobody sees.
const MOST: u16 = 1000;

/// The other screen, while it is shown.
struct Taken {
    out: BufWriter<Box<dyn Write + Send>>,
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
    *taken() =
        Some(Taken { out: BufWriter::new(out), captured: printed.map_or(Vec::new(), captured) });
    // From now on a change of size is noted, also before the first key is awaited.
    let _ = event::poll(Duration::ZERO);
    Ok(())
}

/// Gives the terminal back, if it was taken, and passes on what others have printed.
pub fn leave() {
    let Some(mut taken) = taken().take() else {
        return;
    };
    // A terminal that has gone away needs nothing.
    give_keys_back();
    let captured = taken.captured.into_iter();
    let printed: String = captured.map(Diverted::given_back).collect();
    let _ = execute!(taken.out, LeaveAlternateScreen, Show);
    if !printed.is_empty() {
        aside!("{}", plain(&printed).trim_end());
    }
}

/// Standard error, and output where that is the terminal, sent to this file.
fn captured(path: &Path) -> Vec<Diverted> {
    // A file stays what it is; and without a /dev/tty crossterm asks standard output how
    // large the terminal is.
    let both = stdout().is_terminal() && File::open("/dev/tty").is_ok();
    let streams = [Stream::Error, Stream::Output].into_iter();
    let streams = streams.take(if both { 2 } else { 1 });
    streams.filter_map(|stream| Diverted::to(stream, path)).collect()
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

/// Draws these rows as far as they fit. A terminal that has gone away shows nothing.
pub fn draw(rows: &[String]) {
    if let Some(taken) = &mut *taken() {
        let _ = taken.draw(rows);
    }
}

impl Taken {
    fn draw(&mut self, rows: &[String]) -> Result<()> {
        let (columns, height) = size();
        queue!(self.out, BeginSynchronizedUpdate, Hide)?;
        let rows = rows.iter().take(height);
        for (at, row) in (0..).zip(rows) {
            // Cleared before: behind a full row the cursor still stands in it.
            queue!(self.out, MoveTo(0, at), Clear(ClearType::CurrentLine))?;
            let row = truncate_str(row, columns, "");
            queue!(self.out, Print(row), SetAttribute(Attribute::Reset))?;
        }
        execute!(self.out, EndSynchronizedUpdate)
    }
}

/// The terminal gives single keys from now on, and shows none.
pub fn take_keys() {
    // A terminal that has gone away gives none: the first one that is awaited says so.
    let _ = enable_raw_mode();
}

/// The keys are the terminal's own again, Control-C among them.
pub fn give_keys_back() {
    let _ = disable_raw_mode();
}

/// What a person does at the terminal.
pub enum Input {
    /// A key is pressed.
    Key(KeyCode),
    /// Control-C is, which is no signal while keys are taken.
    Interrupt,
    /// Its size is another one.
    Resized,
}

/// Waits for a person to do something, and not longer than this.
pub fn input_within(time: Duration) -> Result<Option<Input>> {
    Ok(match event_within(time)? {
        Some(Event::Key(key)) if key.kind != KeyEventKind::Release => match key.code {
            code if !key.modifiers.contains(KeyModifiers::CONTROL) => Some(Input::Key(code)),
            KeyCode::Char('c') => Some(Input::Interrupt),
            // Enter, typed before the terminal gave single keys.
            KeyCode::Char('j') => Some(Input::Key(KeyCode::Enter)),
            _ => None,
        },
        Some(Event::Resize(..)) => Some(Input::Resized),
        _ => None,
    })
}

fn event_within(time: Duration) -> Result<Option<Event>> {
    // The first time for what was read together with the event before.
    for time in [Duration::ZERO, time] {
        let waits = wait(time)?;
        if event::poll(Duration::ZERO)? || waits && ring_again()? {
            return event::read().map(Some);
        }
    }
    Ok(None)
}

/// Waits for something to read; whether there is. crossterm must not be asked of a terminal that
/// was closed meanwhile: it reads nothing from it, for ever.
#[cfg(unix)]
fn wait(time: Duration) -> Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    let keys = std::io::stdin();
    let mut terminal = [PollFd::new(&keys, PollFlags::IN)];
    let time = time.try_into().map_err(std::io::Error::other)?;
    match poll(&mut terminal, Some(&time)) {
        Ok(_) if terminal[0].revents().contains(PollFlags::HUP) => {
            Err(ErrorKind::UnexpectedEof.into())
        }
        Ok(ready) => Ok(ready > 0),
        // Its size changed, or another signal came.
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether crossterm sees the key that waits, once the terminal has told of it again. Of a change
/// of size and a key at the same moment crossterm takes one, and the system tells of each but once:
/// the key would wait for the next one. Setting the modes that are set wakes who waits for keys.
#[cfg(unix)]
fn ring_again() -> Result<bool> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let keys = std::io::stdin();
    if let Ok(modes) = tcgetattr(&keys) {
        let _ = tcsetattr(&keys, OptionalActions::Now, &modes);
    }
    event::poll(Duration::ZERO)
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
fn wait(time: Duration) -> Result<bool> {
    event::poll(time)
}

/// Elsewhere no key is lost.
#[cfg(not(unix))]
fn ring_again() -> Result<bool> {
    Ok(false)
}
