//! Saying each step as it happens (`--step`), and waiting for a key in between.
//!
//! # Layout
//!
//! In the order in which to read them: `part` is the parts of a lesson that are told one by
//! one, `card` what is said of a kernel and how it came out. `page` is how all that looks on
//! the terminal, [`screen`] the terminal as a whole, [`pane`] a text that scrolls on it, [`keys`]
//! how keys are drawn and answered. Here is what was told, and what each key does.
//!
//! [`Step`] is told what was done, by whoever did it: which part of the lesson begins, and
//! which OpenCL call was made with what and what it returned ([`Listener`]). Without `--step`
//! there is none, and nobody is told. While something is timed it is quiet, and the figures are
//! those of a lesson that nobody narrates.
//!
//! It speaks on standard error, and waits only where standard input and standard error are a
//! terminal, which it takes as a whole then. The wish to end comes back as an error, so that it
//! ends whatever was going on.

mod card;
pub mod keys;
mod page;
pub mod pane;
mod part;
pub mod screen;

use std::cell::RefCell;
use std::io::{IsTerminal, stdin};
use std::rc::Rc;

use common::device;
use common::error::{Error, Result, UserRequest};
use common::record::Record;
use common::tell::{Call, Listener};
use console::Term;
use crossterm::event::KeyCode::{Backspace, Char, Enter, Esc, Left, PageDown, PageUp, Right};
use indicatif::ProgressBar;
use watchdog::events::{Event, Sender};

pub use card::Card;
pub use part::Part;

use card::Cards;
use keys::{Key, SPACE, meaning, named};
use page::{Form, Page, Piece, View, bold, style};

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

/// The speaker's notes on a lesson, a section of docs/notes.md.
pub fn notes(lesson: u32) -> &'static str {
    let begin = format!("Lesson {lesson}:");
    let mut sections = include_str!("../../../docs/notes.md").split("\n## ");
    let section = sections.find(|section| section.starts_with(&begin));
    section.unwrap_or("There are no notes on this lesson.")
}

/// Tells what happens, and gives the terminal back when it is dropped. Whatever waits for a key
/// fails where that is the wish to end.
pub struct Step(RefCell<State>);

impl Drop for Step {
    fn drop(&mut self) {
        self.leave();
    }
}

/// While it lives nothing is told, and no key is awaited.
pub struct Hush(Rc<Step>);

impl Drop for Hush {
    fn drop(&mut self) {
        self.0.0.borrow_mut().quiet -= 1;
    }
}

impl Step {
    /// For the lesson of this title, to a room if it is to `present` it.
    pub fn new(title: &str, present: bool, spinner: ProgressBar) -> Result<Rc<Step>> {
        let attended = stdin().is_terminal() && Term::stderr().is_term() && !console::is_dumb();
        // A terminal that cannot be taken is told everything, and waits for nothing.
        let page = attended.then(|| Page::enter(present).ok()).flatten();
        let events = Sender::from_environment()?;
        if page.is_some() {
            events.send(&Event::Stage(true))?;
        }
        Ok(Rc::new(Step(RefCell::new(State {
            quiet: 0,
            title: title.into(),
            present,
            page,
            spinner,
            events,
            story: Vec::new(),
            part: None,
            unseen: false,
            hurried: false,
            cards: Cards::default(),
            prediction: None,
        }))))
    }

    /// Whether there is somebody to press keys; then the whole terminal is taken.
    pub fn is_attended(&self) -> bool {
        self.0.borrow().page.is_some()
    }

    /// Gives the terminal back: what is told from now on, nobody hears.
    pub fn leave(&self) {
        let mut state = self.0.borrow_mut();
        if state.page.take().is_some() {
            screen::leave();
            // If nobody can be told, the process that watches gives it back once more.
            let _ = state.events.send(&Event::Stage(false));
        }
    }

    /// Says nothing, and waits for nothing, until the guard is dropped.
    pub fn hush(self: &Rc<Step>) -> Hush {
        self.0.borrow_mut().quiet += 1;
        Hush(self.clone())
    }

    /// Tells something, unless it is quiet.
    fn unless_quiet<T>(&self, tell: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.0.borrow_mut();
        (state.quiet == 0).then(|| tell(&mut state))
    }

    /// Says what takes time now, where it has the terminal.
    pub fn doing(&self, what: &str) {
        if let Some(page) = &mut self.0.borrow_mut().page {
            page.busy(what);
        }
    }

    /// Begins a part of the lesson, after a key for what was told before it.
    pub fn begin(&self, part: Part) -> Result<()> {
        self.pause()?;
        self.unless_quiet(|state| state.begin(part));
        Ok(())
    }

    /// Tells something that is no call.
    pub fn note(&self, text: impl Into<String>) {
        self.unless_quiet(|state| state.tell(Piece::Note(text.into())));
    }

    /// Hears what the lesson prints, and shows it, where it has the terminal.
    pub fn printed(&self, text: &str) {
        self.unless_quiet(|state| {
            if state.page.is_none() {
                return;
            }
            // After a key, a screen of its own.
            if !state.unseen || state.story.is_empty() {
                state.turn(state.title.clone(), "");
            }
            state.tell(Piece::Text(text.into()));
        });
    }

