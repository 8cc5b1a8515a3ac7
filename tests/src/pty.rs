//! A command on a terminal of its own, for what only shows there: keys, colours,
//! redrawn lines. The terminal is a pty; what it would show is kept by `vt100`.
//!
//! ```no_run
//! let mut terminal = tests::lesson(5).args("--step").on_terminal(80, 24);
//! terminal.waits_for("Enter");        // fails after a minute, with the screen
//! terminal.press("q").ends_with(0);
//! ```

use std::io::{Read, Write};

use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Pty, open};
use vt100::Parser;

use crate::Program;

/// How long a text may be waited for: far more than anything takes, since the
/// machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(120);
/// Leads the session, as a learner's shell does, and ends later than the program. When
/// a leader itself ends after Ctrl-C, Linux drops what nobody has read yet: on a busy
/// machine the last words of one program in twenty.
const LEADER: &str = "trap : INT; \"$0\" \"$@\"; ended=$?; sleep 0.2; exit $ended";
/// Lines that are remembered once they have left the screen.
const SCROLLBACK: usize = 20_000;

/// Keys that are more than one character.
pub mod key {
    /// Return.
    pub const ENTER: &str = "\r";
    /// Escape.
    pub const ESCAPE: &str = "\x1b";
    /// The arrows.
    pub const UP: &str = "\x1b[A";
    /// The arrows.
    pub const DOWN: &str = "\x1b[B";
    /// The arrows.
    pub const RIGHT: &str = "\x1b[C";
    /// The arrows.
    pub const LEFT: &str = "\x1b[D";
    /// Page up.
    pub const PAGE_UP: &str = "\x1b[5~";
    /// Page down.
    pub const PAGE_DOWN: &str = "\x1b[6~";
    /// Backspace.
    pub const BACKSPACE: &str = "\x7f";
    /// Control and C.
    pub const CTRL_C: &str = "\x03";

    /// What a key sends that the screens call so; a letter sends itself.
    pub fn of(name: &str) -> &str {
        match name {
            "Enter" => ENTER,
            "Esc" => ESCAPE,
            "Up" => UP,
            "Down" => DOWN,
            "Right" => RIGHT,
            "Left" => LEFT,
            "PageUp" => PAGE_UP,
            "PageDown" => PAGE_DOWN,
            "Home" => "\x1b[H",
            "End" => "\x1b[F",
            "Backspace" => BACKSPACE,
            "Space" => " ",
            "CTRL-C" => CTRL_C,
            letters => letters,
        }
    }
}

/// A program that runs on a terminal; it is ended when this goes out of scope.
pub struct Terminal {
    line: String,
    child: Child,
    pty: Arc<Pty>,
    shared: Arc<Shared>,
    size: (u16, u16),
}

/// What the reading thread and the test both look at.
struct Shared {
    shown: Mutex<Shown>,
    more: Condvar,
}

struct Shown {
    /// The screen since the beginning.
    screen: Parser,
    /// What was printed since the last key.
    since: Parser,
    /// Every byte, escape codes included.
    raw: Vec<u8>,
    /// How many of them came before the last key.
    before_key: usize,
    closed: bool,
}

impl Program {
    /// Runs it on a terminal of this size. Standard input, output and error are
    /// all that terminal, unless the command redirects them itself.
    #[track_caller]
    pub fn on_terminal(self, columns: u16, rows: u16) -> Terminal {
        let (pty, pts) = open().expect("the system has ptys");
        pty.resize(Size::new(rows, columns)).expect("a pty has a size");
        let line = format!("{:?}", self.command);
        let mut command = self.in_shell(LEADER).command();
        command.env("TERM", "xterm-256color");
        let child = pty_process::blocking::Command::from(command).spawn(pts);
        let pty = Arc::new(pty);
        let shared = Arc::new(Shared {
            shown: Mutex::new(Shown {
                screen: parser(columns, rows),
                since: parser(columns, rows),
                raw: Vec::new(),
                before_key: 0,
                closed: false,
            }),
            more: Condvar::new(),
        });
        let (reader, writer) = (pty.clone(), shared.clone());
        std::thread::spawn(move || read(&reader, &writer));
        Terminal {
            line,
            child: child.expect("a program of ours starts"),
            pty,
            shared,
            size: (columns, rows),
        }
    }
}

