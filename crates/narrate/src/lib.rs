//! Saying each step as it happens (`--step`), and waiting for a key in between.
//!
//! # Layout
//!
//! In the order in which to read them: `beat` is the parts of a lesson that are told one by
//! one, `card` what is said of a kernel, `outcome` how one came out. `piece` is how all that
//! looks, `stage` shows it on the whole terminal. `keys` is what each key does, and what is
//! asked; `state` holds them together.
//!
//! [`Narrator`] is told what was done, by whoever did it: which part of the lesson begins
//! ([`Narrator::beat`]), which OpenCL call was made with what and what it returned
//! ([`Listener`]). Without `--step` it is empty, and being told costs a comparison. While
//! something is timed it is quiet, and the figures are those of a lesson that nobody narrates.
//!
//! It speaks on standard error, and waits only where standard input and standard error are a
//! terminal, which it takes as a whole then. The wish to end comes back as an error, so that it
//! ends whatever was going on.

mod beat;
mod card;
mod keys;
mod outcome;
mod piece;
mod stage;
mod state;

use std::cell::RefCell;
use std::rc::Rc;

use common::device;
use common::error::Result;
use common::record::Record;
use common::tell::{Call, Listener};
use indicatif::ProgressBar;

pub use beat::Beat;
pub use card::Card;

use piece::Piece;
use state::State;

/// The speaker's notes on a lesson, a section of docs/notes.md.
pub fn notes(lesson: u32) -> &'static str {
    let begin = format!("Lesson {lesson}:");
    let mut sections = include_str!("../../../docs/notes.md").split("\n## ");
    let section = sections.find(|section| section.starts_with(&begin));
    section.unwrap_or("There are no notes on this lesson.")
}

/// Tells what happens, if anybody wants to know. A clone is the same narrator.
#[derive(Clone, Default)]
pub struct Narrator(Option<Rc<Told>>);

/// What is told; with it the terminal is given back.
struct Told(RefCell<State>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.get_mut().leave();
    }
}

/// While it lives the narrator says nothing, and waits for nothing.
pub struct Hush(Narrator);

impl Drop for Hush {
    fn drop(&mut self) {
        self.0.speak_up();
    }
}

impl Narrator {
    /// A narrator for a lesson, to a room if it is to `present` it. A silent one is the default.
    pub fn new(present: bool, spinner: ProgressBar) -> Result<Narrator> {
        let state = State::new(present, spinner)?;
        Ok(Narrator(Some(Rc::new(Told(RefCell::new(state))))))
    }

    /// Whether anybody wants to know.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Whether there is somebody to press keys; then the whole terminal is taken.
    pub fn is_attended(&self) -> bool {
        self.is(|state| state.stage.is_some())
    }

    /// Whether what is printed would be printed over the screen.
    pub fn has_the_output(&self) -> bool {
        self.is(|state| state.has_the_output)
    }

    /// Gives the terminal back: what is told from now on, nobody hears.
    pub fn leave(&self) {
        self.keep(State::leave);
    }

    /// Says what takes time now, where it has the terminal.
    pub fn doing(&self, what: &str) {
        self.keep(|state| state.stage.iter().for_each(|stage| stage.busy(what)));
    }

    /// Says nothing, and waits for nothing, until the guard is dropped.
    pub fn hush(&self) -> Hush {
        self.mute();
        Hush(self.clone())
    }

    /// Says nothing, and waits for nothing, until [`Narrator::speak_up`].
    pub fn mute(&self) {
        self.keep(|state| state.quiet += 1);
    }

    /// Ends [`Narrator::mute`].
    pub fn speak_up(&self) {
        self.keep(|state| state.quiet -= 1);
    }

    /// Changes the state, unless there is none or it is quiet.
    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.0.as_ref()?.0.borrow_mut();
        (state.quiet == 0).then(|| change(&mut state))
    }

    /// Changes what is remembered, also while nothing is said.
    fn keep(&self, change: impl FnOnce(&mut State)) {
        if let Some(state) = &self.0 {
            change(&mut state.0.borrow_mut());
        }
    }

    /// Whether this is so; not where nobody wants to know.
    fn is(&self, so: impl FnOnce(&State) -> bool) -> bool {
        self.0.as_ref().is_some_and(|state| so(&state.0.borrow()))
    }

    /// Names the lesson.
    pub fn title(&self, title: &str) {
        self.keep(|state| state.title = title.into());
    }

    /// Begins a part of the lesson, after a key for what was told before it.
    pub fn beat(&self, beat: Beat) -> Result<()> {
        self.pause()?;
        self.with(|state| state.begin(beat));
        Ok(())
    }

    /// Tells something that is no call.
    pub fn note(&self, text: impl FnOnce() -> String) {
        self.with(|state| state.tell(Piece::Note(text())));
    }

    /// Hears what the lesson prints, and shows it, where it has the terminal.
    pub fn remember(&self, text: &str) {
        self.with(|state| {
            if state.stage.is_none() {
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
    pub fn kernel(&self, card: impl FnOnce() -> Result<Card>) -> Result<()> {
        if self.is_on() {
            let card = card()?;
            self.pause()?;
            self.keep(|state| state.turn_to(card));
            self.with(State::introduce);
        }
        Ok(())
    }

    /// Asks for a prediction of what is measured next.
    pub fn predict(&self, name: &str, before: Option<&str>) -> Result<()> {
        self.pause()?;
        self.with(|state| state.ask_the_room(name, before))
            .unwrap_or(Ok(()))
    }

    /// Shows how a kernel came out, beside the step before and beside what was
    /// predicted, and waits for a key.
    pub fn result(&self, record: &Record, factor: Option<f64>) -> Result<()> {
        self.with(|state| state.show_result(record, factor));
        // For the comparison with the next kernel.
        self.keep(|state| state.keep_result(record));
        self.pause()
    }

    /// Waits for a key, if something was told since the last one.
    pub fn pause(&self) -> Result<()> {
        self.with(State::pause).unwrap_or(Ok(()))
    }

    /// Tells which platforms and devices there are.
    pub fn platforms(&self) {
        if !self.listens() {
            return;
        }
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

impl Listener for Narrator {
    fn listens(&self) -> bool {
        self.is(|state| state.quiet == 0)
    }

    fn hear(&self, call: &Call) {
        self.with(|state| state.tell(Piece::Call(call.clone())));
    }
}