    /// Begins a kernel: what is new in it, and why.
    pub fn kernel(&self, card: Card) -> Result<()> {
        self.pause()?;
        let mut state = self.0.borrow_mut();
        state.hurried = false;
        state.prediction = None;
        state.part = Some(Part::Kernel);
        state.cards.before = state.cards.now.replace(card.into());
        drop(state);
        self.unless_quiet(State::introduce);
        Ok(())
    }

    /// Asks for a prediction of what is measured next.
    pub fn predict(&self, name: &str, before: Option<&str>) -> Result<()> {
        self.pause()?;
        let asked = self.unless_quiet(|state| state.ask_the_room(name, before));
        asked.unwrap_or(Ok(()))
    }

    /// Shows how a kernel came out, beside the step before and beside what was
    /// predicted, and waits for a key.
    pub fn result(&self, record: &Record, before: Option<&Record>) -> Result<()> {
        self.unless_quiet(|state| state.show_result(record, before));
        self.pause()
    }

    /// Waits for a key, if something was told since the last one.
    pub fn pause(&self) -> Result<()> {
        self.unless_quiet(State::pause).unwrap_or(Ok(()))
    }

    /// Tells which platforms and devices there are.
    pub fn platforms(&self) {
        let platforms = device::platforms();
        let call = Call::new("clGetPlatformIDs", &[]);
        self.hear(&call.gave(format!("{} platform(s)", platforms.len())));
        for (platform, count) in platforms {
            let found = match count {
                0 => "CL_DEVICE_NOT_FOUND: none".to_string(),
                n => format!("{n} device(s)"),
            };
            let arguments = [&*platform.name, "~CL_DEVICE_TYPE_ALL"];
            self.hear(&Call::new("clGetDeviceIDs", &arguments).gave(found));
        }
    }
}

impl Listener for Step {
    fn listens(&self) -> bool {
        self.0.borrow().quiet == 0
    }

    fn hear(&self, call: &Call) {
        self.unless_quiet(|state| state.tell(Piece::Call(call.clone())));
    }
}

/// A screen: a part of the lesson, and what was told in it.
struct Slide {
    view: View,
    part: Option<Part>,
    cards: Cards,
}

/// What is told, to whom, and on which screen.
struct State {
    /// How often it was asked to say nothing, and to await no key.
    quiet: usize,
    /// The lesson's title.
    title: String,
    /// To a room, through a projector.
    present: bool,
    /// The terminal, where standard input and standard error are one.
    page: Option<Page>,
    /// Drawn where there is no page, while something takes long.
    spinner: ProgressBar,
    /// To tell the watching process that a person is awaited.
    events: Sender,
    /// Everything that was told.
    story: Vec<Slide>,
    part: Option<Part>,
    /// Something was told since a key was last awaited.
    unseen: bool,
    /// Do not wait before the next kernel, its question, or its result.
    hurried: bool,
    cards: Cards,
    /// What the room expects of the kernel, as it was typed.
    prediction: Option<f64>,
}

impl State {
    fn begin(&mut self, part: Part) {
        self.part = Some(part);
        let says = part.words().says(self.present);
        self.turn(self.cards.headline(part), says);
    }

    fn introduce(&mut self) {
        let says = self.cards.now.as_ref().map(|card| card.says.clone());
        self.turn(self.cards.headline(Part::Kernel), &says.unwrap_or_default());
        let facts = self.cards.facts().into_iter();
        facts.for_each(|fact| self.tell(Piece::Note(fact)));
    }

    fn show_result(&mut self, record: &Record, before: Option<&Record>) {
        self.part = Some(Part::Result);
        self.hurried = false;
        let mark = if record.is_right() { " ✓" } else { "" };
        let title = format!("{}{mark}", self.cards.headline(Part::Result));
        let pieces = card::outcome(record, before, self.prediction.take());
        self.turn(title, "");
        pieces.into_iter().for_each(|piece| self.tell(piece));
    }

    /// Begins a screen.
    fn turn(&mut self, title: String, says: &str) {
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
    fn tell(&mut self, piece: Piece) {
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
    fn pause(&mut self) -> Result<()> {
        let wait = std::mem::take(&mut self.unseen) && !self.hurried && !self.story.is_empty();
        if wait {
            self.while_paused(State::answer_keys)?;
        }
        Ok(())
    }

    /// Does something on the page, where there is one, that a person may take any time for: the
    /// process that watches must not take it for a hang.
    fn while_paused<T>(
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

    /// Asks what the next measurement will say, and keeps the answer.
    fn ask_the_room(&mut self, name: &str, before: Option<&str>) -> Result<()> {
        self.hurried = false;
        self.begin(Part::Time);
        self.unseen = false;
        if self.page.is_none() {
            return Ok(());
        }
        let (question, example) = match before {
            Some(before) => (
                format!("How many times as fast as {before} will {name} be?"),
                ["factor", "such as 2 or 0.5"],
            ),
            None => (
                format!("What share of the device's limit will {name} reach, in percent?"),
                ["number", "such as 5"],
            ),
        };
        self.tell(Piece::Note(bold(&question)));
        let answer = self.while_paused(|state, page| state.number(page, example))?;
        self.prediction = answer.flatten();
        self.unseen = false;
        Ok(())
    }

    /// A number that is typed, or nothing.
    fn number(&self, page: &mut Page, example: [&str; 2]) -> Result<Option<f64>> {
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
