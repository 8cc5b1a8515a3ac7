//! What a lesson prints: rows for people, or JSON lines.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::Write;

use colored::Colorize;
use comfy_table::{CellAlignment, Table, presets};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::element::Type;
use crate::error::Result;
use crate::matrix::Fill;
use crate::prepare::Prepared;
use crate::probe::Peak;
use crate::timing::Timing;
use crate::traffic::{Counts, Traffic};
use crate::verify::{self, Right};
use crate::wrap;

/// One kernel's result, as `--json` prints it and as the pages' tables read it.
/// Field names state units; what does not apply is left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Number of the lesson.
    pub lesson: u32,
    /// Kernel, with its variant.
    pub kernel: String,
    /// What is new in it.
    pub says: String,
    /// The OpenCL implementation, or "host".
    pub platform: String,
    /// The device.
    pub device: String,
    /// Version of the driver.
    pub driver: String,
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Length of each sum.
    pub k: usize,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: Option<Type>,
    /// What the matrices held.
    pub fill: Option<Fill>,
    /// Seed of the matrices.
    pub seed: u64,
    /// Items of a work-group in each dimension.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<usize>,
    /// Timed runs.
    pub runs: usize,
    /// Whether the result was checked and right.
    pub verified: bool,
    /// Elements compared one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements_compared: Option<usize>,
    /// The kernels that laid the operands out before this one in every run; their
    /// time is part of `seconds`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preparations: Vec<Prepared>,
    /// All samples.
    pub seconds: Vec<f64>,
    /// Their median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_median: Option<f64>,
    /// Half the quartile distance over the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// 1e9 floating-point operations a second (integer ones for ints).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops: Option<f64>,
    /// 1e9 bytes a second, read and written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbytes_per_second: Option<f64>,
    /// The device's own limits, as the lesson measured them just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Peak>,
    /// Share of the device's own measured limit, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_limit: Option<f64>,
    /// The rate over that of the step before, in the same table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_factor: Option<f64>,
    /// Seconds that the driver took to build the program.
    pub build_seconds: f64,
    /// Median seconds from QUEUED to START.
    pub queue_to_start_seconds: f64,
    /// Seconds to bring the inputs to the device, where a lesson measures it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_seconds: Option<f64>,
    /// Seconds to bring the result back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_seconds: Option<f64>,
    /// "event" or "wall".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// CL_KERNEL_PRIVATE_MEM_SIZE, where the driver tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_bytes: Option<u64>,
    /// CL_KERNEL_LOCAL_MEM_SIZE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_bytes: Option<u64>,
    /// The formulas of what one launch loads and stores.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub traffic_formulas: Option<Traffic>,
    /// Elements that one launch loads and stores, by these formulas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_elements: Option<Counts>,
    /// Why the kernel did not run, if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What the wrong result looks like, if it is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// How the kernel ended its process, if it did: it crashed, it hung, or the
    /// device failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died: Option<String>,
}

/// What a kernel's time is turned into.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Floating-point operations.
    Flop(f64),
    /// Bytes read and written.
    Bytes(f64),
}

impl Record {
    /// Puts a measured time and the rate that follows from it into the record.
    pub fn timed(&mut self, timing: &Timing, work: Work, limit: Option<f64>) {
        let median = timing.median();
        let rate = |amount: f64| amount / median / 1e9;
        self.runs = timing.seconds.len();
        self.seconds = timing.seconds.clone();
        self.seconds_median = Some(median);
        self.spread = Some(timing.spread());
        let parts = self.preparations.iter_mut();
        for (prepared, seconds) in parts.zip(&timing.preparation_seconds) {
            prepared.seconds_median = Some(*seconds);
        }
        self.queue_to_start_seconds = timing.queue_to_start_seconds;
        self.clock = Some(format!("{:?}", timing.clock).to_lowercase());
        match work {
            Work::Flop(flop) => self.gflops = Some(rate(flop)),
            Work::Bytes(bytes) => self.gbytes_per_second = Some(rate(bytes)),
        }
        self.share_of_limit = limit.and_then(|limit| self.rate().map(|rate| rate / limit));
    }

