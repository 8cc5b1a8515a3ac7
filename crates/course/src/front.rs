//! `--watch` on a terminal: a screen that checks a puzzle's file after every save, with a key
//! for everything else. What the keys show is what the commands of the same names print: each
//! is run as a process, which the next key or save ends.
//!
//! # Layout
//!
//! - `puzzle_screen` is what is seen of a puzzle; `page` is a page to read.

mod page;
mod puzzle_screen;

use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use common::Error;
use process::watch::saves::{News, Saves};
use text::screen::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use text::screen::{self, event_within};
use text::stream::Stream;

use crate::game::folder::Folder;
use crate::game::how::How;
use crate::game::puzzle::Puzzle;
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
    /// This one's screen.
    Open(&'a Puzzle),
    /// Its page.
    Page(PathBuf),
}

/// Whether there is a screen, and somebody who has keys.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// What there is to do, and where.
pub struct Course<'a> {
    /// Of all kinds, each in teaching order.
    pub puzzles: Vec<&'a Puzzle>,
    pub folder: Folder,
}

impl<'a> Course<'a> {
    /// All of the same kind.
    pub fn like(&self, puzzle: &Puzzle) -> Vec<&'a Puzzle> {
        let all = self.puzzles.iter().copied();
        all.filter(|one| one.kind.command == puzzle.kind.command)
            .collect()
    }
}

/// A puzzle whose file is watched, and how it is checked.
pub type Begin<'a> = (&'a Puzzle, PathBuf, How);

/// Opens the screen of one of these puzzles.
pub fn open<'a>(puzzles: Vec<&'a Puzzle>, begin: Begin<'a>) -> Result<ExitCode> {
    let folder = Folder::find()?;
    let course = Course { puzzles, folder };
    let mut front = Front {
        saves: Saves::of(&begin.1, ""),
        puzzle: PuzzleScreen::begin(begin, &course)?,
        page: None,
        course,
    };
    screen::enter(Stream::Output, None).map_err(Error::Io)?;
    screen::take_keys();
    let ran = front.run();
    screen::leave();
    ran.map(|()| ExitCode::SUCCESS)
}

struct Front<'a> {
    course: Course<'a>,
    saves: Saves,
    puzzle: PuzzleScreen<'a>,
    /// A lesson's page, which lies over all.
    page: Option<Page>,
}

impl<'a> Front<'a> {
    fn run(&mut self) -> Result<()> {
        let mut drawn: Option<Instant> = None;
        loop {
            let is_busy = self.puzzle.is_busy();
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
                    Then::Open(puzzle) => self.open(puzzle)?,
                    Then::Page(place) => self.page = Page::open(&place)?,
                }
            }
            let was_busy = is_busy && !self.puzzle.is_busy();
            let news = self.saves.wait(Duration::ZERO);
            self.puzzle.hear(news)?;
            if let Some(other) = self.puzzle.saved_elsewhere(&self.course) {
                self.open(other)?;
            }
            match news {
                News::Interrupted => return Ok(()),
                News::Nothing if !was_busy => {}
                _ => drawn = None,
            }
        }
    }

    fn open(&mut self, puzzle: &'a Puzzle) -> Result<()> {
        let file = self.course.folder.file(puzzle);
        self.saves.turn_to(&file, "");
        let begin = (puzzle, file, self.puzzle.how.clone());
        self.puzzle = PuzzleScreen::begin(begin, &self.course)?;
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
        match &mut self.page {
            Some(page) => {
                if !page.on(key.code) {
                    self.page = None;
                }
                Ok(Then::Stay)
            }
            None => self.puzzle.on(key.code, &self.course),
        }
    }

    fn draw(&mut self, anew: bool) {
        let size = screen::size();
        let rows = match &mut self.page {
            Some(page) => page.rows(size),
            None => self.puzzle.rows(&self.course, size),
        };
        screen::draw(rows, anew);
    }
}
