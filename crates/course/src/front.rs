//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
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
use crate::game::puzzle::{Check, Puzzle};
use crate::game::turn::Turn;

/// How often the screen is drawn anew while something runs, and while nothing does: what is
/// timed meanwhile may need this very core.
const BUSY: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(1);
/// How long a key is waited for until files and checks are looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// Opens the screen of one of these puzzles.
pub fn open(puzzles: &[Puzzle], turn: Turn) -> Result<ExitCode> {
    let files = puzzles.iter().map(|one| turn.folder.file(one));
    let mut front = Front {
        saves: Saves::of(&[&turn.file], "")?,
        others: Others::of(files),
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
    others: Others,
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

    /// Another puzzle, whose file the learner has changed and saved.
    fn saved_elsewhere(&mut self) -> Option<&'a Puzzle> {
        let other = self.puzzles.get(self.others.look()?)?;
        let text = Source::read(&self.turn.folder.file(other)).ok()?.text;
        (other != self.turn.puzzle && other.is_edited(&text)).then_some(other)
    }

    /// What comes of a key; whether it goes on.
    fn goes_on_after(&mut self, event: &Event) -> Result<bool> {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Resize(..) => {
                // All of it: what was there is torn, even if the size is as before.
                self.draw();
                return Ok(true);
            }
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
            code => match (Scroll::of(code), self.command(code)) {
                (Some(to), _) => {
                    let shown = self.beside.as_mut().unwrap_or(&mut self.check);
                    shown.pane.scroll(to);
                }
                (_, Some(words)) => self.beside = Some(Shown::of(&words)?),
                _ => {}
            },
        }
        Ok(true)
    }

    /// The command of a key.
    fn command(&self, key: KeyCode) -> Option<Vec<String>> {
        let puzzle = self.turn.puzzle;
        let (command, id, answer) = (puzzle.kind.command, &*puzzle.id, puzzle.kind.answer);
        let file = self.turn.file.to_string_lossy();
        let words = match key.as_char()? {
            'h' => vec![command, &file, "--hint"],
            's' => vec![command, &file, answer],
            'l' => vec![command, "--list"],
            'd' if puzzle.solution.is_some() => vec![command, &file, "--diff"],
            't' if self.is_kernel() => vec!["trace", id, "--source", &file],
            'a' if self.is_kernel() => vec!["asm", id, "--source", &file],
            _ => return None,
        };
        Some(words.into_iter().map(String::from).collect())
    }

    fn is_kernel(&self) -> bool {
        !matches!(self.turn.puzzle.check, Check::Host(_))
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
        let Turn {
            puzzle,
            folder,
            file,
            ..
        } = &self.turn;
        self.says = match game::give_back(puzzle, file, folder) {
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
        let (id, done) = (&self.turn.puzzle.id, self.turn.puzzle.kind.done);
        // The file need not be the one whose progress is noted.
        let is_done = job.said().contains(&format!("{id}: {done}"));
        let state = match job.status() {
            None => {
                let (seconds, most) = (job.seconds(), self.turn.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(0) if is_done => format!("✓ {done}").green().bold(),
            Some(0) => "~ right, not proven".to_string().yellow(),
            Some(2 | 3) => "? it did not run".to_string().yellow(),
            Some(_) => format!("✗ not {done} yet; each save is checked").red(),
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
            "d" => self.turn.puzzle.solution.is_some(),
            "t" | "a" => self.is_kernel(),
            _ => true,
        });
        keys
    }
}

/// A text that scrolls: what a command says, or a page.
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
            page: String::new(),
            pane: Pane::default(),
        })
    }

    /// A page, by its place in the course without its end.
    fn page(place: &Path) -> Result<Shown> {
        let page = Source::read(&workspace().join(place.with_extension("md")))?.text;
        let (job, pane) = (None, Pane::default());
        Ok(Shown { job, page, pane })
    }

    /// All of it so far, colours and all.
    fn text(&mut self) -> String {
        match &mut self.job {
            None => self.page.clone(),
            Some(job) => match job.said() {
                said if said.is_empty() && job.status().is_none() => "...".into(),
                said => said,
            },
        }
    }

    /// Whether more may come.
    fn is_busy(&mut self) -> bool {
        let job = self.job.as_mut();
        job.is_some_and(|job| job.status().is_none())
    }
}

/// How often the files of the other puzzles are looked at.
const EVERY: Duration = Duration::from_millis(300);

/// The files of all puzzles, and when each was saved last: who saves another one than that on the
/// screen works on that one now.
struct Others {
    files: Vec<(PathBuf, Option<SystemTime>)>,
    looked: Instant,
}

impl Others {
    fn of(files: impl Iterator<Item = PathBuf>) -> Others {
        let files = files.map(|file| (file.clone(), saved(&file))).collect();
        let looked = Instant::now();
        Others { files, looked }
    }

    /// The place of one that was saved since the last look.
    fn look(&mut self) -> Option<usize> {
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        let mut found = None;
        for (at, (file, before)) in self.files.iter_mut().enumerate() {
            let now = saved(file);
            if now.is_some() && now != *before {
                found = Some(at);
            }
            *before = now;
        }
        found
    }
}

fn saved(file: &PathBuf) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}
