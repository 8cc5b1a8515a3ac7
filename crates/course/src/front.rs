//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.

use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use common::Error;
use common::source::{Source, workspace};
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::style::Stylize;
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::wrap::lines;
use lesson::step::pane::{Pane, Scroll};
use lesson::step::screen::{self, event_within};
use watchdog::watch::saves::{News, Saves};

use crate::game;
use crate::game::background::Background;
use crate::game::folder::Folder;
use crate::game::puzzle::{Check, Puzzle};
use crate::game::turn::Turn;
use crate::game::verdict::Verdict;

/// How often the screen is drawn anew while something runs, and while nothing does: what is
/// timed meanwhile may need this very core.
const BUSY: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(1);
/// How often the files of the other puzzles are looked at.
const OTHERS: Duration = Duration::from_millis(300);
/// How long a key is waited for until files and checks are looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// Opens the screen of one of these puzzles.
pub fn open(puzzles: &[Puzzle], turn: Turn) -> Result<ExitCode> {
    let mut front = Front {
        saves: Saves::of(&[&turn.file], "")?,
        looked: Instant::now(),
        saved: last_saved(puzzles, turn.folder).map(|(when, _)| when),
        check: Shown::of(&turn.words())?,
        puzzles,
        turn,
        beside: None,
        asks: false,
        says: String::new(),
        is_gone: false,
    };
    screen::enter(Stream::Output, None).map_err(Error::Io)?;
    screen::take_keys();
    let ran = front.run();
    screen::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

struct Front<'a> {
    /// Of all kinds, each in teaching order.
    puzzles: &'a [Puzzle],
    /// When the files of all of them were looked at, and when the last of them had been saved.
    looked: Instant,
    saved: Option<SystemTime>,
    /// What is watched.
    turn: Turn<'a>,
    saves: Saves,
    check: Shown,
    /// What was asked for besides; it lies over the check.
    beside: Option<Shown>,
    /// Whether the file is to be given back is asked.
    asks: bool,
    /// What is said below, until the next key.
    says: String,
    is_gone: bool,
}

impl<'a> Front<'a> {
    fn run(&mut self) -> Result<()> {
        let mut drawn: Option<Instant> = None;
        loop {
            let is_busy = self.is_busy();
            let patience = if is_busy { BUSY } else { IDLE };
            if drawn.is_none_or(|drawn| drawn.elapsed() >= patience) {
                self.draw();
                drawn = Some(Instant::now());
            }
            // Without its terminal it has nothing to do.
            let Ok(event) = event_within(PAUSE) else {
                return Ok(());
            };
            if let Some(event) = event {
                drawn = None;
                if !self.goes_on_after(&event)? {
                    return Ok(());
                }
            }
            let news = self.saves.wait(Duration::ZERO);
            match news {
                News::Interrupted => return Ok(()),
                News::Saved => self.check_again()?,
                News::Gone => self.is_gone = true,
                _ => {}
            }
            if let Some(other) = self.saved_elsewhere() {
                self.turn_to(other)?;
            }
            if news != News::Nothing || is_busy && !self.is_busy() {
                drawn = None;
            }
        }
    }

    /// Whether something runs.
    fn is_busy(&mut self) -> bool {
        let mut all = self.beside.iter_mut().chain([&mut self.check]);
        all.any(Shown::is_busy)
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = Shown::of(&self.turn.words())?;
        (self.beside, self.is_gone) = (None, false);
        Ok(())
    }

    fn turn_to(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        self.turn.turn_to(puzzle);
        self.saves.turn_to(&self.turn.file, "")?;
        self.says.clear();
        self.asks = false;
        self.check_again()
    }

