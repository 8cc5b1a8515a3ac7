//! The front door: on a terminal the whole course is one screen. A map of lessons,
//! exercises and broken kernels; behind each of these a screen that checks its file after
//! every save, with a key for everything else. What the keys show is what the commands of
//! the same names print: each is run as a process, which the next key or save ends.
//!
//! # Layout
//!
//! - `course` is what there is to do, and what of it is done.
//! - `map` is the list of that; `turn` is one exercise or broken kernel.
//! - `pane` is a text that scrolls; `footer` what the keys do.
//! - `page` opens a lesson's page, `stage` runs a lesson in the ordinary screen.
//! - `others` sees that another file was saved than the one on the screen.

mod course;
mod footer;
mod map;
mod others;
mod page;
mod pane;
mod stage;
mod turn;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::{DefaultTerminal, Frame};
use supervise::watch::saves::{News, Saves};
use toolbox::lessons::Lesson;

use crate::game::playable::How;
use crate::game::puzzle::Puzzle;
use course::Course;
use map::Map;
use pane::Pane;
use turn::Turn;

/// How long a key is waited for until files and checks are looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// How often the screen is drawn anew while something runs, and while nothing does: what is
/// timed meanwhile may need this very core.
const BUSY: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(1);

/// What comes of a key.
pub enum Then<'a> {
    /// The same screen.
    Stay,
    Quit,
    /// Back to the map.
    Map,
    /// This one's screen.
    Open(&'a Puzzle),
    /// This lesson, perhaps step by step.
    Run(&'static Lesson, bool),
    /// The page of the lesson of this number.
    Page(u32),
}

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// A file that is to be watched at once, and how it is checked.
pub struct Begin<'a> {
    pub puzzle: &'a Puzzle,
    pub file: PathBuf,
    pub how: How,
}

/// Opens the map of these puzzles, or the screen of the one that is to `begin`.
pub fn open<'a>(puzzles: Vec<&'a Puzzle>, begin: Option<Begin<'a>>) -> Result<ExitCode> {
    let course = Course::of(puzzles)?;
    let mut front = Front {
        map: Map::of(&course),
        saves: Saves::of(Path::new(""), "")?,
        turn: None,
        page: None,
        course,
    };
    if let Some(begin) = begin {
        front.begin(begin)?;
    }
    let mut terminal = stage::enter()?;
    let ran = front.run(&mut terminal);
    stage::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

struct Front<'a> {
    course: Course<'a>,
    map: Map<'a>,
    saves: Saves,
    /// What lies over the map.
    turn: Option<Turn<'a>>,
    /// A lesson's page, which lies over all.
    page: Option<(String, Pane)>,
}

impl<'a> Front<'a> {
    fn run(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let mut drawn: Option<Instant> = None;
        loop {
            stage::listen_to_the_mouse(self.turn.is_none() && self.page.is_none());
            let is_busy = self.turn.as_mut().is_some_and(Turn::is_busy);
            let patience = if is_busy { BUSY } else { IDLE };
            if drawn.is_none_or(|drawn| drawn.elapsed() >= patience) {
                terminal.draw(|frame| self.draw(frame))?;
                drawn = Some(Instant::now());
            }
            if stage::is_gone_within(PAUSE)? {
                return Ok(());
            }
            let mut then = Then::Stay;
            if event::poll(Duration::ZERO)? {
                then = self.on(&event::read()?)?;
                drawn = None;
            }
            match then {
                Then::Quit => return Ok(()),
                Then::Stay => {}
                Then::Map => self.close(),
                Then::Open(puzzle) => self.open(puzzle)?,
                Then::Page(lesson) => {
                    self.page = page::open(lesson)?.map(|text| (text, Pane::default()))
                }
                Then::Run(lesson, in_steps) => {
                    stage::run(terminal, lesson, in_steps)?;
                    self.saves.forget_interrupts();
                }
            }
            let was_busy = is_busy && !self.turn.as_mut().is_some_and(Turn::is_busy);
            match self.look()? {
                News::Interrupted => return Ok(()),
                News::Nothing if !was_busy => {}
                _ => drawn = None,
            }
        }
    }

    /// What happened to files meanwhile.
    fn look(&mut self) -> Result<News> {
        let news = self.saves.wait(Duration::ZERO);
        if let Some(turn) = &mut self.turn {
            turn.hear(news)?;
            if let Some(other) = turn.saved_elsewhere(&self.course) {
                self.open(other)?;
            }
        }
        Ok(news)
    }

    fn close(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.saves.turn_to(Path::new(""), "");
            self.map.select(&self.course, turn.puzzle);
        }
    }

    fn open(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        let how = self.turn.take().map(|turn| turn.how);
        self.begin(Begin {
            puzzle,
            file: self.course.folder.file(puzzle),
            how: how.unwrap_or_default(),
        })
    }

    fn begin(&mut self, begin: Begin<'a>) -> Result<()> {
        self.saves.turn_to(&begin.file, "");
        self.turn = Some(Turn::begin(begin, &self.course)?);
        Ok(())
    }

    fn on(&mut self, event: &Event) -> Result<Then<'a>> {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Mouse(mouse) if self.turn.is_none() => {
                return self.map.on_mouse(*mouse, &self.course);
            }
            _ => return Ok(Then::Stay),
        };
        if is_control_c(key) {
            return Ok(Then::Quit);
        }
        if let Some((_, pane)) = &mut self.page {
            if !pane.on(key) {
                self.page = None;
            }
            return Ok(Then::Stay);
        }
        match &mut self.turn {
            Some(turn) => turn.on(key, &self.course),
            None => self.map.on(key, &self.course),
        }
    }

    fn draw(&mut self, frame: &mut Frame) {
        match (&mut self.page, &mut self.turn) {
            (Some((text, pane)), _) => {
                let keys =
                    footer::lines(&[("↑↓", "scroll"), ("any other key", "back")], frame.area());
                let parts = [Constraint::Min(1), Constraint::Length(keys.len() as u16)];
                let [body, foot] = Layout::vertical(parts).areas(frame.area());
                pane.draw(frame, body, text);
                frame.render_widget(ratatui::text::Text::from(keys), foot);
            }
            (None, Some(turn)) => turn.draw(frame, &self.course),
            (None, None) => self.map.draw(frame, &self.course),
        }
    }
}

fn is_control_c(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}
