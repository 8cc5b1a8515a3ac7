//! Waiting for a key, and what each key does; and the question for a prediction.

use common::error::{Error, Result, UserRequest};
use process::events::Event;
use text::screen::crossterm::event::KeyCode::{
    Backspace, Char, Down, Enter, Esc, Left, PageDown, PageUp, Right, Up,
};
use text::screen::pane::Scroll;
use text::screen::{give_keys_back, take_keys};

use super::beat::Beat;
use super::outcome::Prediction;
use super::piece::{Piece, bold};
use super::stage::{Key, Stage, View};
use super::state::State;

#[rustfmt::skip]
const NOW: [Key; 6] = [
    ("Enter", "next"), ("b", "back"), ("w", "why"), ("k", "kernel"), ("n", "ahead"), ("q", "quit"),
];
#[rustfmt::skip]
const PAST: [Key; 6] = [
    ("Enter", "forward"), ("b", "back"), ("w", "why"), ("k", "kernel"), ("Esc", "now"), ("q", "quit"),
];
const TEXT: [Key; 2] = [("Up Down PgUp PgDn", "scroll"), ("Esc", "back")];

impl State {
    /// Waits for a key, if there is somebody to press one and something to read.
    pub fn pause(&mut self) -> Result<()> {
        let wait = std::mem::take(&mut self.unseen) && !self.hurried && !self.story.is_empty();
        match self.stage.clone().filter(|_| wait) {
            Some(stage) => self.while_paused(|state| state.answer_keys(&stage)),
            None => Ok(()),
        }
    }

    /// Does something that a person may take any time for: the process that
    /// watches must not take it for a hang.
    fn while_paused<T>(&mut self, wait: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        self.events.send(&Event::Paused)?;
        take_keys();
        let waited = wait(self);
        give_keys_back();
        self.events.send(&Event::Resumed)?;
        waited
    }

    /// Answers keys until one leads on from the screen that was told last; the others lead back
    /// through what was told, and to what more there is to say.
    fn answer_keys(&mut self, stage: &Stage) -> Result<()> {
        let now = self.story.len().saturating_sub(1);
        let mut at = now;
        loop {
            let mut view = self.view(at);
            view.keys = if at == now { NOW.into() } else { PAST.into() };
            stage.show(view, true);
            let slide = &self.story[at];
            match key_that_turns_no_page(stage)? {
                Enter | Char(' ') | Right if at == now => return Ok(()),
                Enter | Char(' ') | Right | PageDown => at = now.min(at + 1),
                Char('b') | Left | PageUp => at = at.saturating_sub(1),
                Char('n') => {
                    self.hurried = true;
                    return Ok(());
                }
                Char('w') => read(stage, slide.cards.explanation(slide.beat))?,
                Char('k') => read(stage, slide.cards.shown_kernel())?,
                Esc => at = now,
                Char('q') => return Err(Error::Asked(UserRequest::Quit)),
                _ => {}
            }
        }
    }

    /// Asks what the next measurement will say, and keeps the answer.
    pub fn ask_the_room(&mut self, name: &str, before: Option<&str>) -> Result<()> {
        self.hurried = false;
        self.begin(Beat::Time);
        self.unseen = false;
        let Some(stage) = self.stage.clone() else {
            return Ok(());
        };
        let (question, example) = match before {
            Some(before) => (
                format!("How many times as fast as {before} will {name} be?"),
                ("a factor", "such as 2 or 0.5"),
            ),
            None => (
                format!("What share of the device's limit will {name} reach, in percent?"),
                ("a number", "such as 5"),
            ),
        };
        self.tell(Piece::Note(bold(&question)));
        let answer = self.while_paused(|state| state.number(&stage, example))?;
        self.prediction = answer.map(|number| match before {
            Some(_) => Prediction::Factor(number),
            None => Prediction::Share(number / 100.0),
        });
        self.unseen = false;
        Ok(())
    }

    /// A number that is typed, or nothing.
    fn number(&self, stage: &Stage, example: Key) -> Result<Option<f64>> {
        let mut typed = String::new();
        loop {
            let mut view = self.view(self.story.len().saturating_sub(1));
            view.keys = vec![example, ("Enter", "(alone: skip)"), ("q", "quit")];
            view.typed = Some(typed.clone());
            stage.show(view, true);
            match (stage.key()?, parse(&typed)) {
                (Enter, number) if number.is_some() || typed.is_empty() => return Ok(number),
                (Enter, _) => typed.clear(),
                (Backspace, _) => drop(typed.pop()),
                (Char('q'), _) => return Err(Error::Asked(UserRequest::Quit)),
                (Char(c), _) if typed.len() < 12 && "0123456789.,x%".contains(c) => typed.push(c),
                _ => {}
            }
        }
    }
}

/// `2`, `0.5`, `0,5`, `2x`, `30%`; nothing below or at zero.
fn parse(typed: &str) -> Option<f64> {
    let number = typed.trim_end_matches(['x', '%']).replace(',', ".");
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

/// Turns pages until a key is pressed that does not.
fn key_that_turns_no_page(stage: &Stage) -> Result<text::screen::crossterm::event::KeyCode> {
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

/// Shows a text until a key leads back.
fn read(stage: &Stage, lines: Vec<String>) -> Result<()> {
    let view = View {
        pieces: vec![Piece::Text(lines.join("\n"))],
        keys: TEXT.into(),
        ..View::default()
    };
    stage.show(view, true);
    loop {
        match stage.key()? {
            Char('b' | 'q') | Left | Enter | Esc => return Ok(()),
            key => drop(Scroll::of(key).map(|to| stage.scroll(to))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_understood_as_people_type_them() {
        for (typed, number) in [("2", 2.0), ("0,5", 0.5), ("2.5x", 2.5), ("30%", 30.0)] {
            assert_eq!(parse(typed), Some(number));
        }
        for nothing in ["", "x", "0", "1.2.3", "%"] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
