//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.

use std::io::{IsTerminal, stdin, stdout};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use common::Error;
use common::clone::workspace;
use common::source::Source;
use crossterm::event::KeyCode;
use crossterm::style::Stylize;
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::wrap::lines;
use lesson::step::pane::{Pane, Scroll};
use lesson::step::screen::{self, Input, input_within};
use watchdog::watch::saves::{News, Saves};

use super::background::Background;
use super::folder::Folder;
use super::list::List;
use super::markdown::markdown;
use super::puzzle::{Kind, Puzzle};
use super::turn::Turn;
use super::verdict::Verdict;
use super::{give_back, is_tried};

/// How long a key is waited for until files and checks are looked at.
const TICK: Duration = Duration::from_millis(100);

/// The columns of the bar of what is solved.
const BAR: usize = 30;

/// The keys below the screen.
#[rustfmt::skip]
const KEYS: [(&str, &str); 7] = [
    ("Esc", "back"), ("h", "hint"), ("s", "solution"), ("n", "next"), ("l", "list"), ("?", "keys"),
    ("q", "quit"),
];
/// Those of the list.
#[rustfmt::skip]
const LIST: [(&str, &str); 4] = [
    ("Esc", "back"), ("Up Down", "move"), ("Enter", "continue there"), ("letters", "search"),
];
/// Those that do not stand there.
const MORE: &str = "  e  your editor, which $VISUAL or $EDITOR names, with this file
  d  what differs between your file and the solution
  t  the memory traffic of each line
  a  the innermost loop in machine code
  o  the page that is about it
  r  check it once more
  x  the file as it came; yours is kept beside it
  Up Down PgUp PgDn Home End   scroll

Each save is checked by itself. Who saves the file of another exercise turns to that one.";

/// What is asked before it is done.
#[derive(Clone, Copy)]
enum Ask {
    /// Whether the file is to be given back as it came.
    Reset,
    /// Whether the solution is to be seen before an attempt.
    Solution,
}

/// What lies over the check.
enum Over<'a> {
    Nothing,
    Text(Shown),
    List(List<'a>, Pane),
}

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// Opens the screen of one of these puzzles.
pub fn open(puzzles: &[Puzzle], turn: Turn) -> Result<ExitCode> {
    let mut front = Front {
        saves: Saves::of(&[&turn.file], "")?,
        saved: last_saved(puzzles, turn.folder).map(|(when, _)| when),
        check: Shown::of(&turn.words(None))?,
        puzzles,
        turn,
        over: Over::Nothing,
        asks: None,
        says: String::new(),
        is_gone: false,
        drawn: Vec::new(),
    };
    enter()?;
    let ran = front.run();
    screen::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

fn enter() -> Result<()> {
    screen::enter(Stream::Output, None).map_err(Error::Io)?;
    screen::take_keys();
    Ok(())
}

struct Front<'a> {
    /// All of them.
    puzzles: &'a [Puzzle],
    /// When the last of them had been saved.
    saved: Option<SystemTime>,
    /// What is watched.
    turn: Turn<'a>,
    saves: Saves,
    check: Shown,
    over: Over<'a>,
    asks: Option<Ask>,
    /// What is said below, until the next key.
    says: String,
    is_gone: bool,
    /// What is seen.
    drawn: Vec<String>,
}

impl<'a> Front<'a> {
    fn run(&mut self) -> Result<()> {
        loop {
            self.draw();
            match input_within(TICK) {
                // Without its terminal it has nothing to do.
                Err(_) | Ok(Some(Input::Interrupt)) => return Ok(()),
                Ok(Some(Input::Resized)) => self.drawn.clear(),
                Ok(Some(Input::Key(key))) if !self.goes_on_after(key)? => return Ok(()),
                _ => {}
            }
            match self.saves.wait(Duration::ZERO) {
                News::Interrupted => return Ok(()),
                News::Saved => self.check_again()?,
                News::Gone => self.is_gone = true,
                _ => {}
            }
            if let Some(other) = self.saved_elsewhere() {
                self.turn_to(other)?;
            }
        }
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = Shown::of(&self.turn.words(None))?;
        (self.over, self.is_gone) = (Over::Nothing, false);
        Ok(())
    }

    fn turn_to(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        self.turn.turn_to(puzzle);
        self.saves.turn_to(&self.turn.file, "")?;
        self.says.clear();
        self.asks = None;
        self.check_again()
    }

