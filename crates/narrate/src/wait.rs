//! Waiting for a key, and what each key does; asking for a prediction.

use common::error::{Error, Result, Wish};
use console::Key;
use supervise::events::Event;

use super::State;
use super::outcome::Prediction;
use super::pager::{self, Begin};
use super::screen::style;

/// Rows and columns of a buffer's corner.
const CORNER: usize = 8;
const PRESENT_CORNER: usize = 6;

impl State {
    /// Waits for a key, if there is somebody to press one and something to read.
    pub fn pause(&mut self) -> Result<()> {
        let wait = self.unseen && self.attended && !self.hurried;
        self.unseen = false;
        if wait {
            self.while_paused(State::answer_keys)?;
        }
        Ok(())
    }

    /// Does something that a person may take any time for: the process that
    /// watches must not take it for a hang.
    fn while_paused<T>(&mut self, wait: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        self.spinner.disable_steady_tick();
        self.spinner.finish_and_clear();
        self.events.send(&Event::Paused)?;
        let waited = wait(self);
        self.events.send(&Event::Resumed)?;
        waited
    }

    /// Answers keys until one leads forward; another way on is an error.
    fn answer_keys(&mut self) -> Result<()> {
        loop {
            match self.screen.ask(self.key_line(), "")? {
                Key::Enter | Key::Char(' ') | Key::ArrowRight => return Ok(()),
                Key::Char('n') => {
                    self.hurried = true;
                    return Ok(());
                }
                Key::Char('b') | Key::ArrowLeft => self.look_back(Begin::Top)?,
                Key::ArrowUp | Key::PageUp => self.look_back(Begin::Bottom)?,
                Key::Char('k') => {
                    pager::view(&self.screen, &self.cards.shown_kernel(), Begin::Top)?
                }
                Key::Char('m') => self.look_into_memory()?,
                Key::Char('r') if self.repeatable => return Err(Error::Asked(Wish::Again)),
                Key::Char('q') => return Err(Error::Asked(Wish::Quit)),
                _ => {}
            }
        }
    }

    fn key_line(&self) -> &'static str {
        match (self.screen.present, self.repeatable) {
            (true, true) => "Enter next   b back   k kernel   m memory\nr again   n ahead   q quit",
            (true, false) => "Enter next   b back   k kernel   m memory\nn ahead   q quit",
            (false, true) => "Enter next  b back  k kernel  m memory  r again  n ahead  q quit",
            (false, false) => "Enter next  b back  k kernel  m memory  n ahead  q quit",
        }
    }

    /// The explanation, and below it everything that was told so far.
    fn look_back(&self, begin: Begin) -> Result<()> {
        let mut text = self.cards.explanation(self.beat);
        let heading = style("What was told so far, the latest last").bold();
        text.push(heading.to_string());
        text.push(String::new());
        text.extend(self.screen.history.iter().cloned());
        pager::view(&self.screen, &text, begin)
    }

    /// The buffers. Reading them waits for the queue, and so for a kernel that may
    /// hang: that is no pause.
    fn look_into_memory(&mut self) -> Result<()> {
        self.events
            .send(&Event::Doing("looking into the buffers".into()))?;
        let side = if self.screen.present {
            PRESENT_CORNER
        } else {
            CORNER
        };
        let shown = self.memory.shown(side);
        self.events.send(&Event::Paused)?;
        pager::view(&self.screen, &shown, Begin::Top)
    }

    /// Asks what the next measurement will say, and keeps the answer.
    pub fn ask_the_room(&mut self, name: &str, before: Option<&str>) -> Result<()> {
        if !self.attended {
            return Ok(());
        }
        let (question, hint) = match before {
            Some(before) => (
                format!("How many times as fast as {before} will {name} be?"),
                "a factor such as 2 or 0.5   Enter (alone: skip)   q quit",
            ),
            None => (
                format!("What share of the device's limit will {name} reach, in percent?"),
                "a number such as 5   Enter (alone: skip)   q quit",
            ),
        };
        let question = style(question).bold().to_string();
        self.say(|screen| screen.note(&question));
        let answer = self.while_paused(|state| state.number(hint))?;
        self.prediction = answer.map(|number| match before {
            Some(_) => Prediction::Factor(number),
            None => Prediction::Share(number / 100.0),
        });
        let answer = answer.map_or("no prediction".into(), |n| format!("predicted: {n}"));
        self.say(|screen| screen.note(&answer));
        self.unseen = false;
        Ok(())
    }

    /// A number that is typed, or nothing.
    fn number(&mut self, hint: &str) -> Result<Option<f64>> {
        let mut typed = String::new();
        loop {
            match self.screen.ask(hint, &format!("  > {typed}"))? {
                Key::Enter if typed.is_empty() => return Ok(None),
                Key::Enter => match parse(&typed) {
                    Some(number) => return Ok(Some(number)),
                    None => typed.clear(),
                },
                Key::Backspace => drop(typed.pop()),
                Key::Char('q') => return Err(Error::Asked(Wish::Quit)),
                Key::Char(c) if typed.len() < 12 && belongs_to_a_number(c) => typed.push(c),
                _ => {}
            }
        }
    }
}

fn belongs_to_a_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',' | 'x' | '%')
}

/// `2`, `0.5`, `0,5`, `2x`, `30%`; nothing below or at zero.
fn parse(typed: &str) -> Option<f64> {
    let number = typed.trim_end_matches(['x', '%']).replace(',', ".");
    number
        .parse()
        .ok()
        .filter(|&n: &f64| n.is_finite() && n > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_understood_as_people_type_them() {
        assert_eq!(parse("2"), Some(2.0));
        assert_eq!(parse("0,5"), Some(0.5));
        assert_eq!(parse("2.5x"), Some(2.5));
        assert_eq!(parse("30%"), Some(30.0));
        for nothing in ["", "x", "0", "1.2.3", "%"] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
