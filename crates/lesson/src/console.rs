//! What a lesson says: lines and rows on the terminal, each call to whoever listens,
//! and what it does to the process that watches.

use std::fmt::{Display, Write};
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};
use std::{cell::RefCell, rc::Rc};

use colored::Colorize;
use common::{error::Result, record::Record, stage::Stage};
use diagnostics::terminal::progress::{self, tick_by_itself};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState};
use verify::matrix::Matrix;
use watchdog::events::{Event, Sender};
use watchdog::{resume::Earlier, simulator::Simulator};

use crate::step::{Hush, Part, Step};
use crate::{flags::Flags, report::Report};

/// Matrices up to this many rows and columns are printed by `--show`.
const SHOWN: usize = 16;

/// From then on a learner wonders what goes on.
const NOTICED: Duration = Duration::from_secs(5);

/// Where everything goes that a lesson has to say. What prints fails when standard
/// output does, what tells when the watching process cannot be told, and with `--step`
/// a key may end either.
pub struct Console {
    /// Rows for people, or JSON lines.
    pub report: Report,
    /// Who tells each call; with `--step` alone.
    pub step: Option<Rc<Step>>,
    spinner: ProgressBar,
    /// How long what is begun may take.
    timeout: Duration,
    /// The process that watches.
    pub events: Sender,
    /// Which reports faults, where the device is one.
    pub(crate) simulator: Option<Simulator>,
    /// What a process before this one measured.
    pub(crate) earlier: Earlier,
    /// Until this process has come to where that one ended.
    silent: Option<Hush>,
    /// In a trial, which says what is done itself.
    pub(crate) in_a_trial: bool,
    /// How many kernels' results are wrong.
    pub wrong: usize,
    /// How many kernels were skipped, and how many of the device's results were checked.
    pub skipped: usize,
    pub(crate) checked: usize,
    /// The kernels that took a process down.
    pub(crate) died: Vec<Record>,
}

impl Console {
    pub(crate) fn new(flags: &Flags, title: &str) -> Result<Console> {
        let spinner = ProgressBar::with_draw_target(None, progress::target());
        if !spinner.is_hidden() {
            tick_by_itself(&spinner);
        }
        let mut report = Report::new(flags.json);
        let earlier = Earlier::from_environment();
        let mut step = None;
        if flags.step || flags.present {
            // The terminal may be taken as a whole, and standard output with it.
            let shows_output = stdout().is_terminal();
            let one = Step::new(title, flags.present, spinner.clone())?;
            if one.is_attended() {
                spinner.set_draw_target(ProgressDrawTarget::hidden());
                report.kept_back = shows_output.then(RefCell::default);
            }
            step = Some(one);
        }
        let goes_on = !earlier.is_over();
        let silent = step.as_ref().filter(|_| goes_on).map(Step::hush);
        // What was kept back went with the process that kept it.
        report.muted = goes_on && report.kept_back.is_none();
        Ok(Console {
            report,
            step,
            spinner,
            timeout: Duration::from_secs(flags.timeout),
            events: Sender::from_environment()?,
            simulator: None,
            silent,
            earlier,
            in_a_trial: false,
            wrong: 0,
            skipped: 0,
            checked: 0,
            died: Vec::new(),
        })
    }

    /// Begins a part that `--step` tells apart, and says what is done.
    pub fn begin(&mut self, part: Part, stage: Stage) -> Result<()> {
        self.part(part)?;
        self.doing(stage)
    }

    /// Begins a part of which there is nothing else to say.
    pub fn part(&self, part: Part) -> Result<()> {
        self.step.as_ref().map_or(Ok(()), |step| step.begin(part))
    }

    /// Tells something more, with `--step`.
    pub fn note<T: Into<String>>(&self, text: impl FnOnce() -> T) {
        if let Some(step) = &self.step {
            step.note(&text().into());
        }
    }

    /// Tells no step while this lives.
    pub fn hush(&self) -> Option<Hush> {
        self.step.as_ref().map(Step::hush)
    }

    /// Says what begins now: to the process that watches, and on the terminal.
    pub fn doing(&mut self, stage: Stage) -> Result<()> {
        if let Some(step) = &self.step {
            step.doing(&stage.to_string());
        }
        if self.in_a_trial {
            return Ok(());
        }
        if !self.spinner.is_hidden() {
            // A key that was awaited has put it away.
            if self.spinner.is_finished() {
                self.spinner.reset();
            }
            let (begun, timeout) = (Instant::now(), self.timeout);
            let patience = move |_: &ProgressState, out: &mut dyn Write| {
                // A terminal that has gone away shows nothing.
                let _ = out.write_str(&patience(begun.elapsed(), timeout));
            };
            let style = progress::style("  {spinner} {msg} {patience}");
            self.spinner.set_style(style.with_key("patience", patience));
            self.spinner.set_message(stage.to_string());
            self.spinner.tick();
        }
        self.events.send(&Event::Doing(stage))
    }