    /// Another puzzle, whose file the learner has changed and saved: that is worked on now.
    fn saved_elsewhere(&mut self) -> Option<&'a Puzzle> {
        let (when, other) = last_saved(self.puzzles, self.turn.folder)?;
        if self.saved.replace(when) >= Some(when) || other == self.turn.puzzle {
            return None;
        }
        let text = Source::read(&self.turn.folder.file(other)).ok()?.text;
        other.is_edited(&text).then_some(other)
    }

    /// What comes of a key; whether it goes on.
    fn goes_on_after(&mut self, key: KeyCode) -> Result<bool> {
        self.says.clear();
        if let Some(ask) = self.asks.take() {
            match ask {
                _ if key != KeyCode::Char('y') => {}
                Ask::Reset => self.give_back(),
                Ask::Solution => self.over = self.said_by('s')?,
            }
            return Ok(true);
        }
        if let (Over::List(list, _), true) = (&mut self.over, key != KeyCode::Esc) {
            if let Some(chosen) = list.key(key) {
                self.turn_to(chosen)?;
            }
            return Ok(true);
        }
        let puzzle = self.turn.puzzle;
        match key {
            KeyCode::Char('q') => return Ok(false),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Enter => self.over = Over::Nothing,
            KeyCode::Char('r') => self.check_again()?,
            KeyCode::Char('x') => self.asks = Some(Ask::Reset),
            KeyCode::Char('s') if !is_tried(puzzle, &self.turn.file) => {
                self.asks = Some(Ask::Solution);
            }
            KeyCode::Char('n') => self.go_to_next()?,
            KeyCode::Char('e') => self.edit()?,
            KeyCode::Char('l') => {
                self.over = Over::List(List::at(puzzle, self.puzzles), Pane::default());
            }
            KeyCode::Char('o') => {
                let page = Source::read(&workspace().join(puzzle.page.with_extension("md")))?;
                // A problem's solutions are not read by mistake.
                let page = page.text.split("\n## Hints").next().unwrap_or_default();
                self.over = Over::Text(Shown::text(markdown(page, 0)));
            }
            KeyCode::Char('?') => {
                let keys = self.keys().into_iter();
                let keys = keys.map(|(key, does)| format!("  {key}  {does}\n"));
                self.over = Over::Text(Shown::text(keys.collect::<String>() + MORE));
            }
            KeyCode::Char(key @ ('h' | 's' | 'd' | 't' | 'a')) => self.over = self.said_by(key)?,
            code => {
                let shown = match &mut self.over {
                    Over::Text(shown) => shown,
                    _ => &mut self.check,
                };
                Scroll::of(code).map(|to| shown.pane.scroll(to));
            }
        }
        Ok(true)
    }

    /// What the command of a key says.
    fn said_by(&self, key: char) -> Result<Over<'a>> {
        let (puzzle, file) = (self.turn.puzzle, self.turn.file.to_string_lossy());
        let of_kernel = |tool: &str| [tool, &puzzle.id, "--source", &file].map(String::from);
        let words = match key {
            'h' => self.turn.words(Some("--hint")),
            's' => self.turn.words(Some("--solution")),
            'd' => self.turn.words(Some("--diff")),
            _ if puzzle.kind == Kind::Program => {
                return Ok(Over::Text(Shown::text("  It is no kernel.".into())));
            }
            't' => of_kernel("trace").into(),
            _ => of_kernel("asm").into(),
        };
        Ok(Over::Text(Shown::of(&words)?))
    }

    fn go_to_next(&mut self) -> Result<()> {
        let all: Vec<&Puzzle> = self.puzzles.iter().collect();
        let (puzzle, progress) = (self.turn.puzzle, self.turn.folder.progress());
        let next = progress.next_after(puzzle, &all);
        if let Some(next) = next.filter(|next| *next != puzzle) {
            return self.turn_to(next);
        }
        self.says = "all others are solved".into();
        Ok(())
    }

    /// The learner's editor has the terminal until it ends. What it saves is seen.
    fn edit(&mut self) -> Result<()> {
        let named = ["VISUAL", "EDITOR"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok());
        let editor = { named }.find(|name| !name.is_empty());
        let editor = editor.unwrap_or("vi".into());
        screen::leave();
        // By a shell, since it may have flags.
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{editor} \"$1\""), "sh"]);
        let ended = shell.arg(&self.turn.file).status();
        enter()?;
        self.drawn.clear();
        if !ended.as_ref().is_ok_and(|status| status.success()) {
            self.says = format!("{editor} failed; EDITOR names another");
        }
        Ok(())
    }

    /// The save is seen, and so the file is checked.
    fn give_back(&mut self) {
        let turn = &self.turn;
        self.says = match give_back(turn.puzzle, &turn.file, turn.folder) {
            Ok(Some(kept)) => {
                let name = kept.file_name().unwrap_or(kept.as_os_str());
                format!("yours is kept: {}", name.to_string_lossy())
            }
            Ok(None) => "it is as it came".into(),
            Err(error) => format!("{error:#}"),
        };
    }

    fn draw(&mut self) {
        let size = screen::size();
        let progress = self.turn.folder.progress();
        let done = progress.count_done(&self.puzzles.iter().collect::<Vec<_>>());
        let all = self.puzzles.len();
        let blocks = (BAR * done).div_ceil(all.max(1));
        let bar = ["█".repeat(blocks), "░".repeat(BAR - blocks)].concat();
        let gauge = format!("{done} of {all} solved  {}", bar.green());
        let keys = self.keys();
        let keys: Vec<_> = keys.iter().map(|(key, does)| (*key, &**does)).collect();
        let mut state = self.state();
        let (pane, text) = match &mut self.over {
            Over::List(list, pane) => {
                let (rows, cursor) = list.rows(&progress, size.0);
                pane.cursor = Some(cursor);
                state = format!("/{}_", list.search);
                (pane, rows)
            }
            Over::Text(shown) => shown.laid_out(size.0),
            Over::Nothing => self.check.laid_out(size.0),
        };
        let rows = pane.frame(vec![gauge], text, &state, &keys, size);
        // What is timed meanwhile may need this very core.
        if rows != self.drawn {
            screen::draw(&rows);
            self.drawn = rows;
        }
    }

    /// How it stands, in a line.
    fn state(&mut self) -> String {
        let name = self.turn.name();
        let question = match self.asks {
            Some(Ask::Reset) => format!("Give back {name} as it came? Yours is kept beside it."),
            Some(Ask::Solution) => {
                "You have not changed your file yet. See the solution all the same?".into()
            }
            None if self.is_gone => {
                let gone = format!("{name} is gone; it will be checked when it is back");
                return gone.yellow().to_string();
            }
            None => String::new(),
        };
        if !question.is_empty() {
            return question.bold().to_string();
        }
        let Some(job) = &mut self.check.job else {
            return String::new();
        };
        // It tells the verdict before it ends.
        let is_busy = job.is_busy();
        let state = match job.verdict() {
            _ if is_busy => {
                let (seconds, most) = (job.seconds(), self.turn.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(Verdict::Done) => " ✓ solved; n: next ".to_string().black().on_green().bold(),
            Some(Verdict::Unproven) => "~ right, not proven".to_string().yellow(),
            None | Some(Verdict::NotRun) => "? it did not run".to_string().yellow(),
            Some(Verdict::NotYet | Verdict::Untouched) => {
                "✗ not solved yet; each save is checked".to_string().red()
            }
        };
        format!("{state}   {}", self.says).trim_end().into()
    }

    /// The keys below the screen.
    fn keys(&self) -> Vec<(&'static str, String)> {
        let hints = self.turn.puzzle.words.hints.len();
        let seen = self.turn.folder.progress().of(&self.turn.puzzle.id).hints;
        let hint = format!("hint {} of {hints}", seen.saturating_add(1).min(hints));
        let keys: &[(&str, &str)] = match (&self.over, self.asks) {
            (_, Some(_)) => &[("y", "yes"), ("any other key", "no")],
            (Over::List(..), _) => &LIST,
            (Over::Text(_), _) => &KEYS,
            (Over::Nothing, _) => &KEYS[1..],
        };
        let keys = keys.iter().map(|(key, does)| match *key {
            "h" => ("h", hint.clone()),
            key => (key, does.to_string()),
        });
        keys.collect()
    }
}

/// A text that scrolls: what a command says, or a page.
#[derive(Default)]
struct Shown {
    /// The command that says it; none of a page.
    job: Option<Background>,
    page: String,
    pane: Pane,
}

impl Shown {
    /// What this command says.
    fn of(words: &[String]) -> Result<Shown> {
        Ok(Shown {
            job: Some(Background::start(words, true)?),
            ..Shown::default()
        })
    }

    fn text(page: String) -> Shown {
        Shown {
            page,
            ..Shown::default()
        }
    }

    /// All of it so far, colours and all, in lines of so many columns.
    fn laid_out(&mut self, columns: usize) -> (&mut Pane, Vec<String>) {
        let text = match &mut self.job {
            None => self.page.clone(),
            Some(job) => match job.said() {
                said if said.is_empty() && job.is_busy() => "...".into(),
                said => said,
            },
        };
        (&mut self.pane, lines(text.trim_end(), columns))
    }
}

/// The puzzle whose file was saved last, and when.
fn last_saved<'a>(puzzles: &'a [Puzzle], folder: &Folder) -> Option<(SystemTime, &'a Puzzle)> {
    let saved = puzzles.iter().filter_map(|puzzle| {
        let file = std::fs::metadata(folder.file(puzzle)).ok()?;
        Some((file.modified().ok()?, puzzle))
    });
    saved.max_by_key(|(when, _)| *when)
}
