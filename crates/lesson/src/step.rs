//! Saying each step as it happens (`--step`), and waiting for a key in between.
//!
//! # Layout
//!
//! In the order in which to read them: `card` is what is said of the parts of a lesson, of a kernel
//! and how it came out. `page` is how all that looks on the terminal, [`screen`] the terminal as a
//! whole, [`pane`] a text that scrolls on it, with its keys. `story` is what was told, and what each
//! key does.
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
mod page;
pub mod pane;
pub mod screen;
mod story;

use std::cell::{RefCell, RefMut};
use std::io::{IsTerminal, stdin};
use std::rc::Rc;

use common::device;
use common::error::Result;
use common::record::Record;
use common::session::{Call, Listener};
use console::Term;
use indicatif::ProgressBar;
use watchdog::events::{Event, Sender};

pub use card::{Card, Part};

use card::Cards;
use page::{Page, Piece, bold};
use story::State;

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

    /// Who tells it, unless it is quiet.
    fn aloud(&self) -> Option<RefMut<'_, State>> {
        let state = self.0.borrow_mut();
        (state.quiet == 0).then_some(state)
    }

    fn tell(&self, piece: Piece) {
        if let Some(mut state) = self.aloud() {
            state.tell(piece);
        }
    }

    /// Says what takes time now, where it has the terminal.
    pub fn doing(&self, what: &str) {
        if let Some(page) = &mut self.0.borrow_mut().page {
            page.busy(what);
        }
    }

    /// Begins a part of the lesson, after a key for what was told before it.
    pub fn begin(&self, part: Part) -> Result<()> {
        if let Some(mut state) = self.aloud() {
            state.pause()?;
            state.begin(part);
        }
        Ok(())
    }

    /// Tells something that is no call.
    pub fn note(&self, text: impl Into<String>) {
        self.tell(Piece::Note(text.into()));
    }

    /// Hears what the lesson prints, and shows it, where it has the terminal.
    pub fn printed(&self, text: &str) {
        if let Some(mut state) = self.aloud().filter(|state| state.page.is_some()) {
            // After a key, a screen of its own.
            if !state.unseen || state.story.is_empty() {
                let title = state.title.clone();
                state.turn(title, "");
            }
            state.tell(Piece::Text(text.into()));
        }
    }

    /// Begins a kernel: what is new in it, and why.
    pub fn kernel(&self, card: Card) -> Result<()> {
        self.pause()?;
        let mut state = self.0.borrow_mut();
        let (says, state) = (card.task.says.clone(), &mut *state);
        (state.hurried, state.prediction) = (false, None);
        state.part = Some(Part::Kernel);
        state.cards.before = state.cards.now.replace(card.into());
        if state.quiet == 0 {
            state.turn(state.cards.headline(Part::Kernel), &says);
            let facts = state.cards.facts().into_iter();
            facts.for_each(|fact| state.tell(Piece::Note(fact)));
        }
        Ok(())
    }

    /// Asks for a prediction of what is measured next, and keeps the answer.
    pub fn predict(&self, name: &str, before: Option<&str>) -> Result<()> {
        let Some(mut state) = self.aloud() else {
            return Ok(());
        };
        state.pause()?;
        state.hurried = false;
        state.begin(Part::Time);
        state.unseen = false;
        if state.page.is_none() {
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
        state.tell(Piece::Note(bold(&question)));
        let answer = state.while_paused(|state, page| state.number(page, example))?;
        (state.prediction, state.unseen) = (answer.flatten(), false);
        Ok(())
    }

    /// Shows how a kernel came out, beside the step before and beside what was
    /// predicted, and waits for a key.
    pub fn result(&self, record: &Record, before: Option<&Record>) -> Result<()> {
        let Some(mut state) = self.aloud() else {
            return Ok(());
        };
        (state.part, state.hurried) = (Some(Part::Result), false);
        let mark = if record.is_right() { " ✓" } else { "" };
        let title = format!("{}{mark}", state.cards.headline(Part::Result));
        let pieces = card::outcome(record, before, state.prediction.take());
        state.turn(title, "");
        pieces.into_iter().for_each(|piece| state.tell(piece));
        state.pause()
    }

    /// Waits for a key, if something was told since the last one.
    pub fn pause(&self) -> Result<()> {
        self.aloud().map_or(Ok(()), |mut state| state.pause())
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
        self.tell(Piece::Call(call.clone()));
    }
}
