//! What is being narrated, to whom, and on which screen.

use std::io::IsTerminal;

use common::error::Result;
use common::record::Record;
use console::Term;
use indicatif::ProgressBar;
use process::events::{Event, Sender};
use process::stage::{self, Place};
use text::screen;

use super::beat::Beat;
use super::card::{Card, Cards};
use super::memory::Memory;
use super::outcome::{Bar, Outcome, Prediction};
use super::piece::{self, Form, Piece, bold, headline, style};
use super::stage::{Stage, View};

/// To whom it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A learner at a terminal.
    Learner,
    /// A room, through a projector.
    Room,
}

/// A screen: a part of the lesson, and what was told in it.
#[derive(Clone, Default)]
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
    /// The lesson's number, and its title.
    pub lesson: u32,
    pub title: String,
    pub present: bool,
    /// The terminal, where standard input and standard error are one.
    pub stage: Option<Stage>,
    /// Whether what is printed would be printed over the stage.
    pub has_the_output: bool,
    /// Drawn where there is no stage, while something takes long.
    spinner: Option<ProgressBar>,
    /// To tell the watching process, and a second terminal, what is shown.
    pub events: Sender,
    /// Everything that was told.
    pub story: Vec<Slide>,
    /// What the next screen begins with.
    pub lead: Vec<Piece>,
    beat: Option<Beat>,
    /// Something was told since a key was last awaited.
    pub unseen: bool,
    /// Do not wait before the next kernel's result.
    pub hurried: bool,
    /// Do not wait before this kernel.
    pub until: Option<String>,
    pub repeatable: bool,
    pub cards: Cards,
    pub memory: Memory,
    pub prediction: Option<Prediction>,
    pub results: Vec<Bar>,
    pub programme: Vec<String>,
}

impl State {
    pub fn new(audience: Audience, spinner: ProgressBar) -> Result<State> {
        let present = audience == Audience::Room;
        let attended = std::io::stdin().is_terminal() && Term::stderr().is_term();
        let attended = attended && !console::is_dumb();
        let shows_output = std::io::stdout().is_terminal();
        // A terminal that cannot be taken is told everything, and waits for nothing.
        let stage = attended.then(|| Stage::enter(present).ok()).flatten();
        let mut events = Sender::from_environment()?;
        if stage.is_some() {
            events.send(&Event::Stage(Some(Place::default())))?;
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
        self.until.take_if(|until| *until == card.name);
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
            let gap = if self.present {
                Vec::new()
            } else {
                vec![String::new()]
            };
            self.print([gap, headline(&title, self.form())].concat());
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
        let lead = std::mem::take(&mut self.lead);
        self.tell_all(lead);
    }

    /// Tells something, on the screen that was begun last.
    pub fn tell(&mut self, piece: Piece) {
        self.unseen = true;
        let before = self.story.last().and_then(|slide| slide.pieces.last());
        if self.stage.is_none() {
            self.print(piece.blocks(before, self.form()).concat());
        }
        if let Some(slide) = self.story.last_mut() {
            slide.pieces.push(piece);
        }
        if let Some(stage) = &self.stage {
            stage.show(self.view(self.now()), true);
        }
    }

    pub fn tell_all(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        pieces.into_iter().for_each(|piece| self.tell(piece));
    }

    /// Tells what kernels and drivers have printed since the last key.
    pub fn tell_captured(&mut self) {
        let printed = screen::captured();
        if !printed.is_empty() {
            self.tell(Piece::Text(printed));
        }
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

    pub fn now(&self) -> usize {
        self.story.len().saturating_sub(1)
    }

    pub fn view(&self, at: usize) -> View {
        let slide = self.story.get(at);
        View {
            title: slide.map(|slide| slide.title.clone()),
            pieces: slide.map_or(Vec::new(), |slide| slide.pieces.clone()),
            ..View::default()
        }
    }

    /// Everything that was told, up to this screen.
    pub fn told(&self, at: usize) -> Vec<String> {
        let slides = self.story.iter().take(at + 1);
        let told = slides.flat_map(|slide| {
            let head = vec![String::new(), bold(format!("── {}", slide.title))];
            [head, piece::blocks(&slide.pieces, self.form()).concat()].concat()
        });
        told.collect()
    }

    /// The rates so far, below a heading; nothing before the first.
    pub fn rates(&self) -> Vec<String> {
        if self.results.is_empty() {
            return Vec::new();
        }
        let bars = Piece::Bars(self.results.clone()).blocks(None, self.form());
        let heading = vec![bold("The rates so far"), String::new()];
        [heading, bars.concat(), vec![String::new()]].concat()
    }

    /// Tells a second terminal what is on this one, and the process that watches that a
    /// person is awaited.
    pub fn tell_place(&mut self, at: usize, question: &str) -> Result<()> {
        let slide = self.story.get(at).cloned().unwrap_or_default();
        let kernel = slide.cards.name();
        let here = self.programme.iter().position(|name| name == kernel);
        let next = self.programme.get(here.map_or(0, |here| here + 1));
        let place = Place {
            lesson: self.lesson,
            beat: slide.beat.map_or(String::new(), |beat| format!("{beat:?}")),
            kernel: kernel.into(),
            title: slide.title,
            question: question.into(),
            next: next.cloned().unwrap_or_default(),
            at: stage::now(),
        };
        self.events.send(&Event::Stage(Some(place)))?;
        self.events.send(&Event::Paused)
    }

    pub fn leave(&mut self) {
        if self.stage.take().is_some() {
            screen::leave();
            // If nobody can be told, the process that watches gives it back once more.
            let _ = self.events.send(&Event::Stage(None));
        }
    }

    pub fn show_result(&mut self, record: &Record, factor: Option<f64>) {
        self.beat = Some(Beat::Result);
        self.hurried = false;
        let mark = if record.verified { " ✓" } else { "" };
        let title = format!("{}{mark}", self.cards.headline(Beat::Result));
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
        self.turn(title, "");
        self.tell_all(outcome.pieces(self.present));
    }

    pub fn keep_result(&mut self, record: &Record) {
        if let Some(bar) = Bar::of(record) {
            self.results.retain(|known| known.name != bar.name);
            self.results.push(bar);
        }
    }
}
