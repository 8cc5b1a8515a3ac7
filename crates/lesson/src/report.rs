//! What a lesson prints: rows for people, or JSON lines.

use std::io::{Write, stdout};
use std::{cell::RefCell, fmt::Display, fs::File};

use colored::Colorize;
use common::error::{Error, Result};
use common::outcome::Outcome;
use common::record::{Helped, Record};
use diagnostics::terminal::stream::Stream;
use diagnostics::terminal::{plain, with_colours, wrap};
use serde_json::json;
use verify::numbers::{factor, percent, seconds, significant};

/// Where a lesson's words and numbers go. What prints fails when standard output does.
pub struct Report {
    json: bool,
    /// Standard output, where what kernels and drivers print does not go there.
    own: Option<File>,
    /// Prints nothing for now, neither lines nor JSON.
    pub(crate) muted: bool,
    /// Lines that wait until the terminal is free, where it is taken.
    pub(crate) kept_back: Option<RefCell<Vec<String>>>,
    /// How many of them there were when the last row had come.
    whole: usize,
    /// The rows of each table.
    pub(crate) tables: Vec<Vec<Record>>,
}

impl Report {
    /// Prints tables, or JSON lines.
    pub fn new(json: bool) -> Report {
        // For programs that read it: what others print goes to standard error from now on. Where the
        // system cannot do that, it stays shared.
        let alone = || {
            let own = Stream::Output.as_it_is().ok()?;
            Stream::Output.send_to(&Stream::Error.as_it_is().ok()?).ok()?;
            Some(own)
        };
        // What Oclgrind says that each launch executed is read between the records.
        let counts_instructions = std::env::var_os("OCLGRIND_INST_COUNTS").is_some();
        Report {
            json,
            own: if json && !counts_instructions { alone() } else { None },
            muted: false,
            kept_back: None,
            whole: 0,
            tables: Vec::new(),
        }
    }

    /// Prints what was kept back, and keeps nothing back any more.
    pub fn flush(&mut self) -> Result<()> {
        let kept = self.kept_back.take().unwrap_or_default().into_inner();
        kept.into_iter().try_for_each(|line| self.print(line))
    }

    /// Forgets of what was kept back what no row has followed: a head alone tells nothing.
    pub(crate) fn drop_torso(&self) {
        if let Some(kept) = &self.kept_back {
            kept.borrow_mut().truncate(self.whole);
        }
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
        if let Some(kept) = &self.kept_back {
            kept.borrow_mut().push(text);
            return Ok(());
        }
        let text = if self.json { text } else { wrap::fitted(Stream::Output, &text) };
        let line = with_colours(&text) + "\n";
        match self.own.as_ref() {
            Some(mut own) => own.write_all(line.as_bytes())?,
            None => stdout().write_all(line.as_bytes())?,
        }
        Ok(())
    }

    /// Prints an error as such an object.
    pub fn error(&self, error: &Error) -> Result<()> {
        let status = error.status();
        // 1 and 5 are told by the records of the kernels that are wrong or died.
        if !(2..5).contains(&status) {
            return Ok(());
        }
        let error = plain(&error.to_string());
        self.json(&json!({ "error": error, "status": status }))
    }

    /// Prints one JSON object, in JSON mode.
    pub fn json(&self, value: &impl serde::Serialize) -> Result<()> {
        if self.json && !self.muted {
            self.print(serde_json::to_string(value).map_err(std::io::Error::from)?)?;
        }
        Ok(())
    }

    /// The rows of the table as far as it is printed.
    pub fn rows(&self) -> &[Record] {
        self.tables.last().map_or(&[], Vec::as_slice)
    }

    /// The row of this table that a record's step was made from, if that was timed.
    pub fn compared_with(&self, record: &Record) -> Option<&Record> {
        let mut timed = self.rows().iter().filter(|row| row.rate().is_some());
        match &record.made_from {
            Some(name) => timed.rfind(|row| row.kernel == *name),
            None => timed.next_back(),
        }
    }

