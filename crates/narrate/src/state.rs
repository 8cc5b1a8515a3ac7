//! What is being narrated, to whom, and on which screen.

use std::io::IsTerminal;

use common::error::Result;
use common::record::Record;
use console::Term;
use indicatif::ProgressBar;
use process::events::{Event, Sender};
use process::stage::{self, Place};
use text::screen;

use super::bars::Bar;
use super::beat::Beat;
use super::card::Cards;
use super::memory::Memory;
use super::outcome::{Outcome, Prediction};
use super::piece::{Form, Piece, bold, headline};
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
#[derive(Clone)]
pub(super) struct Slide {
    pub title: String,
    pub beat: Option<Beat>,
    pub cards: Cards,
    pub pieces: Vec<Piece>,
}

/// What is narrated, and to whom.
pub(super) struct State {
    /// How often nothing is to be said and no key awaited, [`super::Narrator::hush`].
    pub(super) hushed: usize,
    /// The lesson's number, and its title.
    pub(super) lesson: u32,
    pub(super) title: String,
    pub(super) present: bool,
    /// The terminal, where standard input and standard error are one.
    pub(super) stage: Option<Stage>,
    /// Whether what is printed would be printed over the stage.
    pub(super) has_the_output: bool,
    /// Drawn where there is no stage, while something takes long.
    pub(super) spinner: ProgressBar,
    /// To tell the watching process, and a second terminal, what is shown.
    pub(super) events: Sender,
    /// Everything that was told.
    pub(super) story: Vec<Slide>,
    /// What the next screen begins with.
    pub(super) lead: Vec<Piece>,
    pub(super) beat: Option<Beat>,
    /// Something was told since a key was last awaited.
    pub(super) unseen: bool,
    /// Do not wait before the next kernel's result.
    pub(super) hurried: bool,
    /// Do not wait before this kernel.
    pub(super) until: Option<String>,
    /// Whether there is a launch that could be done again.
    pub(super) repeatable: bool,
    pub(super) cards: Cards,
    pub(super) memory: Memory,
    pub(super) prediction: Option<Prediction>,
    pub(super) results: Vec<Bar>,
    /// The kernels of this table.
    pub(super) programme: Vec<String>,
}

impl State {
    /// At the beginning of a lesson.
    pub(super) fn new(audience: Audience, spinner: ProgressBar) -> Result<State> {
        let present = audience == Audience::Room;
        let attended = std::io::stdin().is_terminal() && Term::stderr().is_term();
        let attended = attended && !console::is_dumb();
        let shows_output = std::io::stdout().is_terminal();
        // A terminal that cannot be taken is told everything, and waits for nothing.
        let stage = attended.then(|| Stage::enter(present).ok()).flatten();
        let mut state = State {
            hushed: 0,
            lesson: 0,
            title: String::new(),
            present,
            has_the_output: shows_output && stage.is_some(),
            stage,
            spinner,
            events: Sender::from_environment()?,
            story: Vec::new(),
            lead: Vec::new(),
            beat: None,
            unseen: false,
            hurried: false,
            until: None,
            repeatable: false,
            cards: Cards::default(),
            memory: Memory::default(),
            prediction: None,
            results: Vec::new(),
            programme: Vec::new(),
        };
        if state.stage.is_some() {
            state.events.send(&Event::Stage(Some(Place::default())))?;
        }
        Ok(state)
    }

    /// Begins a part of the lesson.
    pub(super) fn begin(&mut self, beat: Beat) {
        self.beat = Some(beat);
        let title = self.cards.headline(beat);
        self.turn(title, beat.says(self.present));
    }

    /// Begins a screen.
    pub(super) fn turn(&mut self, title: String, says: &str) {
        self.unseen = true;
        let pieces = std::mem::take(&mut self.lead);
        if self.stage.is_none() {
            let form = Form::new(self.present, None);
            if !form.present {
                self.print(vec![String::new()]);
            }
            self.print(headline(&title, form));
        }
        self.story.push(Slide {
            title,
            beat: self.beat,
            cards: self.cards.clone(),
            pieces: Vec::new(),
        });
        let says = Some(says).filter(|says| !says.is_empty());
        let says = says.map(|says| Piece::Says(says.into()));
        says.into_iter()
            .chain(pieces)
            .for_each(|piece| self.tell(piece));
    }

