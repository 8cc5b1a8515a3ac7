//! Waiting for a key, and what each key does.

use common::error::{Error, Result, UserRequest};
use process::events::Event;
use text::screen::crossterm::event::KeyCode;
use text::screen::pane::Scroll;
use text::screen::{give_keys_back, take_keys};

use super::figure::Geometry;
use super::list::{self, Target};
use super::piece::bold;
use super::stage::{Key, Stage, View};
use super::state::State;

const TOP: Scroll = Scroll::To(0);
/// Rows and columns of a buffer's corner.
const CORNER: usize = 8;
const PRESENT_CORNER: usize = 6;

const NOW: [Key; 9] = [
    ("Enter", "next"),
    ("b", "back"),
    ("j", "jump"),
    ("k", "kernel"),
    ("m", "memory"),
    ("f", "figures"),
    AGAIN,
    ("n", "ahead"),
    ("q", "quit"),
];
/// Only where there is a launch that could be done again.
const AGAIN: Key = ("r", "again");
const PAST: [Key; 5] = [
    ("Enter", "forward"),
    ("b", "back"),
    ("w", "why"),
    ("k", "kernel"),
    ("Esc", "now"),
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
        stage.show_anew(view.clone());
        loop {
            let key = key_that_turns_no_page(stage)?;
            let top = stage.top();
            if self.answer(stage, key)? {
                return Ok(());
            }
            stage.show_from(view.clone(), top);
        }
    }

    /// Answers a key; true where it leads forward.
    fn answer(&mut self, stage: &Stage, key: KeyCode) -> Result<bool> {
        match key {
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right => return Ok(true),
            KeyCode::Char('n') => {
                self.hurried = true;
                return Ok(true);
            }
            KeyCode::Char('j' | 'g') => return self.jump(stage),
            KeyCode::Char('b') | KeyCode::Left => self.look_back(stage, TOP)?,
            KeyCode::Up | KeyCode::PageUp => self.look_back(stage, Scroll::Bottom)?,
            KeyCode::Char('w') => drop(read(stage, self.why(self.now()), TOP)?),
            KeyCode::Char('k') => drop(read(stage, self.cards.shown_kernel(), TOP)?),
            KeyCode::Char('m') => self.look_into_memory(stage)?,
            KeyCode::Char('f') => drop(read(stage, self.figures(), TOP)?),
            KeyCode::Char('r') if self.repeatable => return Err(Error::Asked(UserRequest::Again)),
            KeyCode::Char('q') => return Err(Error::Asked(UserRequest::Quit)),
            _ => {}
        }
        Ok(false)
    }

    /// The explanation of what is on the screen, and below it everything that was told;
    /// and from there the screens before.
    fn look_back(&mut self, stage: &Stage, begin: Scroll) -> Result<()> {
        let now = self.now();
        match read(stage, self.why(now), begin)? {
            KeyCode::Char('b') | KeyCode::Left if now > 0 => self.walk(stage, now - 1),
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
            stage.show_anew(view);
            match key_that_turns_no_page(stage)? {
                KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right | KeyCode::PageDown => at += 1,
                KeyCode::Char('b') | KeyCode::Left | KeyCode::Up | KeyCode::PageUp => {
                    at = at.saturating_sub(1);
                }
                KeyCode::Char('k') => {
                    let kernel = self.story[at].cards.shown_kernel();
                    read(stage, kernel, TOP)?;
                }
                KeyCode::Char('w') => drop(read(stage, self.why(at), TOP)?),
                KeyCode::Esc | KeyCode::Char('q') => break,
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
        let rows = list::rows(&self.story, &self.results, &self.programme);
        match list::choose(stage, &rows)? {
            Some(Target::Told(at)) => self.walk(stage, at)?,
            Some(Target::Ahead(kernel)) => self.until = Some(kernel),
            None => {}
        }
        Ok(self.until.is_some())
    }

    /// The buffers. Reading them waits for the queue, and so for a kernel that may
    /// hang: that is no pause, and Control-C must end it.
    fn look_into_memory(&mut self, stage: &Stage) -> Result<()> {
        let doing = "looking into the buffers";
        self.events.send(&Event::Doing(doing.into()))?;
        let side = if self.present { PRESENT_CORNER } else { CORNER };
        give_keys_back();
        let shown = self.memory.shown(side);
        take_keys();
        self.events.send(&Event::Paused)?;
        read(stage, shown, TOP)?;
        Ok(())
    }

    /// What can be drawn in letters.
    fn figures(&self) -> Vec<String> {
        let geometry = self
            .cards
            .now
            .as_ref()
            .and_then(|now| now.geometry.as_ref());
        let mut lines = geometry.map_or(Vec::new(), Geometry::drawn);
        lines.push(String::new());
        lines.extend(self.rates());
        if lines.len() == 1 {
            lines = vec!["There is no figure yet.".into()];
        }
        lines
    }
}

/// Turns pages until a key is pressed that does not.
fn key_that_turns_no_page(stage: &Stage) -> Result<KeyCode> {
    loop {
        let key = stage.key()?;
        let has_moved = match key {
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right => stage.scroll(Scroll::NextPage),
            KeyCode::PageDown | KeyCode::Down => stage.scroll(Scroll::NextPage),
            KeyCode::PageUp | KeyCode::Up => stage.scroll(Scroll::PageBefore),
            _ => false,
        };
        if !has_moved {
            return Ok(key);
        }
    }
}

/// Shows a text from its top or bottom until a key leads back: which.
fn read(stage: &Stage, lines: Vec<String>, begin: Scroll) -> Result<KeyCode> {
    stage.show_anew(View::of(lines, &TEXT));
    stage.scroll(begin);
    loop {
        match stage.key()? {
            key @ (KeyCode::Char('b' | 'q') | KeyCode::Left | KeyCode::Enter | KeyCode::Esc) => {
                return Ok(key);
            }
            key => drop(Scroll::of(key).map(|to| stage.scroll(to))),
        }
    }
}