    /// Prints a line of JSON, in JSON mode; whoever watches is told it as a value.
    pub fn json(&mut self, line: serde_json::Value) -> Result<()> {
        self.report.json(&line)?;
        self.events.send(&Event::Answer(line))
    }

    /// Prints a line for people, none in JSON mode.
    pub fn say(&self, text: impl Display) -> Result<()> {
        self.spinner.suspend(|| self.report.line(&text))?;
        if let Some(step) = &self.step {
            step.printed(&text.to_string());
        }
        Ok(())
    }

    /// Prints the head of a table; rows before it no longer count for factors.
    pub(crate) fn head(&mut self, heading: &str) -> Result<()> {
        self.report.tables.push(Vec::new());
        self.spinner.suspend(|| self.report.line(format!("\n{}", heading.bold())))
    }

    /// Prints a record, and hands it to the watching process. What a simulator reported
    /// since the row before is this one's failure.
    pub fn row(&mut self, record: Record) -> Result<()> {
        let mut record = self.judged(record);
        let before = self.report.compared_with(&record).and_then(Record::rate);
        let factor = |(rate, before): (f64, f64)| rate / before;
        record.step_factor = record.rate().zip(before).map(factor);
        self.keep(&record)?;
        self.show_row(record)
    }

    /// The record, with what a simulator reported since the one before.
    pub(crate) fn judged(&mut self, record: Record) -> Record {
        match &mut self.simulator {
            Some(simulator) => simulator.judge(record),
            None => record,
        }
    }

    /// Shows a record that the watching process has.
    pub(crate) fn show_row(&mut self, record: Record) -> Result<()> {
        let before = self.report.compared_with(&record);
        let step = self.step.as_ref();
        let told = step.map_or(Ok(()), |step| step.result(&record, before));
        // Who ends it here has seen the result.
        self.spinner.suspend(|| self.report.row(record))?;
        told
    }

    /// Hands a record to the watching process, and remembers a wrong result.
    pub(crate) fn keep(&mut self, record: &Record) -> Result<()> {
        self.remember(record);
        self.events.send(&record.clone().into())
    }

    /// Remembers what the lesson's last line must tell.
    pub(crate) fn remember(&mut self, record: &Record) {
        self.wrong += usize::from(record.wrong().is_some());
        self.skipped += usize::from(record.skipped().is_some());
        let is_checked = record.is_right() || record.wrong().is_some();
        self.checked += usize::from(is_checked && record.platform != "host");
        if record.death().is_some() {
            self.died.push(record.clone());
        }
    }

    /// Prints a matrix, or says why not.
    pub fn show(&self, name: &str, matrix: &Matrix) -> Result<()> {
        let Matrix { rows, cols, .. } = *matrix;
        if rows > SHOWN || cols > SHOWN {
            return self.say(format!(
                "  {name} is {rows} x {cols}: too large to print, use --size {SHOWN} or less"
            ));
        }
        self.say(format!("  {name} ({rows} x {cols})\n{matrix}").trim_end())
    }

    /// Prints and tells from now on, where this process was silent until it came to
    /// where another had ended.
    pub(crate) fn speak_up(&mut self) {
        self.report.muted = false;
        self.silent = None;
    }

    /// Draws no progress from now on, or does again.
    pub(crate) fn hide_progress(&self, hidden: bool) {
        let is_attended = self.step.as_ref().is_some_and(|step| step.is_attended());
        let target = if hidden || is_attended {
            self.spinner.finish_and_clear();
            ProgressDrawTarget::hidden()
        } else {
            progress::target()
        };
        self.spinner.set_draw_target(target);
    }

    /// Clears the progress line, gives the terminal back, where it was taken, and prints what was
    /// kept back.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.spinner.finish_and_clear();
        if let Some(step) = &self.step {
            step.leave();
        }
        self.report.flush()
    }
}

/// How long something has taken, and what becomes of it if it does not end: a learner who
/// waits for an endless loop is to know.
fn patience(taken: Duration, timeout: Duration) -> String {
    let (taken, timeout) = (taken.as_secs(), timeout.as_secs());
    if taken < NOTICED.as_secs() {
        return format!("{taken}s");
    }
    format!("{taken}s; at {timeout}s it is ended (--timeout), Ctrl-C ends all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_says_when_it_is_ended() {
        let shown = |taken| patience(Duration::from_secs(taken), Duration::from_secs(300));
        assert_eq!(shown(4), "4s");
        assert_eq!(shown(20), "20s; at 300s it is ended (--timeout), Ctrl-C ends all");
    }
}