    /// The record as the watching process gets it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(crate) fn to_value(&self) -> Result<Value> {
        Ok(serde_json::to_value(self).map_err(std::io::Error::from)?)
    }

    /// Notes how the result was found right.
    pub fn right(&mut self, right: Right) {
        self.verified = true;
        self.elements_compared = Some(right.compared);
    }

    /// GFLOP/s or GB/s.
    pub fn rate(&self) -> Option<f64> {
        self.gflops.or(self.gbytes_per_second)
    }
}

/// Where a lesson's words and numbers go.
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
    ///
    /// # Errors
    /// When standard output fails.
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
    ///
    /// # Errors
    /// When standard output fails.
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
    ///
    /// # Errors
    /// When standard output fails.
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
    ///
    /// # Errors
    /// When standard output fails.
    pub fn head(&self, unit: &str) -> Result<()> {
        self.table_line(&format!("\n{}", heading(unit).bold()))
    }

    /// Prints a record, and keeps it for the next one's factor.
    ///
    /// # Errors
    /// When standard output fails.
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

fn heading(unit: &str) -> String {
    format!(
        "  {:<34}{:>9}{:>8}{:>9}{:>7}{:>9}",
        "kernel", "median", "spread", unit, "step", "of limit"
    )
}

/// One kernel in two lines: the figures, and what is new in it; a third one tells
/// how much of the time went into laying out the operands.
fn row(record: &Record) -> String {
    let name = format!("{:<34}", record.kernel).bold();
    let bar = record.share_of_limit.map(bar).unwrap_or_default();
    let mut says = match record.says.is_empty() {
        true => String::new(),
        false => format!(
            "\n  {}{}",
            format!("{bar:<12}").cyan(),
            record.says.dimmed()
        ),
    };
    if let Some(share) = of_which(&record.preparations) {
        says += &format!("\n  {:<12}{}", "", share.dimmed());
    }
    if let Some(reason) = &record.skipped {
        return format!("  {name} {} {reason}{says}", "skipped:".yellow());
    }
    if let Some(wrong) = &record.failed {
        let details = verify::painted(&wrong.trim_end().replace('\n', "\n    "));
        return format!("  {name} {}{says}\n    {details}", "✗ WRONG".red().bold());
    }
    if let Some(how) = &record.died {
        // What to do next stands at the end of the lesson.
        let lines: Vec<&str> = how.lines().take(2).collect();
        let details = lines.join("\n  ");
        return format!("  {name} {}{says}\n    {details}", "✗ DIED".red().bold());
    }
    let mark = match record.verified {
        true => "✓".green(),
        false => "not checked".red(),
    };
    let Some(median) = record.seconds_median else {
        return format!("  {name} {mark} right, not timed{says}");
    };
    let step = record.step_factor.map_or("-".into(), factor);
    let share = match record.share_of_limit {
        Some(share) => percent(share),
        None => "-".into(),
    };
    format!(
        "  {name}{:>9}{:>8}{:>9}{:>7}{:>9} {mark}{says}",
        seconds(median),
        format!("±{}", percent(record.spread.unwrap_or(0.0))),
        significant(record.rate().unwrap_or(0.0)),
        step,
        share
    )
}

/// The time of the preparations, each by name; `None` where none was timed.
fn of_which(preparations: &[Prepared]) -> Option<String> {
    let timed = |one: &Prepared| Some(format!("{} {}", one.kernel, seconds(one.seconds_median?)));
    let parts: Vec<String> = preparations.iter().filter_map(timed).collect();
    (!parts.is_empty()).then(|| format!("of which {}", parts.join(", ")))
}