    /// Another puzzle, whose file the learner has changed and saved: that is worked on now.
    fn saved_elsewhere(&mut self) -> Option<&'a Puzzle> {
        if self.looked.elapsed() < OTHERS {
            return None;
        }
        self.looked = Instant::now();
        let (when, other) = last_saved(self.puzzles, self.turn.folder)?;
        if self.saved.replace(when) >= Some(when) || other == self.turn.puzzle {
            return None;
        }
        let text = Source::read(&self.turn.folder.file(other)).ok()?.text;
        other.is_edited(&text).then_some(other)
    }

    /// What comes of a key; whether it goes on.
    fn goes_on_after(&mut self, event: &Event) -> Result<bool> {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            _ => return Ok(true),
        };
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Ok(false);
        }
        self.says.clear();
        let puzzle = self.turn.puzzle;
        match key.code {
            code if std::mem::take(&mut self.asks) => {
                if code == KeyCode::Char('y') {
                    self.give_back();
                }
            }
            KeyCode::Char('r') => self.check_again()?,
            KeyCode::Char('x') => self.asks = true,
            KeyCode::Char('n') => self.go_to_next()?,
            KeyCode::Char('o') => self.beside = Some(Shown::page(&puzzle.page)?),
            KeyCode::Char('q') => return Ok(false),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Enter => self.beside = None,
            code => {
                if let Some(to) = Scroll::of(code) {
                    let shown = self.beside.as_mut().unwrap_or(&mut self.check);
                    shown.pane.scroll(to);
                } else if let Some(words) = code.as_char().and_then(|key| self.command(key)) {
                    self.beside = Some(Shown::of(&words)?);
                }
            }
        }
        Ok(true)
    }

    /// The command of a key.
    fn command(&self, key: char) -> Option<Vec<String>> {
        let puzzle = self.turn.puzzle;
        let (command, id, answer) = (puzzle.kind.command, &*puzzle.id, puzzle.kind.answer);
        let file = self.turn.file.to_string_lossy();
        let is_kernel = !matches!(puzzle.check, Check::Host(_));
        let words = match key {
            'h' => vec![command, &file, "--hint"],
            's' => vec![command, &file, answer],
            'l' => vec![command, "--list"],
            'd' if puzzle.solution.is_some() => vec![command, &file, "--diff"],
            't' if is_kernel => vec!["trace", id, "--source", &file],
            'a' if is_kernel => vec!["asm", id, "--source", &file],
            _ => return None,
        };
        Some(words.into_iter().map(String::from).collect())
    }

    /// All of the same kind.
    fn alike(&self) -> Vec<&'a Puzzle> {
        let kind = self.turn.puzzle.kind.command;
        let all = self.puzzles.iter();
        all.filter(|one| one.kind.command == kind).collect()
    }

    fn go_to_next(&mut self) -> Result<()> {
        let (puzzle, progress) = (self.turn.puzzle, self.turn.folder.progress());
        let next = progress.next_after(puzzle, &self.alike());
        if let Some(next) = next.filter(|next| *next != puzzle) {
            return self.turn_to(next);
        }
        self.says = format!("all others are {}", puzzle.kind.done);
        Ok(())
    }

    /// The save is seen, and so the file is checked.
    fn give_back(&mut self) {
        let turn = &self.turn;
        self.says = match game::give_back(turn.puzzle, &turn.file, turn.folder) {
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
        let (puzzle, progress) = (self.turn.puzzle, self.turn.folder.progress());
        let all = self.alike();
        let (done, count) = (progress.count_done(&all), all.len());
        let gauge = format!("{done} of {count} {}", puzzle.kind.done);
        let (seen, all) = (progress.of(&puzzle.id).hints, puzzle.words.hints.len());
        let hint = format!("hint {} of {all}", seen.saturating_add(1).min(all));
        let (keys, state) = (self.keys(&hint), self.state());
        let shown = self.beside.as_mut().unwrap_or(&mut self.check);
        let text = lines(shown.text().trim_end(), size.0);
        let rows = shown.pane.frame(vec![gauge], text, &state, &keys, size);
        screen::draw(rows);
    }

    /// How it stands, in a line.
    fn state(&mut self) -> String {
        if self.asks {
            let question = "Give back the file as it came? Yours is kept beside it.";
            return question.bold().to_string();
        }
        if self.is_gone {
            let gone = "the file is gone; it will be checked when it is back";
            return gone.yellow().to_string();
        }
        let Some(job) = &mut self.check.job else {
            return String::new();
        };
        let done = self.turn.puzzle.kind.done;
        // It tells the verdict before it ends.
        let is_busy = job.is_busy();
        let state = match job.verdict() {
            _ if is_busy => {
                let (seconds, most) = (job.seconds(), self.turn.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(Verdict::Done) => format!("✓ {done}").green().bold(),
            Some(Verdict::Unproven) => "~ right, not proven".to_string().yellow(),
            None | Some(Verdict::NotRun) => "? it did not run".to_string().yellow(),
            Some(Verdict::NotYet | Verdict::Untouched) => {
                format!("✗ not {done} yet; each save is checked").red()
            }
        };
        format!("{state}   {}", self.says)
    }

    fn keys<'k>(&self, hint: &'k str) -> Vec<(&'k str, &'k str)> {
        if self.asks {
            return vec![("y", "yes"), ("any other key", "no")];
        }
        #[rustfmt::skip]
        let mut keys = vec![
            ("Esc", "back"), ("h", hint), ("s", "solution"), ("d", "diff"), ("t", "trace"), ("a", "asm"),
            ("n", "next"), ("l", "list"), ("x", "reset"), ("o", "page"), ("r", "run again"), ("q", "quit"),
        ];
        keys.retain(|(key, _)| match *key {
            "Esc" => self.beside.is_some(),
            "d" | "t" | "a" => key.chars().all(|key| self.command(key).is_some()),
            _ => true,
        });
        keys
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

    /// A page, by its place in the course without its end.
    fn page(place: &Path) -> Result<Shown> {
        let page = Source::read(&workspace().join(place.with_extension("md")))?.text;
        Ok(Shown {
            page,
            ..Shown::default()
        })
    }

    /// All of it so far, colours and all.
    fn text(&mut self) -> String {
        match &mut self.job {
            None => self.page.clone(),
            Some(job) => match job.said() {
                said if said.is_empty() && job.is_busy() => "...".into(),
                said => said,
            },
        }
    }

    /// Whether more may come.
    fn is_busy(&mut self) -> bool {
        self.job.as_mut().is_some_and(Background::is_busy)
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
