//! The terminal as a whole: its other screen, which has no scrollback, and its single keys. It
//! is given back whatever happens: by [`leave`], by a panic, and after a death by the process
//! that watches, if one does.

use std::io::{BufWriter, Error, ErrorKind, IsTerminal, Result, Write, stderr, stdin, stdout};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::{fs::File, path::Path, time::Duration};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode,
};
use crossterm::{execute, queue};
use diagnostics::terminal::stream::{Stream, Taken as Diverted};
use diagnostics::{aside, terminal::plain};

/// Columns and rows that are drawn at most: some terminals tell sizes that nobody sees.
const MOST: u16 = 1000;

/// The other screen, while it is shown.
struct Taken {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The rows that are seen.
    drawn: Vec<String>,
    /// What others print, which would be drawn over; where it cannot be kept, they print on the
    /// screen.
    captured: Vec<Diverted>,
}

static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

fn taken() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal that this stream goes to; an error where it is none, or nobody has its keys.
/// What this process and its drivers print meanwhile is kept in the file, if one is named.
pub fn enter(stream: Stream, printed: Option<&Path>) -> Result<()> {
    let is_terminal = match stream {
        Stream::Output => stdout().is_terminal(),
        Stream::Error => stderr().is_terminal(),
    };
    if !is_terminal || !stdin().is_terminal() || console::is_dumb() {
        return Err(ErrorKind::Unsupported.into());
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A panic's message is to be read.
            leave();
            told(panic);
        }));
    });
    let mut out: Box<dyn Write + Send> = match (stream.as_it_is(), stream) {
        (Ok(own), _) => Box::new(own),
        (Err(_), Stream::Output) => Box::new(stdout()),
        (Err(_), Stream::Error) => Box::new(stderr()),
    };
    execute!(out, EnterAlternateScreen, Hide)?;
    // Standard error, and output where that is the terminal: a file stays what it is; and without a
    // /dev/tty crossterm asks standard output how large the terminal is.
    let both = stdout().is_terminal() && File::open("/dev/tty").is_ok();
    let streams = [Stream::Error, Stream::Output].into_iter().take(if both { 2 } else { 1 });
    let captured = streams.filter_map(|stream| Diverted::to(stream, printed?)).collect();
    *taken() = Some(Taken { out: BufWriter::new(out), drawn: Vec::new(), captured });
    // From now on a change of size is noted, also before the first key is awaited.
    let _ = event::poll(Duration::ZERO);
    Ok(())
}

/// Gives the terminal back, if it was taken, and passes on what others have printed.
pub fn leave() {
    let Some(mut taken) = taken().take() else { return };
    // A terminal that has gone away needs nothing.
    let _ = disable_raw_mode();
    let captured = taken.captured.into_iter();
    let printed: String = captured.map(Diverted::given_back).collect();
    let _ = execute!(taken.out, LeaveAlternateScreen, Show);
    if !printed.is_empty() {
        aside!("{}", plain(&printed).trim_end());
    }
}

/// Columns and rows.
pub fn size() -> (usize, usize) {
    let (columns, rows) = crossterm::terminal::size().unwrap_or_default();
    (columns.min(MOST).into(), rows.min(MOST).into())
}

/// Draws these rows as far as they fit, unless they are seen already: what is timed meanwhile may
/// need this very core. A terminal that has gone away shows nothing.
pub fn draw(rows: Vec<String>) {
    if let Some(taken) = &mut *taken()
        && taken.drawn != rows
    {
        taken.drawn = rows;
        let _ = taken.draw();
    }
}

impl Taken {
    fn draw(&mut self) -> Result<()> {
        let (columns, height) = size();
        queue!(self.out, BeginSynchronizedUpdate, Hide)?;
        for (at, row) in (0..).zip(self.drawn.iter().take(height)) {
            // Cleared before: behind a full row the cursor still stands in it.
            queue!(self.out, MoveTo(0, at), Clear(ClearType::CurrentLine))?;
            let row = console::truncate_str(row, columns, "");
            queue!(self.out, Print(row), SetAttribute(Attribute::Reset))?;
        }
        execute!(self.out, EndSynchronizedUpdate)
    }
}

/// Waits for a key, a moment at most. Control-C, which is no signal while keys are taken, is the
/// error `Interrupted`; a terminal that has gone away is another one.
pub fn key() -> Result<Option<KeyCode>> {
    if !comes_within(Duration::from_millis(100))? {
        return Ok(None);
    }
    // Whatever a person does, the screen is drawn anew: its size may be another one.
    if let Some(taken) = &mut *taken() {
        taken.drawn.clear();
    }
    match event::read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
            code if !key.modifiers.contains(KeyModifiers::CONTROL) => Ok(Some(code)),
            KeyCode::Char('c') => Err(ErrorKind::Interrupted.into()),
            // Enter, typed before the terminal gave single keys.
            KeyCode::Char('j') => Ok(Some(KeyCode::Enter)),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Whether crossterm has something to read, now or within this time. It must not be asked of a
/// terminal that was closed meanwhile: it reads nothing from it, for ever.
#[cfg(unix)]
fn comes_within(time: Duration) -> Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let keys = stdin();
    // The first time for what was read together with the event before.
    for time in [Duration::ZERO, time] {
        let mut terminal = [PollFd::new(&keys, PollFlags::IN)];
        let waits = match poll(&mut terminal, Some(&time.try_into().map_err(Error::other)?)) {
            Ok(_) if terminal[0].revents().contains(PollFlags::HUP) => {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            // At a signal its size may have changed.
            Err(Errno::INTR) => false,
            ready => ready? > 0,
        };
        if event::poll(Duration::ZERO)? {
            return Ok(true);
        }
        // Of a change of size and a key at the same moment crossterm takes one, and the system
        // tells of each but once: the key would wait for the next one. Setting the modes that are
        // set wakes who waits for keys.
        if waits && let Ok(modes) = tcgetattr(&keys) {
            let _ = tcsetattr(&keys, OptionalActions::Now, &modes);
            if event::poll(Duration::ZERO)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Elsewhere nobody tells of that, and no key is lost.
#[cfg(not(unix))]
use event::poll as comes_within;
