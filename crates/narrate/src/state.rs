//! What is being narrated, to whom, and on which screen.

use std::io::IsTerminal;

use common::error::Result;
use common::record::Record;
use console::Term;
use indicatif::ProgressBar;
use process::events::{Event, Sender};
use text::screen;

use super::beat::Beat;
use super::card::{Card, Cards};
use super::outcome::{Outcome, Prediction};
use super::piece::{Form, Piece, style};
use super::stage::{Stage, View};

/// A screen: a part of the lesson, and what was told in it.
pub(super) struct Slide {
    pub title: String,
    pub beat: Option<Beat>,
    pub cards: Cards,
    pub pieces: Vec<Piece>,
}

/// What is narrated, and to whom.
#[derive(Default)]
pub(super) struct State {
    /// How often it was asked to say nothing, and to await no key.
    pub quiet: usize,
    /// The lesson's title.
    pub title: String,
    /// To a room, through a projector.
    present: bool,
    /// The terminal, where standard input and standard error are one.
    pub stage: Option<Stage>,
    /// Whether what is printed would be printed over the stage.
    pub has_the_output: bool,
    /// Drawn where there is no stage, while something takes long.
    spinner: Option<ProgressBar>,
    /// To tell the watching process that a person is awaited.
    pub events: Sender,
    /// Everything that was told.
    pub story: Vec<Slide>,
    beat: Option<Beat>,
    /// Something was told since a key was last awaited.
    pub unseen: bool,
    /// Do not wait before the next kernel, its question, or its result.
    pub hurried: bool,
    pub cards: Cards,
    pub prediction: Option<Prediction>,
    /// Of the kernels that were timed.
    results: Vec<Record>,
}

impl State {
    pub fn new(present: bool, spinner: ProgressBar) -> Result<State> {
        let attended = std::io::stdin().is_terminal() && Term::stderr().is_term();
        let attended = attended && !console::is_dumb();
        let shows_output = std::io::stdout().is_terminal();
        // A terminal that cannot be taken is told everything, and waits for nothing.
        let stage = attended.then(|| Stage::enter(present).ok()).flatten();
        let mut events = Sender::from_environment()?;
        if stage.is_some() {
            events.send(&Event::Stage(true))?;
        }
        Ok(State {
            present,
            has_the_output: shows_output && stage.is_some(),
            stage,
            spinner: Some(spinner),
            events,
            ..State::default()
        })
    }

    pub fn begin(&mut self, beat: Beat) {
        self.beat = Some(beat);
        let says = beat.words().says(self.present);
        self.turn(self.cards.headline(beat), says);
    }

    pub fn turn_to(&mut self, card: Card) {
        self.hurried = false;
        self.prediction = None;
        self.beat = Some(Beat::Kernel);
        self.cards.turn(card);
    }

    pub fn introduce(&mut self) {
        let (says, facts) = self.cards.summary();
        let says = says.to_string();
        self.turn(self.cards.headline(Beat::Kernel), &says);
        self.tell_all(facts.into_iter().map(Piece::Note));
    }

    /// Begins a screen.
    pub fn turn(&mut self, title: String, says: &str) {
        self.unseen = true;
        if self.stage.is_none() {
            let headline = self.form().headline(&title);
            self.print([vec![String::new()], headline].concat());
        }
        self.story.push(Slide {
            title,
            beat: self.beat,
            cards: self.cards.clone(),
            pieces: Vec::new(),
        });
        if !says.is_empty() {
            self.tell(Piece::Note(style(says).dim().to_string()));
        }
    }

    /// Tells something, on the screen that was begun last.
    pub fn tell(&mut self, piece: Piece) {
        self.unseen = true;
        if self.stage.is_none() {
            self.print(piece.lines(self.form()));
        }
        if let Some(slide) = self.story.last_mut() {
            slide.pieces.push(piece);
        }
        if let Some(stage) = &self.stage {
            stage.show(self.view(self.story.len().saturating_sub(1)), false);
        }
    }

    fn tell_all(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        pieces.into_iter().for_each(|piece| self.tell(piece));
    }

    /// How pieces look that stand on no screen.
    fn form(&self) -> Form {
        Form::new(self.present, None)
    }

    /// Lines on standard error, with the spinner out of the way. A reader that has gone
    /// away is no error.
    fn print(&self, lines: Vec<String>) {
        let line = |line: &String| drop(Term::stderr().write_line(line));
        if let Some(spinner) = &self.spinner {
            spinner.suspend(|| lines.iter().for_each(line));
        }
    }

    /// The screen of this number.
    pub fn view(&self, at: usize) -> View {
        let slide = self.story.get(at);
        View {
            title: slide.map(|slide| slide.title.clone()),
            pieces: slide.map_or(Vec::new(), |slide| slide.pieces.clone()),
            ..View::default()
        }
    }

    pub fn leave(&mut self) {
        if self.stage.take().is_some() {
            screen::leave();
            // If nobody can be told, the process that watches gives it back once more.
            let _ = self.events.send(&Event::Stage(false));
        }
    }

    pub fn show_result(&mut self, record: &Record, factor: Option<f64>) {
        self.beat = Some(Beat::Result);
        self.hurried = false;
        let mark = if record.verified { " ✓" } else { "" };
        let title = format!("{}{mark}", self.cards.headline(Beat::Result));
        let made_from = |one: &&Record| match &record.made_from {
            Some(name) => one.kernel == *name,
            None => true,
        };
        let before = self.results.iter().rfind(made_from);
        let outcome = Outcome {
            record,
            before: before.cloned().filter(|_| factor.is_some()),
            prediction: self.prediction.take(),
        };
        self.turn(title, "");
        self.tell_all(outcome.pieces());
    }

    pub fn keep_result(&mut self, record: &Record) {
        if record.rate().is_some() {
            self.results.retain(|known| known.kernel != record.kernel);
            self.results.push(record.clone());
        }
    }
}