    /// Prints a record, and keeps it for the next one's factor.
    pub fn row(&mut self, record: Record) -> Result<()> {
        self.line(row(&record, self.rows()))?;
        self.json(&record)?;
        if let Some(kept) = &self.kept_back {
            self.whole = kept.borrow().len();
        }
        match self.tables.last_mut() {
            Some(rows) => rows.push(record),
            None => self.tables.push(vec![record]),
        }
        Ok(())
    }
}

/// The names of the columns.
pub fn heading(unit: &str) -> String {
    format!(
        "  {:<33}{:>9}{:>8}{:>9}{:>10}{:>7}",
        "kernel", "median", "spread", unit, "of limit", "step"
    )
}

/// Stands before the kernel that was chosen before the run.
pub const CHOSEN: &str = "▸";

/// One kernel in two lines: the figures, and what is new in it; a third one tells
/// how much of the time went into its helpers. What the rows above it say already is not said
/// again: what is new in another variant, and how a rate comes about that cannot be.
fn row(record: &Record, above: &[Record]) -> String {
    let mark = if record.chosen { CHOSEN } else { " " };
    let name = format!("{mark} {}", format!("{:<33}", record.kernel).bold());
    let bar = record.share_of_limit.map(bar).unwrap_or_default();
    let mut says = String::new();
    if !record.says.is_empty() && !above.last().is_some_and(|last| is_alike(last, record)) {
        let news = news(record).dimmed();
        says += &format!("\n  {}{news}", format!("{bar:<12}").cyan());
    }
    let varies = "right in every run, but not the same to the bit in each";
    let does_vary = matches!(record.outcome, Outcome::Right { varies: true, .. });
    let varies = does_vary.then_some(varies).into_iter();
    let is_above = record.is_above_limit() && !above.iter().any(Record::is_above_limit);
    let above = [
        "more than this device can do. This time and the limit scatter:",
        "run again on an idle machine. If it stays, the driver's times are",
        "wrong, or the result comes from elsewhere and was not computed",
    ];
    let remarks = varies.chain(above.into_iter().filter(|_| is_above)).map(Colorize::yellow);
    let timed = |one: &Helped| Some(format!("{} {}", one.kernel, seconds(one.seconds_median?)));
    let helpers: Vec<String> = record.helpers.iter().filter_map(timed).collect();
    let share = format!("of which {}", helpers.join(", ")).dimmed();
    for line in Some(share).filter(|_| !helpers.is_empty()).into_iter().chain(remarks) {
        says += &format!("\n  {:<12}{line}", "");
    }
    if let Some(reason) = record.skipped() {
        return format!("{name} {} {reason}{says}", "skipped:".yellow());
    }
    if let Some(wrong) = record.wrong() {
        let details = wrong.to_string().replace('\n', "\n    ");
        return format!("{name} {}{says}\n    {details}", "✗ WRONG".red().bold());
    }
    if let Some(death) = record.death() {
        // What to do next stands at the end of the lesson.
        let details = death.told().without_advice();
        let details = details.to_string().replace('\n', "\n  ");
        return format!("{name} {}{says}\n    {details}", "✗ DIED".red().bold());
    }
    let checked = if record.is_right() { "✓".green() } else { "not checked".red() };
    let Some(median) = record.seconds_median else {
        return format!("{name} {checked} right, not timed{says}");
    };
    let step = record.step_factor.map_or("-".into(), factor);
    let share = record.share_of_limit.map_or("-".into(), percent);
    format!(
        "{name}{:>9}{:>8}{:>9}{share:>10}{step:>7} {checked}{says}",
        seconds(median),
        record.spread.map_or("-".into(), |spread| format!("±{}", percent(spread))),
        significant(record.rate().unwrap_or(0.0)),
    )
}

/// Whether they are variants of one kernel, and differ in numbers alone: their names have these.
fn is_alike(one: &Record, other: &Record) -> bool {
    let words = |record: &Record| record.says.replace(|c: char| c.is_ascii_digit(), "");
    one.function() == other.function()
        && !one.variant.is_empty()
        && one.made_from == other.made_from
        && words(one) == words(other)
}

