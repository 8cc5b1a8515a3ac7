//! Waiting for a key, and what each key does.

use common::error::{Error, Result, UserRequest};
use process::events::Event;
use text::screen::crossterm::event::KeyCode::{
    self, Char, Down, Enter, Esc, Left, PageDown, PageUp, Right, Up,
};
use text::screen::pane::Scroll;
use text::screen::{give_keys_back, take_keys};

use super::card::Geometry;
use super::piece::bold;
use super::questions::{self, Target};
use super::stage::{Key, Stage, View};
use super::state::State;

const TOP: Scroll = Scroll::To(0);
/// Rows and columns of a buffer's corner; for a room.
const CORNERS: [usize; 2] = [8, 6];

#[rustfmt::skip]
const NOW: [Key; 9] = [
    ("Enter", "next"), ("b", "back"), ("j", "jump"), ("k", "kernel"), ("m", "memory"),
    ("f", "figures"), AGAIN, ("n", "ahead"), ("q", "quit"),
];
/// Only where there is a launch that could be done again.
const AGAIN: Key = ("r", "again");
#[rustfmt::skip]
const PAST: [Key; 5] = [
    ("Enter", "forward"), ("b", "back"), ("w", "why"), ("k", "kernel"), ("Esc", "now"),
];
const TEXT: [Key; 3] = [
    ("Up Down PgUp PgDn", "scroll"),
    ("b", "back a screen"),
    ("Esc", "back"),
];

impl State {
    /// Waits for a key, if there is somebody to press one and something to read.
    pub fn pause(&mut self) -> Result<()> {
        self.tell_captured();
        let wait = self.unseen && !self.hurried && self.until.is_none();
        self.unseen = false;
        match self.stage.clone().filter(|_| wait) {
            Some(stage) => self.while_paused(|state| state.answer_keys(&stage)),
            None => Ok(()),
        }
    }

    /// Does something that a person may take any time for: the process that
    /// watches must not take it for a hang.
    pub fn while_paused<T>(&mut self, wait: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        self.tell_place(self.now(), "")?;
        take_keys();
        let waited = wait(self);
        give_keys_back();
        self.events.send(&Event::Resumed)?;
        waited
    }

    /// Answers keys until one leads forward; another way on is an error.
    fn answer_keys(&mut self, stage: &Stage) -> Result<()> {
        let mut view = self.view(self.now());
        view.keys = NOW.into();
        view.keys.retain(|key| self.repeatable || *key != AGAIN);
        stage.show_from(view.clone(), 0);
        loop {
            let key = key_that_turns_no_page(stage)?;
            let top = stage.top();
            let now = self.now();
            match key {
                Enter | Char(' ') | Right => return Ok(()),
                Char('n') => {
                    self.hurried = true;
                    return Ok(());
                }
                Char('j' | 'g') if self.jump(stage)? => return Ok(()),
                Char('b') | Left => self.look_back(stage, TOP)?,
                Up | PageUp => self.look_back(stage, Scroll::Bottom)?,
                Char('w') => drop(read(stage, self.why(now), TOP)?),
                Char('k') => drop(read(stage, self.cards.shown_kernel(), TOP)?),
                Char('m') => drop(read(stage, self.look_into_memory()?, TOP)?),
                Char('f') => drop(read(stage, self.figures(), TOP)?),
                Char('r') if self.repeatable => return Err(Error::Asked(UserRequest::Again)),
                Char('q') => return Err(Error::Asked(UserRequest::Quit)),
                _ => {}
            }
            stage.show_from(view.clone(), top);
        }
    }

    /// The explanation of what is on the screen, and below it everything that was told;
    /// and from there the screens before.
    fn look_back(&mut self, stage: &Stage, begin: Scroll) -> Result<()> {
        let now = self.now();
        match read(stage, self.why(now), begin)? {
            Char('b') | Left if now > 0 => self.walk(stage, now - 1),
            _ => Ok(()),
        }
    }

    /// Shows a screen of before, and from there those around it, up to the present one.
    fn walk(&mut self, stage: &Stage, mut at: usize) -> Result<()> {
        let now = self.now();
        while at < now {
            self.tell_place(at, "")?;
            let mut view = self.view(at);
            view.keys = PAST.into();
            stage.show_from(view, 0);
            match key_that_turns_no_page(stage)? {
                Enter | Char(' ') | Right | PageDown => at += 1,
                Char('b') | Left | Up | PageUp => at = at.saturating_sub(1),
                Char('k') => drop(read(stage, self.story[at].cards.shown_kernel(), TOP)?),
                Char('w') => drop(read(stage, self.why(at), TOP)?),
                Esc | Char('q') => break,
                _ => {}
            }
        }
        self.tell_place(now, "")
    }

    /// The explanation of a screen, and below it everything that was told up to it.
    fn why(&self, at: usize) -> Vec<String> {
        let Some(slide) = self.story.get(at) else {
            return vec!["Nothing was told yet.".into()];
        };
        let mut text = slide.cards.explanation(slide.beat);
        text.push(bold("What was told so far, the latest last"));
        text.extend(self.told(at));
        text
    }

    /// Offers the kernels; true when one ahead was chosen.
    fn jump(&mut self, stage: &Stage) -> Result<bool> {
        let rows = questions::rows(&self.story, &self.results, &self.programme);
        match questions::choose(stage, &rows)? {
            Some(Target::Told(at)) => self.walk(stage, at)?,
            Some(Target::Ahead(kernel)) => self.until = Some(kernel),
            None => {}
        }
        Ok(self.until.is_some())
    }

    /// The buffers. Reading them waits for the queue, and so for a kernel that may
    /// hang: that is no pause, and Control-C must end it.
    fn look_into_memory(&mut self) -> Result<Vec<String>> {
        let doing = "looking into the buffers";
        self.events.send(&Event::Doing(doing.into()))?;
        give_keys_back();
        let shown = self.memory.shown(CORNERS[usize::from(self.present)]);
        take_keys();
        self.events.send(&Event::Paused)?;
        Ok(shown)
    }

    /// What can be drawn in letters.
    fn figures(&self) -> Vec<String> {
        let now = self.cards.now.as_ref();
        let geometry = now.and_then(|now| now.geometry.as_ref());
        let (geometry, rates) = (geometry.map(Geometry::drawn), self.rates());
        if geometry.is_none() && rates.is_empty() {
            return vec!["There is no figure yet.".into()];
        }
        [geometry.unwrap_or_default(), vec![String::new()], rates].concat()
    }
}

/// Turns pages until a key is pressed that does not.
fn key_that_turns_no_page(stage: &Stage) -> Result<KeyCode> {
    loop {
        let key = stage.key()?;
        let has_moved = match key {
            Enter | Char(' ') | Right | PageDown | Down => stage.scroll(Scroll::NextPage),
            PageUp | Up => stage.scroll(Scroll::PageBefore),
            _ => false,
        };
        if !has_moved {
            return Ok(key);
        }
    }
}

/// Shows a text from its top or bottom until a key leads back: which.
fn read(stage: &Stage, lines: Vec<String>, begin: Scroll) -> Result<KeyCode> {
    stage.show_from(View::of(lines, &TEXT), 0);
    stage.scroll(begin);
    loop {
        match stage.key()? {
            key @ (Char('b' | 'q') | Left | Enter | Esc) => return Ok(key),
            key => drop(Scroll::of(key).map(|to| stage.scroll(to))),
        }
    }
}
