//! What a lesson prints: rows for people, or JSON lines.

mod row;

use std::cell::RefCell;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write, stdout};

use colored::Colorize;
use common::error::Result;
use common::record::Record;
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::wrap;
use serde::Serialize;

use row::row;
pub(crate) use row::{CHOSEN, heading};

/// Where a lesson's words and numbers go. What prints fails when standard output does.
pub struct Report {
    json: bool,
    out: Out,
    /// Prints nothing for now, neither lines nor JSON.
    pub(crate) muted: bool,
    /// Lines that wait until the terminal is free, where it is taken.
    pub(crate) kept_back: Option<RefCell<Vec<String>>>,
    rows: Vec<Record>,
}

impl Report {
    /// Prints tables, or JSON lines.
    pub fn new(json: bool) -> Report {
        Report {
            json,
            out: if json && !counts_instructions() {
                Out::alone()
            } else {
                Out::SHARED
            },
            muted: false,
            kept_back: None,
            rows: Vec::new(),
        }
    }

    /// Prints what was kept back.
    pub fn flush(&self) -> Result<()> {
        let mut lines = self.kept_back.iter().flat_map(RefCell::take);
        lines.try_for_each(|line| self.out(&line))
    }

    /// Prints lines for people, broken where the terminal is too narrow for them;
    /// nothing in JSON mode.
    pub fn line(&self, text: impl Display) -> Result<()> {
        if self.json || self.muted {
            return Ok(());
        }
        self.print(text.to_string())
    }

    /// Prints a text, or keeps it back.
    fn print(&self, text: String) -> Result<()> {
        match &self.kept_back {
            Some(kept) => kept.borrow_mut().push(text),
            None => self.out(&text)?,
        }
        Ok(())
    }

    fn out(&self, text: &str) -> Result<()> {
        let text = match wrap::stdout_columns().filter(|_| !self.json) {
            Some(columns) => wrap::wrap(text, columns),
            None => text.into(),
        };
        Ok(self.out.line(text)?)
    }

    /// Prints one JSON object, in JSON mode.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        if self.json && !self.muted {
            self.print(serde_json::to_string(value).map_err(std::io::Error::from)?)?;
        }
        Ok(())
    }

    /// The records printed so far.
    pub fn rows(&self) -> &[Record] {
        &self.rows
    }

    /// The row of this table that a record's step was made from, if that was timed.
    pub fn compared_with(&self, record: &Record) -> Option<&Record> {
        let mut timed = self.rows.iter().filter(|row| row.rate().is_some());
        match &record.made_from {
            Some(name) => timed.rfind(|row| row.kernel == *name),
            None => timed.next_back(),
        }
    }

    /// Prints the head of a table, below an empty line, and forgets the rows before it:
    /// the factors start anew.
    pub fn head(&mut self, heading: &str) -> Result<()> {
        self.rows.clear();
        self.line(format!("\n{}", heading.bold()))
    }

    /// Prints a record, and keeps it for the next one's factor.
    pub fn row(&mut self, record: Record) -> Result<()> {
        self.line(row(&record))?;
        self.json(&record)?;
        self.rows.push(record);
        Ok(())
    }
}

/// Whether Oclgrind prints what each launch executed: it is read between the records.
fn counts_instructions() -> bool {
    std::env::var_os("OCLGRIND_INST_COUNTS").is_some()
}

/// Standard output: shared with what kernels and drivers print, or the lesson's alone.
struct Out(Option<File>);

impl Out {
    /// As it comes.
    const SHARED: Out = Out(None);

    /// For programs that read it: what others print goes to standard error from now on.
    /// Where the system cannot do that, it stays shared.
    fn alone() -> Out {
        let alone = || -> io::Result<File> {
            let own = Stream::Output.as_it_is()?;
            Stream::Output.send_to(&Stream::Error.as_it_is()?)?;
            Ok(own)
        };
        Out(alone().ok())
    }

    /// Prints a line.
    fn line(&self, text: impl Display) -> io::Result<()> {
        let line = format!("{text}\n");
        match self.0.as_ref() {
            Some(mut own) => own.write_all(line.as_bytes()),
            None => stdout().write_all(line.as_bytes()),
        }
    }
}
