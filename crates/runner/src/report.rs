//! What a lesson prints: rows for people, or JSON lines.

mod row;

use std::cell::RefCell;
use std::fmt::Display;
use std::io::Write;

use colored::Colorize;
use common::error::Result;
use common::record::Record;
use serde::Serialize;
use text::wrap;

use row::{heading, row};

/// Where a lesson's words and numbers go. What prints fails when standard output does.
pub struct Report {
    json: bool,
    silent: bool,
    muted: bool,
    /// Lines of a table that wait for the next line that does not, if they wait.
    deferred: Option<RefCell<Vec<String>>>,
    rows: Vec<Record>,
}

impl Report {
    /// Prints tables, or JSON lines.
    pub fn new(json: bool) -> Report {
        Report {
            json,
            silent: json,
            muted: false,
            deferred: None,
            rows: Vec::new(),
        }
    }

    /// Prints no lines for people any more: somebody else tells them.
    pub fn silence(&mut self) {
        self.silent = true;
    }

    /// Prints nothing, neither lines nor JSON, or speaks again.
    pub fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Whether it prints nothing for now.
    pub fn is_muted(&self) -> bool {
        self.muted
    }

    /// Keeps tables back until they are complete, since each row is told besides.
    pub fn defer_tables(&mut self) {
        self.deferred = Some(RefCell::default());
    }

    /// Prints what was kept back.
    pub fn flush(&self) -> Result<()> {
        let Some(deferred) = &self.deferred else {
            return Ok(());
        };
        deferred.take().iter().try_for_each(|line| self.print(line))
    }

    /// A line of a table.
    fn table_line(&self, text: &str) -> Result<()> {
        match &self.deferred {
            Some(deferred) => deferred.borrow_mut().push(text.to_string()),
            None => self.print(text)?,
        }
        Ok(())
    }

    /// Prints lines for people, broken where the terminal is too narrow for them;
    /// nothing in JSON mode.
    pub fn line(&self, text: impl Display) -> Result<()> {
        self.flush()?;
        self.print(&text.to_string())
    }

    fn print(&self, text: &str) -> Result<()> {
        if self.silent || self.muted {
            return Ok(());
        }
        match wrap::stdout_columns() {
            Some(columns) => writeln!(std::io::stdout(), "{}", wrap::wrap(text, columns))?,
            None => writeln!(std::io::stdout(), "{text}")?,
        }
        Ok(())
    }

    /// Prints one JSON object, in JSON mode.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        if self.json && !self.muted {
            let line = serde_json::to_string(value).map_err(std::io::Error::from)?;
            writeln!(std::io::stdout(), "{line}")?;
        }
        Ok(())
    }

    /// The records printed so far.
    pub fn rows(&self) -> &[Record] {
        &self.rows
    }

    /// Forgets the rows, so that the next table's factors start anew.
    pub fn start_table(&mut self) {
        self.rows.clear();
    }

    /// Prints the head of a table of kernels, below an empty line.
    pub fn head(&self, unit: &str) -> Result<()> {
        self.table_line(&format!("\n{}", heading(unit).bold()))
    }

    /// Prints a record, and keeps it for the next one's factor.
    pub fn row(&mut self, record: Record) -> Result<()> {
        self.table_line(&row(&record))?;
        self.json(&record)?;
        self.rows.push(record);
        Ok(())
    }

    /// How many times faster a record is than the step before it in the table.
    pub fn step_factor(&self, record: &Record) -> Option<f64> {
        let before = self.rows.iter().rev().find_map(Record::rate)?;
        record.rate().map(|rate| rate / before)
    }
}