/// A share of the limit as a bar on a log scale: each block is a factor of
/// about 2, so that 0.1 % is seen beside 100 %.
fn bar(share: f64) -> String {
    let blocks = (share.max(1e-6).log2() + 11.0).round().clamp(0.0, 11.0);
    "▇".repeat(blocks as usize)
}

/// A time with three digits and its unit.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    format!("{} {unit}", significant(value))
}

/// A positive number with three significant digits, never in powers of ten; with
/// four decimals where it is small.
pub fn significant(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v if v >= 0.0995 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p >= 9.95 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// A speed-up, as "2.4x".
pub fn factor(ratio: f64) -> String {
    match ratio {
        // Three decimals, so that it keeps to its column.
        small if small < 0.0995 => format!("{small:.3}x"),
        _ => format!("{}x", significant(ratio)),
    }
}

/// Bytes in the largest unit that keeps them readable.
pub fn bytes(count: u64) -> String {
    let (value, unit) = match count {
        c if c >= 1 << 30 => (c as f64 / f64::from(1 << 30), "GiB"),
        c if c >= 1 << 20 => (c as f64 / f64::from(1 << 20), "MiB"),
        c if c >= 1 << 10 => (c as f64 / f64::from(1 << 10), "KiB"),
        c => return format!("{c} B"),
    };
    match value.fract() == 0.0 {
        true => format!("{value} {unit}"),
        false => format!("{value:.1} {unit}"),
    }
}

/// A plain table; columns with a heading hold numbers, the others text.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heading);
    for row in rows {
        table.add_row(row);
    }
    for (column, heading) in table.column_iter_mut().zip(heading).skip(1) {
        if !heading.is_empty() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in [
            (50123.4, "50123"),
            (123.4, "123"),
            (12.34, "12.3"),
            (9.996, "10.0"),
            (1.234, "1.23"),
            (0.1234, "0.123"),
        ] {
            assert_eq!(significant(value), text);
        }
        assert_eq!(seconds(0.00123), "1.23 ms");
        assert_eq!(seconds(4.6e-6), "4.60 us");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(bytes(32768), "32 KiB");
        assert_eq!(bytes(1_500_000_000), "1.4 GiB");
    }

    #[test]
    fn the_bar_is_logarithmic() {
        assert_eq!(bar(1.0).chars().count(), 11);
        assert_eq!(bar(0.5).chars().count(), 10);
        assert_eq!(bar(0.0), "");
    }

    #[test]
    fn a_row_fits_a_terminal() {
        colored::control::set_override(false);
        let record = Record {
            kernel: "matmul_register_tile_private 8x48".into(),
            says: "the same".into(),
            verified: true,
            seconds_median: Some(1.0),
            spread: Some(0.01),
            gflops: Some(34567.0),
            share_of_limit: Some(0.5),
            step_factor: Some(345.67),
            ..Record::default()
        };
        assert_eq!(heading("GFLOP/s").chars().count(), 78);
        let shown = row(&record);
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
        assert!(shown.contains("34567") && shown.contains("346x"), "{shown}");
    }

    #[test]
    fn a_preparation_is_shown_apart() {
        colored::control::set_override(false);
        let pack = |kernel: &str, seconds| Prepared {
            kernel: kernel.into(),
            seconds_median: seconds,
            ..Prepared::default()
        };
        let mut record = Record {
            kernel: "matmul_packed".into(),
            says: "in panels".into(),
            verified: true,
            seconds_median: Some(1.0),
            preparations: vec![pack("pack_a", Some(2e-3)), pack("pack_b", Some(1e-3))],
            ..Record::default()
        };
        let shown = row(&record);
        let last = shown.lines().last().unwrap();
        assert_eq!(last.trim(), "of which pack_a 2.00 ms, pack_b 1.00 ms");
        record.preparations = vec![pack("pack_b", None)];
        assert_eq!(row(&record).lines().count(), 2);
    }
}
