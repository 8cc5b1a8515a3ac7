//! What is being narrated, to whom, and on which screen.

use std::io::IsTerminal;

use common::error::Result;
use common::record::Record;
use console::Term;
use indicatif::ProgressBar;
use supervise::events::Sender;

use super::card::Cards;
use super::memory::Memory;
use super::outcome::{Bar, Outcome, Prediction};
use super::screen::Screen;
use super::{Audience, Beat};

/// What is narrated, and to whom.
pub struct State {
    /// How often nothing is to be said and no key awaited, [`super::Narrator::hush`].
    pub(super) hushed: usize,
    /// Of the lesson.
    pub(super) title: String,
    pub(super) screen: Screen,
    /// Drawn while something takes long; out of the way while a key is awaited.
    pub(super) spinner: ProgressBar,
    /// To tell the watching process that a person is awaited.
    pub(super) events: Sender,
    /// Standard input and standard error are a terminal.
    pub(super) attended: bool,
    pub(super) beat: Option<Beat>,
    /// Something was told since a key was last awaited.
    pub(super) unseen: bool,
    /// Do not wait before the next kernel's result.
    pub(super) hurried: bool,
    /// Whether there is a launch that could be done again.
    pub(super) repeatable: bool,
    pub(super) cards: Cards,
    pub(super) memory: Memory,
    pub(super) prediction: Option<Prediction>,
    pub(super) results: Vec<Bar>,
}

impl State {
    /// At the beginning of a lesson.
    pub(super) fn new(audience: Audience, spinner: ProgressBar) -> Result<State> {
        let attended = std::io::stdin().is_terminal() && Term::stderr().is_term();
        let attended = attended && !console::is_dumb();
        Ok(State {
            hushed: 0,
            title: String::new(),
            screen: Screen::new(audience == Audience::Room, attended),
            spinner,
            events: Sender::from_environment()?,
            attended,
            beat: None,
            unseen: false,
            hurried: false,
            repeatable: false,
            cards: Cards::default(),
            memory: Memory::default(),
            prediction: None,
            results: Vec::new(),
        })
    }

    /// Begins a part of the lesson.
    pub(super) fn begin(&mut self, beat: Beat) {
        self.beat = Some(beat);
        let headline = self.cards.headline(beat);
        self.say(|screen| screen.headline(&headline, beat.says(screen.present)));
    }

    /// Says something, with the spinner out of the way.
    pub(super) fn say(&mut self, what: impl FnOnce(&mut Screen)) {
        self.unseen = true;
        let screen = &mut self.screen;
        self.spinner.suspend(|| what(screen));
    }

    pub(super) fn show_result(&mut self, record: &Record, factor: Option<f64>) {
        self.beat = Some(Beat::Result);
        self.hurried = false;
        let mark = if record.verified { " ✓" } else { "" };
        let headline = format!("{}{mark}", self.cards.headline(Beat::Result));
        // A kernel that is run again does not come before itself.
        let made_from = |bar: &&Bar| match &record.made_from {
            Some(name) => bar.name == *name,
            None => bar.name != record.kernel,
        };
        let before = self.results.iter().rfind(made_from);
        let outcome = Outcome {
            record,
            before: before.cloned().filter(|_| factor.is_some()),
            prediction: self.prediction.take(),
        };
        self.say(|screen| {
            screen.headline(&headline, "");
            screen.outcome(&outcome);
        });
    }
}