    /// Tells something, on the screen that was begun last.
    pub(super) fn tell(&mut self, piece: Piece) {
        self.unseen = true;
        let before = self.story.last().and_then(|slide| slide.pieces.last());
        if self.stage.is_none() {
            let form = Form::new(self.present, None);
            let lines = piece.blocks(before, form).concat();
            self.print(lines);
        }
        if let Some(slide) = self.story.last_mut() {
            slide.pieces.push(piece);
        }
        if let Some(stage) = &self.stage {
            stage.show(self.view(self.now()), true);
        }
    }

    /// Tells what kernels and drivers have printed since the last key.
    pub(super) fn tell_captured(&mut self) {
        let printed = screen::captured();
        if !printed.is_empty() {
            self.tell(Piece::Text(printed));
        }
    }

    /// Lines on standard error, with the spinner out of the way. A reader that has gone
    /// away is no error.
    fn print(&self, lines: Vec<String>) {
        self.spinner.suspend(|| {
            for line in lines {
                let _ = Term::stderr().write_line(&line);
            }
        });
    }

    /// The number of the screen that was told last.
    pub(super) fn now(&self) -> usize {
        self.story.len().saturating_sub(1)
    }

    /// A screen of the story.
    pub(super) fn view(&self, at: usize) -> View {
        let Some(slide) = self.story.get(at) else {
            return View::default();
        };
        View {
            title: Some(slide.title.clone()),
            pieces: slide.pieces.clone(),
            ..View::default()
        }
    }

    /// Everything that was told, up to this screen.
    pub(super) fn told(&self, at: usize) -> Vec<String> {
        let form = Form::new(self.present, None);
        let mut lines = Vec::new();
        for slide in self.story.iter().take(at + 1) {
            lines.push(String::new());
            lines.push(bold(format!("── {}", slide.title)));
            for (i, piece) in slide.pieces.iter().enumerate() {
                let before = i.checked_sub(1).map(|before| &slide.pieces[before]);
                lines.extend(piece.blocks(before, form).concat());
            }
        }
        lines
    }

    /// The rates so far, below a heading; nothing before the first.
    pub(super) fn rates(&self) -> Vec<String> {
        if self.results.is_empty() {
            return Vec::new();
        }
        let form = Form::new(self.present, None);
        let mut lines = vec![bold("The rates so far"), String::new()];
        lines.extend(
            Piece::Bars(self.results.clone())
                .blocks(None, form)
                .concat(),
        );
        lines.push(String::new());
        lines
    }

    /// Tells a second terminal what is on this one, and the process that watches that a
    /// person is awaited.
    pub(super) fn tell_place(&mut self, at: usize, question: &str) -> Result<()> {
        let slide = self.story.get(at);
        let kernel = slide.map_or("", |slide| slide.cards.name());
        let here = self.programme.iter().position(|name| name == kernel);
        let next = self.programme.get(here.map_or(0, |here| here + 1));
        let beat = slide.and_then(|slide| slide.beat);
        let place = Place {
            lesson: self.lesson,
            title: slide.map_or(String::new(), |slide| slide.title.clone()),
            beat: beat.map_or(String::new(), |beat| format!("{beat:?}")),
            kernel: kernel.into(),
            question: question.into(),
            next: next.cloned().unwrap_or_default(),
            at: stage::now(),
        };
        self.events.send(&Event::Stage(Some(place)))?;
        self.events.send(&Event::Paused)
    }

    /// Gives the terminal back.
    pub(super) fn leave(&mut self) {
        if self.stage.take().is_some() {
            screen::leave();
            // If nobody can be told, the process that watches gives it back once more.
            let _ = self.events.send(&Event::Stage(None));
        }
    }

    pub(super) fn show_result(&mut self, record: &Record, factor: Option<f64>) {
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
        let pieces = outcome.pieces(self.present);
        self.turn(title, "");
        pieces.into_iter().for_each(|piece| self.tell(piece));
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.leave();
    }
}
