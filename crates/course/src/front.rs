//! The front door: on a terminal the whole course is one screen. A map of lessons,
//! exercises and broken kernels; behind each of these a screen that checks its file after
//! every save, with a key for everything else. What the keys show is what the commands of
//! the same names print: each is run as a process, which the next key or save ends.
//!
//! # Layout
//!
//! - `course` is what there is to do, and what of it is done.
//! - `map` is the list of that; `puzzle_screen` is one of it.
//! - `page` is a page to read; `lesson` runs a lesson in the ordinary screen.

mod course;
mod lesson;
mod map;
mod page;
mod puzzle_screen;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use common::Error;
use process::lessons::Lesson;
use process::watch::saves::{News, Saves};
use text::screen::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use text::screen::{self, event_within};
use text::stream::Stream;

use crate::game::how::How;
use crate::game::puzzle::Puzzle;
use course::Course;
use map::Map;
use page::Page;
use puzzle_screen::PuzzleScreen;

/// How often the screen is drawn anew while something runs, and while nothing does: what is
/// timed meanwhile may need this very core.
const BUSY: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(1);
/// How long a key is waited for until files and checks are looked at.
const PAUSE: Duration = Duration::from_millis(50);

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
    Page(PathBuf),
}

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// A puzzle whose file is to be watched at once, and how it is checked.
pub type Begin<'a> = (&'a Puzzle, PathBuf, How);

/// Opens the map of these puzzles, or the screen of the one that is to `begin`.
pub fn open<'a>(puzzles: Vec<&'a Puzzle>, begin: Option<Begin<'a>>) -> Result<ExitCode> {
    let course = Course::of(puzzles)?;
    let mut front = Front {
        map: Map::of(&course),
        saves: Saves::of(Path::new(""), ""),
        puzzle: None,
        page: None,
        course,
    };
    if let Some(begin) = begin {
        front.begin(begin)?;
    }
    enter()?;
    let ran = front.run();
    screen::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

/// Takes the terminal, and its keys.
fn enter() -> Result<()> {
    screen::enter(Stream::Output, None).map_err(Error::Io)?;
    screen::take_keys();
    Ok(())
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
    fn run(&mut self) -> Result<()> {
        let mut drawn: Option<Instant> = None;
        loop {
            let is_busy = self.is_busy();
            let patience = if is_busy { BUSY } else { IDLE };
            if drawn.is_none_or(|drawn| drawn.elapsed() >= patience) {
                self.draw(false);
                drawn = Some(Instant::now());
            }
            // Without its terminal it has nothing to do.
            let Ok(event) = event_within(PAUSE) else {
                return Ok(());
            };
            if let Some(event) = event {
                drawn = None;
                match self.on(&event)? {
                    Then::Quit => return Ok(()),
                    Then::Stay => {}
                    Then::Map => self.close(),
                    Then::Open(puzzle) => self.open(puzzle)?,
                    Then::Page(place) => self.page = Page::open(&place)?,
                    Then::Run(lesson, in_steps) => {
                        lesson::run(lesson, in_steps)?;
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
        self.begin((
            puzzle,
            self.course.folder.file(puzzle),
            how.unwrap_or_default(),
        ))
    }

    fn begin(&mut self, begin: Begin<'a>) -> Result<()> {
        self.saves.turn_to(&begin.1, "");
        self.puzzle = Some(PuzzleScreen::begin(begin, &self.course)?);
        Ok(())
    }

    fn on(&mut self, event: &Event) -> Result<Then<'a>> {
        let key = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Resize(..) => {
                // All of it: what was there is torn, even if the size is as before.
                self.draw(true);
                return Ok(Then::Stay);
            }
            _ => return Ok(Then::Stay),
        };
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Ok(Then::Quit);
        }
        match (&mut self.page, &mut self.puzzle) {
            (Some(page), _) => {
                if !page.on(key.code) {
                    self.page = None;
                }
                Ok(Then::Stay)
            }
            (None, Some(screen)) => screen.on(key.code, &self.course),
            (None, None) => Ok(self.map.on(key.code, &self.course)),
        }
    }

    fn draw(&mut self, anew: bool) {
        let size = screen::size();
        let rows = match (&mut self.page, &mut self.puzzle) {
            (Some(page), _) => page.rows(size),
            (None, Some(screen)) => screen.rows(&self.course, size),
            (None, None) => self.map.rows(&self.course, size),
        };
        screen::draw(rows, anew);
    }
}