/// What is new, and in which kernel, where that is not the row above.
fn news(record: &Record) -> String {
    let says = record.says.clone();
    match record.made_from.as_deref() {
        None | Some("") => says,
        Some(parent) => format!("{says}; from {parent}"),
    }
}

/// A share of the limit as a bar: each block is a tenth.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    // What there is, is seen.
    let eighths = (share.clamp(0.0, 1.0) * 80.0).ceil() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_the_bar_is_a_tenth() {
        for (share, blocks) in
            [(1.0, "██████████"), (0.25, "██▌"), (0.001, "▏"), (0.0, ""), (9.0, "██████████")]
        {
            assert_eq!(bar(share), blocks, "{share}");
        }
    }

    #[test]
    fn a_row_fits_a_terminal() {
        colored::control::set_override(false);
        let record = Record {
            kernel: "matmul_register_tile_private 8x48".into(),
            says: "the same".into(),
            outcome: Outcome::RIGHT,
            seconds_median: Some(1.0),
            spread: Some(0.01),
            gflops: Some(34567.0),
            share_of_limit: Some(0.5),
            step_factor: Some(345.67),
            ..Record::default()
        };
        assert_eq!(heading("GFLOP/s").chars().count(), 78);
        let shown = row(&record, &[]);
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(shown.contains("34567") && shown.contains("346x"), "{shown}");
    }

    #[test]
    fn the_kernel_that_a_step_was_made_from_is_named_where_it_is_not_the_row_above() {
        let news = |made_from: Option<&str>| {
            news(&Record {
                says: "B packed into panels".into(),
                made_from: made_from.map(Into::into),
                ..Record::default()
            })
        };
        assert_eq!(news(None), "B packed into panels");
        assert_eq!(news(Some("")), "B packed into panels");
        assert_eq!(news(Some("matmul_naive")), "B packed into panels; from matmul_naive");
    }

    #[test]
    fn a_variant_that_differs_in_its_number_alone_takes_one_line() {
        let variant = |number: u32, says: &str| Record {
            kernel: format!("sums x{number}"),
            variant: format!("x{number}"),
            says: format!("{number} {says}"),
            outcome: Outcome::RIGHT,
            ..Record::default()
        };
        let lines = |above: &[Record]| row(&variant(16, "sums"), above).lines().count();
        assert_eq!(lines(&[]), 2);
        assert_eq!(lines(&[variant(8, "sums")]), 1);
        assert_eq!(lines(&[variant(8, "sums, unrolled")]), 2);
    }

    #[test]
    fn what_is_odd_about_a_right_result_is_said() {
        colored::control::set_override(false);
        let record = |share, varies| Record {
            says: "plain".into(),
            outcome: Outcome::Right { compared: None, varies },
            seconds_median: Some(1.0),
            share_of_limit: Some(share),
            ..Record::default()
        };
        let shown = |share, varies| row(&record(share, varies), &[]);
        assert_eq!(shown(1.05, false).lines().count(), 2);
        let again = row(&record(1.06, false), &[record(1.06, false)]);
        assert_eq!(again.lines().count(), 2);
        assert!(shown(1.06, false).contains("more than this device can do"));
        assert!(shown(0.5, true).contains("not the same to the bit"));
        let lines = shown(2.0, true);
        assert!(lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
    }

    #[test]
    fn a_helper_is_shown_apart() {
        colored::control::set_override(false);
        let pack = |kernel: &str, seconds| Helped {
            kernel: kernel.into(),
            seconds_median: seconds,
            ..Helped::default()
        };
        let mut record = Record {
            kernel: "matmul_packed".into(),
            says: "in panels".into(),
            outcome: Outcome::RIGHT,
            seconds_median: Some(1.0),
            helpers: vec![pack("pack_a", Some(2e-3)), pack("pack_b", Some(1e-3))],
            ..Record::default()
        };
        let shown = row(&record, &[]);
        let last = shown.lines().last().unwrap();
        assert_eq!(last.trim(), "of which pack_a 2.00 ms, pack_b 1.00 ms");
        record.helpers = vec![pack("pack_b", None)];
        assert_eq!(row(&record, &[]).lines().count(), 2);
    }
}
