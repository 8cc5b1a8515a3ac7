//! One exercise or broken kernel: its check after every save, and a key for the rest.

use std::path::{Path, PathBuf};

use anyhow::Result;
use common::source::Source;
use process::watch::saves::News;
use text::screen::crossterm::event::KeyCode;
use text::screen::crossterm::style::Stylize;
use text::screen::pane::{Pane, Scroll, both_ends, key_lines};

use super::course::Course;
use super::others::Others;
use super::{Begin, Then};
use crate::game::background::Background;
use crate::game::playable::How;
use crate::game::progress::Progress;
use crate::game::puzzle::Puzzle;
use crate::game::{self, watch};

pub struct PuzzleScreen<'a> {
    pub puzzle: &'a Puzzle,
    pub how: How,
    file: PathBuf,
    check: Background,
    pane: Pane,
    /// What was asked for besides; it lies over the check.
    beside: Option<(Background, Pane)>,
    others: Others,
    /// Whether the file is to be given back is asked.
    asks: bool,
    /// What is said below, until the next key.
    says: String,
    is_gone: bool,
}

impl<'a> PuzzleScreen<'a> {
    /// Begins with a check.
    pub fn begin(begin: Begin<'a>, course: &Course) -> Result<PuzzleScreen<'a>> {
        let Begin { puzzle, file, how } = begin;
        let files = course.puzzles.iter().map(|one| course.folder.file(one));
        Ok(PuzzleScreen {
            check: check(puzzle, &file, &how)?,
            others: Others::of(files),
            puzzle,
            how,
            file,
            pane: Pane::default(),
            beside: None,
            asks: false,
            says: String::new(),
            is_gone: false,
        })
    }

    /// What happened to the file.
    pub fn hear(&mut self, news: News) -> Result<()> {
        match news {
            News::Saved => {
                self.is_gone = false;
                self.check_again()
            }
            News::Gone => {
                self.is_gone = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether something runs.
    pub fn is_busy(&mut self) -> bool {
        let beside = self.beside.as_mut().map(|(job, _)| job);
        let mut jobs = beside.into_iter().chain([&mut self.check]);
        jobs.any(|job| job.status().is_none())
    }

    /// Ends the check that runs, and begins another.
    fn check_again(&mut self) -> Result<()> {
        self.check = check(self.puzzle, &self.file, &self.how)?;
        self.pane = Pane::default();
        self.beside = None;
        Ok(())
    }

    /// Another puzzle, whose file the learner has changed and saved.
    pub fn saved_elsewhere(&mut self, course: &Course<'a>) -> Option<&'a Puzzle> {
        let other = *course.puzzles.get(self.others.look()?)?;
        let text = Source::read(&course.folder.file(other)).ok()?.text;
        (other != self.puzzle && other.is_edited(&text)).then_some(other)
    }

    pub fn on(&mut self, key: KeyCode, course: &Course<'a>) -> Result<Then<'a>> {
        self.says.clear();
        if std::mem::take(&mut self.asks) {
            if key == KeyCode::Char('y') {
                self.give_back(course);
            }
            return Ok(Then::Stay);
        }
        if let Some(to) = Scroll::of(key) {
            let beside = self.beside.as_mut().map(|(_, pane)| pane);
            beside.unwrap_or(&mut self.pane).scroll(to);
            return Ok(Then::Stay);
        }
        let answer = self.puzzle.kind.answer;
        match key {
            KeyCode::Char('h') => self.show(&["--hint"])?,
            KeyCode::Char('s') => self.show(&[answer])?,
            KeyCode::Char('d') if self.puzzle.solution.is_some() => self.show(&["--diff"])?,
            KeyCode::Char('t') => self.look_inside("trace")?,
            KeyCode::Char('a') => self.look_inside("asm")?,
            KeyCode::Char('r') => self.check_again()?,
            KeyCode::Char('x') => self.asks = true,
            KeyCode::Char('n') => return Ok(self.next(course)),
            KeyCode::Char('o') => return Ok(Then::Page(self.puzzle.lesson)),
            KeyCode::Char('?') => return Ok(Then::Keys),
            KeyCode::Char('l') => return Ok(Then::Map),
            KeyCode::Char('q') => return Ok(Then::Quit),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Enter => self.beside = None,
            _ => {}
        }
        Ok(Then::Stay)
    }

    /// What the puzzle's command prints with these flags.
    fn show(&mut self, flags: &[&str]) -> Result<()> {
        let mut words = self.words();
        words.extend(flags.iter().map(ToString::to_string));
        self.put_beside(&words)
    }

    fn look_inside(&mut self, command: &str) -> Result<()> {
        let file = self.file.to_string_lossy().into_owned();
        let words = [command, &self.puzzle.id, "--source", &file].map(String::from);
        self.put_beside(&words)
    }

    fn put_beside(&mut self, words: &[String]) -> Result<()> {
        self.beside = Some((Background::for_a_screen(words)?, Pane::default()));
        Ok(())
    }

    fn words(&self) -> Vec<String> {
        let file = self.file.to_string_lossy().into_owned();
        vec![self.puzzle.kind.command.into(), file]
    }

    fn next(&mut self, course: &Course<'a>) -> Then<'a> {
        let all = course.like(self.puzzle);
        let next = course.progress().next_after(self.puzzle, &all);
        match next.filter(|next| *next != self.puzzle) {
            Some(next) => Then::Open(next),
            None => {
                self.says = format!("all others are {}", self.puzzle.kind.done);
                Then::Stay
            }
        }
    }

    /// The save is seen, and so the file is checked.
    fn give_back(&mut self, course: &Course) {
        let given = game::give_back(self.puzzle, &self.file, &course.folder);
        self.says = match given {
            Ok(Some(kept)) => {
                let name = kept.file_name().unwrap_or(kept.as_os_str());
                format!("yours is kept: {}", name.to_string_lossy())
            }
            Ok(None) => "it is as it came".into(),
            Err(error) => format!("{error:#}"),
        };
    }

    pub fn rows(&mut self, course: &Course, (columns, rows): (usize, usize)) -> Vec<String> {
        let progress = course.progress();
        let gauge = course.gauge(self.puzzle, &progress, columns);
        let keys = self.footer(&progress, (columns, rows));
        let state = self.state();
        let (job, pane) = match &mut self.beside {
            Some((job, pane)) => (job, pane),
            None => (&mut self.check, &mut self.pane),
        };
        let mut text = job.said();
        if text.is_empty() && job.status().is_none() {
            text = "...".into();
        }
        pane.lay_out_text(&text, columns, rows.saturating_sub(2 + keys.len()));
        let place = pane.place().yellow().to_string();
        let status = both_ends(&state, &place, columns);
        [vec![gauge], pane.shown(), vec![status], keys].concat()
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
        let done = self.puzzle.kind.done;
        // The file need not be the one whose progress is noted.
        let solved = format!("{}: {done}", self.puzzle.id);
        let state = match self.check.status() {
            None => {
                let (seconds, most) = (self.check.seconds(), self.how.timeout);
                format!("checking, {seconds} s; a launch ends after {most} s").cyan()
            }
            Some(0) if self.check.said().contains(&solved) => format!("✓ {done}").green().bold(),
            Some(0) => "~ right, not proven".to_string().yellow(),
            Some(2 | 3) => "? it did not run".to_string().yellow(),
            Some(_) => format!("✗ not {done} yet; each save is checked").red(),
        };
        format!("{state}   {}", self.says)
    }

    fn footer(&self, progress: &Progress, size: (usize, usize)) -> Vec<String> {
        if self.asks {
            return key_lines(&[("y", "yes"), ("any other key", "no")], size);
        }
        let seen = progress.of(&self.puzzle.id).hints;
        let all = self.puzzle.hints.len();
        let hint = format!("hint {} of {all}", seen.saturating_add(1).min(all));
        let mut keys = vec![
            ("h", &*hint),
            ("s", "solution"),
            ("d", "diff"),
            ("t", "trace"),
        ];
        keys.extend([("a", "asm"), ("n", "next"), ("l", "list"), ("x", "reset")]);
        keys.extend([("o", "page"), ("r", "run again"), ("q", "quit")]);
        keys.retain(|(key, _)| *key != "d" || self.puzzle.solution.is_some());
        if self.beside.is_some() {
            keys.insert(0, ("Esc", "back"));
        }
        key_lines(&keys, size)
    }
}

fn check(puzzle: &Puzzle, file: &Path, how: &How) -> Result<Background> {
    Background::for_a_screen(&watch::words(puzzle, file, how))
}