fn side(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal has cells")
}

fn parser(columns: u16, rows: u16) -> Parser {
    Parser::new(side(rows), side(columns), SCROLLBACK)
}

fn read(mut pty: &Pty, shared: &Shared) {
    let mut bytes = [0; 4096];
    loop {
        // On Linux the end of the program is an error, EIO; elsewhere an empty read.
        let count = pty.read(&mut bytes).unwrap_or(0);
        let mut shown = shared.lock();
        shown.screen.process(&bytes[..count]);
        shown.since.process(&bytes[..count]);
        shown.raw.extend(&bytes[..count]);
        shown.closed = count == 0;
        shared.more.notify_all();
        if count == 0 {
            return;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Terminal {
    /// Waits until all of this text was printed since the last [`press`], whether
    /// it is still on the screen or has scrolled away.
    ///
    /// [`press`]: Terminal::press
    #[track_caller]
    pub fn waits_for(&mut self, text: &str) -> &mut Terminal {
        self.waits_until(&format!("\"{text}\""), |since, _| since.contains(text))
    }

    /// Waits until `done` says so of what was printed since the last key, and of
    /// the screen as it is. `what` names it where it does not come.
    #[track_caller]
    pub fn waits_until(&mut self, what: &str, done: impl Fn(&str, &str) -> bool) -> &mut Terminal {
        self.awaits(what, |shown| {
            done(&everything(&mut shown.since), &everything_on(&shown.screen))
        })
    }

    #[track_caller]
    fn awaits(&mut self, what: &str, mut done: impl FnMut(&mut Shown) -> bool) -> &mut Terminal {
        let begin = Instant::now();
        let mut shown = self.shared.lock();
        while !done(&mut shown) {
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let why = match (shown.closed, left.is_zero()) {
                (true, _) => "the program ended",
                (_, true) => "it took too long",
                _ => {
                    let woken = self.shared.more.wait_timeout(shown, left);
                    shown = woken.unwrap_or_else(|poison| poison.into_inner()).0;
                    continue;
                }
            };
            let (since, screen) = (everything(&mut shown.since), everything_on(&shown.screen));
            panic!(
                "{}\nno {what}: {why}. Since the last key:\n{since}\n--- the screen\n{screen}",
                self.line
            );
        }
        drop(shown);
        self
    }

    /// Waits until this text is on the screen. What draws only what changes prints no text
    /// as a whole.
    #[track_caller]
    pub fn sees(&mut self, text: &str) -> &mut Terminal {
        self.waits_until(&format!("\"{text}\" on the screen"), |_, screen| screen.contains(text))
    }

    /// Waits until this text was drawn since the last key, even if it stood for a moment
    /// only.
    #[track_caller]
    pub fn draws(&mut self, text: &str) -> &mut Terminal {
        self.awaits(&format!("\"{text}\""), |shown| {
            String::from_utf8_lossy(&shown.raw[shown.before_key..]).contains(text)
        })
    }

    /// Waits until the program reads single keys. Until then Backspace and Ctrl-C are the
    /// terminal's own: it takes back, or sends a signal, which whoever started the tests
    /// may have had all their processes ignore. It also echoes Enter, which moves what is
    /// to be cleared.
    #[track_caller]
    pub fn reads_keys(&mut self) -> &mut Terminal {
        use rustix::termios::{LocalModes, tcgetattr};
        self.waits_for_that("it reads no keys", |terminal| {
            // A pty's two ends share one set of modes.
            let modes = tcgetattr(&*terminal.pty).expect("a pty is a terminal");
            !modes.local_modes.contains(LocalModes::ICANON)
        });
        self
    }

    /// Forgets what was printed before.
    pub fn forget(&mut self) {
        let (columns, rows) = self.size;
        let mut shown = self.shared.lock();
        shown.since = parser(columns, rows);
        shown.before_key = shown.raw.len();
    }

    /// Types these keys, and forgets what was printed before them.
    #[track_caller]
    pub fn press(&mut self, keys: &str) -> &mut Terminal {
        self.forget();
        let sent = (&*self.pty).write_all(keys.as_bytes());
        assert!(sent.is_ok(), "{}\nnobody reads the keys {keys:?}", self.line);
        self
    }

    /// Changes the size of the terminal, as a user who drags a corner.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Terminal {
        self.size = (columns, rows);
        let mut shown = self.shared.lock();
        shown.since = parser(columns, rows);
        let screen = shown.screen.screen_mut();
        screen.set_size(side(rows), side(columns));
        drop(shown);
        self.tells_size(columns, rows)
    }

    /// Tells the program another size than the terminal has.
    pub fn tells_size(&mut self, columns: u16, rows: u16) -> &mut Terminal {
        let told = self.pty.resize(Size::new(rows, columns));
        told.expect("a pty has a size");
        self
    }

    /// The screen as it is, a line for each of its rows.
    pub fn screen(&self) -> String {
        everything_on(&self.shared.lock().screen)
    }

    /// The screen, and above it everything that has scrolled away.
    pub fn transcript(&self) -> String {
        everything(&mut self.shared.lock().screen)
    }

    /// The rows that were too long for the terminal, so that it broke them itself.
    pub fn broken_rows(&self) -> Vec<String> {
        let mut shown = self.shared.lock();
        let mut broken = Vec::new();
        for_each_screenful(&mut shown.screen, |screen, count| {
            let rows = rows(screen).into_iter().take(count).enumerate();
            let is_broken = |row: usize| screen.screen().row_wrapped(row as u16);
            broken.extend(rows.filter(|(i, _)| is_broken(*i)).map(|(_, row)| row));
        });
        broken
    }

    /// Every byte that came, escape codes included.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.shared.lock().raw).into_owned()
    }

    /// Sends the program SIGTERM, as `kill` does: the leader's only child.
    #[track_caller]
    pub fn terminate(&mut self) -> &mut Terminal {
        use rustix::process::{Pid, Signal, kill_process};
        let program = Pid::from_raw(self.program()).expect("no 0");
        kill_process(program, Signal::TERM).expect("it lives");
        self
    }

    /// The program's process, the leader's only child.
    #[track_caller]
    fn program(&self) -> i32 {
        let leader = self.child.id();
        let children = format!("/proc/{leader}/task/{leader}/children");
        let children = std::fs::read_to_string(children).expect("Linux has it");
        let child = children.split_whitespace().next();
        let child = child.and_then(|child| child.parse().ok());
        child.expect("the leader has a child")
    }

    /// Closes the terminal, as one closes a window; the program must not outlive it.
    #[track_caller]
    pub fn closes(self) {
        let program = format!("/proc/{}", self.program());
        let (line, begin) = (self.line.clone(), Instant::now());
        drop(self);
        while std::path::Path::new(&program).exists() {
            let patient = begin.elapsed() < PATIENCE / 4;
            assert!(patient, "{line}\ngoes on without its terminal");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether the terminal echoes and edits lines, and shows the cursor and the shell's own
    /// screen, as a shell expects to find it.
    pub fn is_in_order(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        let wanted = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        // A pty's two ends share one set of modes.
        let modes = tcgetattr(&*self.pty).expect("a pty is a terminal");
        let shown = self.shared.lock();
        let screen = shown.screen.screen();
        let as_it_was = !screen.hide_cursor() && !screen.alternate_screen();
        modes.local_modes.contains(wanted) && as_it_was
    }

    /// Waits for the end of the program: its exit status as a shell tells it, 128 and the
    /// signal's number after a signal. A key that comes while nobody reads keys is the
    /// terminal's, which sends the signal itself.
    #[track_caller]
    pub fn ends(&mut self) -> Option<i32> {
        let mut ended = None;
        self.waits_for_that("it does not end", |terminal| {
            ended = crate::seconds::try_wait(&mut terminal.child).expect("our own child");
            ended.is_some()
        });
        // Its last words may still be on their way through the pty.
        let (shown, patience) = (self.shared.lock(), Duration::from_secs(10));
        let closing = |shown: &mut Shown| !shown.closed;
        drop(self.shared.more.wait_timeout_while(shown, patience, closing));
        let (line, all) = (&self.line, self.transcript());
        assert!(!all.contains("panicked at"), "{line}\n{all}");
        ended.and_then(|ended| ended.code().or_else(|| Some(128 + ended.signal()?)))
    }

    /// The same, and asserts the status.
    #[track_caller]
    pub fn ends_with(&mut self, status: i32) {
        let ended = self.ends();
        assert_eq!(ended, Some(status), "{}\n{}", self.line, self.transcript());
    }

    #[track_caller]
    fn waits_for_that(&mut self, why: &str, mut done: impl FnMut(&mut Terminal) -> bool) {
        let begin = Instant::now();
        while !done(self) {
            let patient = begin.elapsed() < PATIENCE;
            assert!(patient, "{}\n{why}\n{}", self.line, self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It leads its session: what it started is hung up with it.
        let _ = self.child.kill();
        let _ = crate::seconds::wait(&mut self.child);
    }
}

fn everything_on(parser: &Parser) -> String {
    rows(parser).join("\n")
}

fn rows(parser: &Parser) -> Vec<String> {
    let screen = parser.screen();
    let rows = screen.rows(0, screen.size().1.get());
    rows.map(|row| row.trim_end().to_string()).collect()
}

/// The rows that scrolled away and the screen, from the oldest on.
fn everything(parser: &mut Parser) -> String {
    let mut all = Vec::new();
    for_each_screenful(parser, |parser, count| {
        all.extend(rows(parser).into_iter().take(count));
    });
    all.join("\n")
}

/// Shows what scrolled away screen by screen, and then the screen itself, each with
/// how many of its rows were not seen before.
fn for_each_screenful(parser: &mut Parser, mut see: impl FnMut(&Parser, usize)) {
    let height = usize::from(parser.screen().size().0.get());
    parser.screen_mut().set_scrollback(SCROLLBACK);
    let mut above = parser.screen().scrollback();
    while above > 0 {
        parser.screen_mut().set_scrollback(above);
        let count = above.min(height);
        see(parser, count);
        above -= count;
    }
    parser.screen_mut().set_scrollback(0);
    see(parser, height);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn a_program_sees_a_terminal_of_the_size_and_the_keys() {
        let mut terminal =
            shell("test -t 0 && test -t 1 && stty size && read x && echo \"got $x\"")
                .on_terminal(60, 20);
        terminal.waits_for("20 60");
        terminal.press("abc").press(key::ENTER).waits_for("got abc");
        terminal.ends_with(0);
        assert!(terminal.screen().starts_with("20 60"));
    }

    #[test]
    fn what_scrolled_away_is_found_and_what_came_before_a_key_is_not() {
        let mut terminal = shell("seq 500; read x; echo end; exit 3").on_terminal(80, 24);
        terminal.waits_for("\n17\n").waits_for("500");
        assert!(!terminal.screen().contains("17"));
        terminal.press(key::ENTER).waits_for("end");
        terminal.ends_with(3);
        let all = terminal.transcript();
        let lines: Vec<&str> = all.lines().take(500).collect();
        assert_eq!((lines[0], lines[16], lines[499]), ("1", "17", "500"));
    }

    #[test]
    fn rows_that_the_terminal_breaks_are_found() {
        let mut terminal = shell("seq 50; printf 'x%.0s' {1..30}; echo; seq 50").on_terminal(20, 5);
        terminal.ends_with(0);
        assert_eq!(terminal.broken_rows(), ["x".repeat(20)]);
    }

    #[test]
    fn a_terminal_left_in_raw_mode_without_a_cursor_or_elsewhere_is_not_in_order() {
        for (script, in_order) in [
            ("true", true),
            ("stty raw -echo", false),
            ("printf '\\033[?25l'", false),
            ("printf '\\033[?1049h'", false),
        ] {
            let mut terminal =
                shell(&format!("{script}; echo done; read -t 60 x; exit 0")).on_terminal(80, 24);
            terminal.waits_for("done");
            assert_eq!(terminal.is_in_order(), in_order, "{script}");
        }
    }

    #[test]
    #[should_panic(expected = "the program ended")]
    fn a_text_that_does_not_come_fails_with_the_screen() {
        shell("echo something").on_terminal(80, 24).waits_for("else");
    }
}
