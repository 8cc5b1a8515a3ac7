//! What was told, screen by screen, and the keys that lead through it.

use common::error::{Error, Result, UserRequest};
use console::Term;
use crossterm::event::KeyCode::{Backspace, Char, Enter, Esc, Left, PageDown, PageUp, Right};
use indicatif::ProgressBar;
use watchdog::events::{Event, Sender};

use super::card::{Cards, Part};
use super::page::{Form, Page, Piece, View, style};
use super::pane::{Key, SPACE, meaning, named};
use super::screen;

/// What a key does between the steps.
#[derive(Clone, Copy)]
enum Does {
    Next,
    Back,
    Why,
    Kernel,
    Ahead,
    Now,
    Quit,
}

/// The keys on the screen that was told last, or on one before it.
fn keys(is_now: bool) -> [Key<Does>; 6] {
    let (next, other): (_, Key<Does>) = match is_now {
        true => ("next", (&[Char('n')], "ahead", Does::Ahead)),
        false => ("forward", (&[Esc], "now", Does::Now)),
    };
    [
        (&[Enter, SPACE, Right, PageDown], next, Does::Next),
        (&[Char('b'), Left, PageUp], "back", Does::Back),
        (&[Char('w')], "why", Does::Why),
        (&[Char('k')], "kernel", Does::Kernel),
        other,
        (&[Char('q')], "quit", Does::Quit),
    ]
}

/// Those where a number is asked for.
#[rustfmt::skip]
const ASKED: [Key<Does>; 3] = [
    (&[Enter], "(alone: skip)", Does::Next),
    (&[Backspace], "", Does::Back),
    (&[Char('q')], "quit", Does::Quit),
];

/// A screen: a part of the lesson, and what was told in it.
pub(super) struct Slide {
    view: View,
    part: Option<Part>,
    cards: Cards,
}

/// What is told, to whom, and on which screen.
pub(super) struct State {
    /// How often it was asked to say nothing, and to await no key.
    pub quiet: usize,
    /// The lesson's title.
    pub title: String,
    /// To a room, through a projector.
    pub present: bool,
    /// The terminal, where standard input and standard error are one.
    pub page: Option<Page>,
    /// Drawn where there is no page, while something takes long.
    pub spinner: ProgressBar,
    /// To tell the watching process that a person is awaited.
    pub events: Sender,
    /// Everything that was told.
    pub story: Vec<Slide>,
    pub part: Option<Part>,
    /// Something was told since a key was last awaited.
    pub unseen: bool,
    /// Do not wait before the next kernel, its question, or its result.
    pub hurried: bool,
    pub cards: Cards,
    /// What the room expects of the kernel, as it was typed.
    pub prediction: Option<f64>,
}

impl State {
    /// Begins a part of the lesson.
    pub fn begin(&mut self, part: Part) {
        self.part = Some(part);
        let says = part.words().says(self.present);
        self.turn(self.cards.headline(part), says);
    }

    /// Begins a screen.
    pub fn turn(&mut self, title: String, says: &str) {
        self.unseen = true;
        if self.page.is_none() {
            let headline = Form::new(self.present, None).headline(&title);
            self.print([vec![String::new()], headline].concat());
        }
        self.story.push(Slide {
            view: View { title: Some(title), ..View::default() },
            part: self.part,
            cards: self.cards.clone(),
        });
        if !says.is_empty() {
            self.tell(Piece::Note(style(says).dim().to_string()));
        }
    }

    /// Tells something, on the screen that was begun last.
    pub fn tell(&mut self, piece: Piece) {
        self.unseen = true;
        if self.page.is_none() {
            self.print(Form::new(self.present, None).lines(&piece));
        }
        if let Some(slide) = self.story.last_mut() {
            slide.view.pieces.push(piece);
        }
        self.show(self.view(self.now()));
    }

    /// Shows a view, where it has the terminal.
    fn show(&mut self, view: View) {
        if let Some(page) = &mut self.page {
            page.show(view);
        }
    }

    /// Lines on standard error, with the spinner out of the way. A reader that has gone
    /// away is no error.
    fn print(&self, lines: Vec<String>) {
        let line = |line: &String| drop(Term::stderr().write_line(line));
        self.spinner.suspend(|| lines.iter().for_each(line));
    }

    /// The number of the screen that was begun last.
    fn now(&self) -> usize {
        self.story.len().saturating_sub(1)
    }

    fn view(&self, at: usize) -> View {
        let slide = self.story.get(at);
        slide.map(|slide| slide.view.clone()).unwrap_or_default()
    }

    /// Waits for a key, if there is somebody to press one and something to read.
    pub fn pause(&mut self) -> Result<()> {
        let wait = std::mem::take(&mut self.unseen) && !self.hurried && !self.story.is_empty();
        if wait {
            self.while_paused(State::answer_keys)?;
        }
        Ok(())
    }

    /// Does something on the page, where there is one, that a person may take any time for: the
    /// process that watches must not take it for a hang.
    pub fn while_paused<T>(
        &mut self,
        wait: impl FnOnce(&mut State, &mut Page) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(mut page) = self.page.take() else {
            return Ok(None);
        };
        let paused = self.events.send(&Event::Paused);
        screen::take_keys();
        let waited = wait(self, &mut page);
        screen::give_keys_back();
        self.page = Some(page);
        paused.and(self.events.send(&Event::Resumed))?;
        waited.map(Some)
    }

    /// Answers keys until one leads on from the screen that was told last; the others lead back
    /// through what was told, and to what more there is to say.
    fn answer_keys(&mut self, page: &mut Page) -> Result<()> {
        let now = self.now();
        let mut at = now;
        loop {
            let keys = keys(at == now);
            let mut view = self.view(at);
            view.keys = named(&keys);
            page.show(view);
            let slide = &self.story[at];
            match meaning(&keys, page.key_that_turns_no_page()?) {
                Some(Does::Next) if at == now => return Ok(()),
                Some(Does::Next) => at += 1,
                Some(Does::Back) => at = at.saturating_sub(1),
                Some(Does::Now) => at = now,
                Some(Does::Ahead) => {
                    self.hurried = true;
                    return Ok(());
                }
                Some(Does::Why) => page.read(&slide.cards.explanation(slide.part))?,
                Some(Does::Kernel) => page.read(&slide.cards.shown_kernel())?,
                Some(Does::Quit) => return Err(Error::Asked(UserRequest::Quit)),
                None => {}
            }
        }
    }

    /// A number that is typed, or nothing.
    pub fn number(&self, page: &mut Page, example: [&str; 2]) -> Result<Option<f64>> {
        let [what, such_as] = example.map(String::from);
        let mut typed = String::new();
        loop {
            let mut view = self.view(self.now());
            view.keys = [vec![(what.clone(), such_as.clone())], named(&ASKED)].concat();
            view.typed = Some(typed.clone());
            page.show(view);
            let key = page.key()?;
            match (meaning(&ASKED, key), key) {
                (Some(Does::Quit), _) => return Err(Error::Asked(UserRequest::Quit)),
                (Some(Does::Back), _) => drop(typed.pop()),
                (Some(_), _) => match parse(&typed) {
                    None if !typed.is_empty() => typed.clear(),
                    number => return Ok(number),
                },
                (_, Char(c)) if typed.len() < 12 && "0123456789.,x%".contains(c) => typed.push(c),
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
