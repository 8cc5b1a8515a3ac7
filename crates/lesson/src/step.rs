//! Saying each step as it happens (`--step`), and waiting for a key in between.
//!
//! # Layout
//!
//! In the order in which to read them: `card` is what is said of the parts of a lesson, of a kernel
//! and how it came out. `story` is what was told, and what each key does. [`screen`] is the terminal
//! as a whole, [`pane`] a text that scrolls on it, with its keys.
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
pub mod pane;
pub mod screen;
mod story;

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use common::session::{Call, Listener};
use common::{device, error::Result, record::Record, source::Source};
use diagnostics::terminal::stream::Stream;
use indicatif::ProgressBar;
use watchdog::events::{Event, Sender};

pub use card::Part;

use card::{Card, bold};
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
        let events = Sender::from_environment()?;
        // Asked while standard error is where it goes.
        console::colors_enabled_stderr();
        let printed = watchdog::events::file_for_printed();
        // Without a terminal everything is told, and nothing is waited for.
        let attended = screen::enter(Stream::Error, printed.as_deref()).is_ok();
        let step = Rc::new(Step(RefCell::new(State {
            quiet: 0,
            title: title.into(),
            present,
            attended,
            spinner,
            events,
            story: Vec::new(),
            part: None,
            headline: String::new(),
            busy: String::new(),
            unseen: false,
            hurried: false,
            card: None,
            prediction: None,
        })));
        if attended {
            step.0.borrow().events.send(&Event::Stage(true))?;
        }
        Ok(step)
    }

    /// Whether there is somebody to press keys; then the whole terminal is taken.
    pub fn is_attended(&self) -> bool {
        self.0.borrow().attended
    }

    /// Gives the terminal back: what is told from now on, nobody hears.
    pub fn leave(&self) {
        let mut state = self.0.borrow_mut();
        if std::mem::take(&mut state.attended) {
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

    /// Says what takes time now, where it has the terminal.
    pub fn doing(&self, what: &str) {
        let mut state = self.0.borrow_mut();
        state.busy = format!("  ... {what}");
        state.draw();
    }

    /// Begins a part of the lesson, after a key for what was told before it.
    pub fn begin(&self, part: Part) -> Result<()> {
        if let Some(mut state) = self.aloud() {
            state.pause()?;
            state.begin(part, "");
        }
        Ok(())
    }

    /// Tells something that is no call.
    pub fn note(&self, text: &str) {
        if let Some(mut state) = self.aloud() {
            state.note(text);
        }
    }

    /// Hears what the lesson prints, and shows it, where it has the terminal.
    pub fn printed(&self, text: &str) {
        if let Some(mut state) = self.aloud().filter(|state| state.attended) {
            // After a key, a screen of its own.
            if !state.unseen || state.story.is_empty() {
                let title = state.title.clone();
                state.turn(title);
            }
            state.tell(text);
        }
    }

    /// Begins a kernel: what is new in it, and why.
    pub fn kernel(&self, task: &task::Task, source: &Source) -> Result<()> {
        self.pause()?;
        let state = &mut *self.0.borrow_mut();
        let card = Card::new(task, source, state.card.as_ref());
        let facts = card.facts.clone();
        (state.hurried, state.prediction) = (false, None);
        state.card = Some(card);
        if state.quiet == 0 {
            state.begin(Part::Kernel, "");
            facts.iter().for_each(|fact| state.note(fact));
        }
        Ok(())
    }

    /// Asks for a prediction of what is measured next, and keeps the answer.
    pub fn predict(&self, name: &str, before: Option<&str>) -> Result<()> {
        self.begin(Part::Time)?;
        let Some(mut state) = self.aloud() else { return Ok(()) };
        state.hurried = false;
        if state.attended {
            let (question, what, such_as) = match before {
                Some(before) => {
                    let question = format!("How many times as fast as {before} will {name} be?");
                    (question, "factor", "such as 2 or 0.5")
                }
                None => {
                    let share = "What share of the device's limit";
                    (format!("{share} will {name} reach, in percent?"), "number", "such as 5")
                }
            };
            state.note(&bold(question));
            state.prediction = state.while_paused(|state| state.number(what, such_as))?;
        }
        state.unseen = false;
        Ok(())
    }

    /// Shows how a kernel came out, beside the step before and beside what was
    /// predicted, and waits for a key.
    pub fn result(&self, record: &Record, before: Option<&Record>) -> Result<()> {
        let Some(mut state) = self.aloud() else { return Ok(()) };
        state.hurried = false;
        state.begin(Part::Result, if record.is_right() { " ✓" } else { "" });
        let outcome = card::outcome(record, before, state.prediction.take());
        state.note(&outcome);
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
        if let Some(mut state) = self.aloud() {
            state.call(call);
        }
    }
}
