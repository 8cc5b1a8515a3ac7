//! The front door: on a terminal the whole course is one screen. A map of lessons,
//! exercises and broken kernels; behind each of these a screen that checks its file after
//! every save, with a key for everything else. What the keys show is what the commands of
//! the same names print: each is run as a process, which the next key or save ends.
//!
//! # Layout
//!
//! - `course` is what there is to do, and what of it is done.
//! - `map` is the list of that; `puzzle_screen` is one exercise or broken kernel.
//! - `pane` is a text that scrolls, in `lines` that fit; `footer` what the keys do.
//! - `page` opens a lesson's page, `plain` is its text.
//! - `stage` runs a lesson in the ordinary screen.
//! - `others` sees that another file was saved than the one on the screen.

mod course;
mod footer;
mod lines;
mod map;
mod others;
mod page;
mod pane;
mod plain;
mod puzzle_screen;
mod stage;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use process::lessons::Lesson;
use process::watch::saves::{News, Saves};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, Frame};
use text::terminal::{in_ascii, shows_utf8};

use crate::game::playable::How;
use crate::game::puzzle::Puzzle;
use course::Course;
use map::Map;
use page::Page;
use puzzle_screen::PuzzleScreen;

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
    /// Its page.
    Page(&'static Lesson),
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
        puzzle: None,
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
    puzzle: Option<PuzzleScreen<'a>>,
    /// A lesson's page, which lies over all.
    page: Option<Page>,
}

impl<'a> Front<'a> {
    fn run(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let mut drawn: Option<Instant> = None;
        // What was typed or turned at once comes at once: then nothing is waited for.
        let mut pause = Duration::ZERO;
        loop {
            stage::listen_to_the_mouse(self.puzzle.is_none() && self.page.is_none());
            let is_busy = self.is_busy();
            let patience = if is_busy { BUSY } else { IDLE };
            if drawn.is_none_or(|drawn| drawn.elapsed() >= patience) {
                terminal.draw(|frame| self.draw(frame))?;
                drawn = Some(Instant::now());
            }
            if stage::is_gone_within(pause)? {
                return Ok(());
            }
            pause = stage::PAUSE;
            if event::poll(Duration::ZERO)? {
                pause = Duration::ZERO;
                let event = event::read()?;
                if let Event::Resize(columns, rows) = event {
                    // All of it: what was there is torn, even if the size is as before.
                    terminal.resize(Rect::new(0, 0, columns, rows))?;
                }
                drawn = None;
                match self.on(&event)? {
                    Then::Quit => return Ok(()),
                    Then::Stay => {}
                    Then::Map => self.close(),
                    Then::Open(puzzle) => self.open(puzzle)?,
                    Then::Page(lesson) => self.page = Page::open(lesson)?,
                    Then::Run(lesson, in_steps) => {
                        stage::run(terminal, lesson, in_steps)?;
                        self.saves.forget_interrupts();
                    }
                }
            }
            let was_busy = is_busy && !self.is_busy();
            match self.look()? {
                News::Interrupted => return Ok(()),
                News::Nothing if !was_busy => {}
                _ => drawn = None,
            }
        }
    }

    /// Whether something runs.
    fn is_busy(&mut self) -> bool {
        self.puzzle.as_mut().is_some_and(PuzzleScreen::is_busy)
    }

    /// What happened to files meanwhile.
    fn look(&mut self) -> Result<News> {
        let news = self.saves.wait(Duration::ZERO);
        if let Some(screen) = &mut self.puzzle {
            screen.hear(news)?;
            if let Some(other) = screen.saved_elsewhere(&self.course) {
                self.open(other)?;
            }
        }
        Ok(news)
    }

    fn close(&mut self) {
        if let Some(screen) = self.puzzle.take() {
            self.saves.turn_to(Path::new(""), "");
            self.map.select(screen.puzzle);
        }
    }

    fn open(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        let how = self.puzzle.take().map(|screen| screen.how);
        self.begin(Begin {
            puzzle,
            file: self.course.folder.file(puzzle),
            how: how.unwrap_or_default(),
        })
    }

    fn begin(&mut self, begin: Begin<'a>) -> Result<()> {
        self.saves.turn_to(&begin.file, "");
        self.puzzle = Some(PuzzleScreen::begin(begin, &self.course)?);
        Ok(())
    }

    fn on(&mut self, event: &Event) -> Result<Then<'a>> {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Mouse(mouse) if self.puzzle.is_none() => {
                return self.map.on_mouse(*mouse, &self.course);
            }
            _ => return Ok(Then::Stay),
        };
        if is_control_c(key) {
            return Ok(Then::Quit);
        }
        if let Some(page) = &mut self.page {
            if !page.on(key) {
                self.page = None;
            }
            return Ok(Then::Stay);
        }
        match &mut self.puzzle {
            Some(screen) => screen.on(key, &self.course),
            None => self.map.on(key, &self.course),
        }
    }

    fn draw(&mut self, frame: &mut Frame) {
        match (&mut self.page, &mut self.puzzle) {
            (Some(page), _) => page.draw(frame),
            (None, Some(screen)) => screen.draw(frame, &self.course),
            (None, None) => self.map.draw(frame, &self.course),
        }
        if !shows_utf8() {
            for cell in &mut frame.buffer_mut().content {
                let letter = in_ascii(cell.symbol());
                cell.set_symbol(&letter);
            }
        }
    }
}

fn is_control_c(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}
