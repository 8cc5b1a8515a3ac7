//! `--all-devices`: the lesson once for each device, and one table at the end.

use std::io::Write;

use common::command;
use common::device;
use common::error::{Error, Result};
use common::host;
use common::record::Record;
use diagnostics::terminal::{Out, table};
use verify::numbers::significant;
use verify::shape::Shape;

use crate::environment::{devices_here, labels_of};
use crate::status::complain;
use crate::wait::Pause;
use crate::worker::{self, Ended, Orders, Work};

/// Runs the lesson on every device; its status is the largest of all.
pub fn run(work: &Work, orders: &Orders, pause: Pause) -> Result<Option<Ended>> {
    let environment = work.environment();
    let labels = match devices_here(&environment) {
        Ok(labels) if !labels.is_empty() => labels,
        // Without threads nobody can be asked.
        Err(how) if host::gives_threads(2) => {
            let next = command::course("doctor");
            let how = format!("asking for devices fails: {how}\n  next: {next}");
            return Err(Error::Died(how));
        }
        // For the error that says what is missing.
        _ => labels_of(&device::list()?),
    };
    let mut all = Ended::default();
    let mut columns = Vec::new();
    for (index, label) in labels.into_iter().enumerate() {
        let ended = match worker::run(&work.on(index, &environment), orders, pause) {
            Ok(Some(ended)) => ended,
            Ok(None) => return Ok(None),
            Err(error) => {
                complain(&error);
                Ended { status: error.status(), ..Ended::default() }
            }
        };
        if let Some(error) = ended.lost() {
            complain(&error);
        }
        all.status = all.status.max(ended.status);
        all.records.extend(ended.records.iter().cloned());
        columns.push((label, ended.records));
    }
    if !orders.json {
        let shown = side_by_side(&columns);
        // A reader that has gone away is no error.
        let _ = writeln!(Out, "{shown}");
    }
    Ok(Some(all))
}

/// The rates of every kernel at every size, and of the host's own loops beside them: a column for
/// each device, numbered, since their names are long.
fn side_by_side(results: &[(String, Vec<Record>)]) -> String {
    let records: Vec<&Record> = results.iter().flat_map(|(_, records)| records).collect();
    let is_timed = |kernel: &str| {
        let mut same = records.iter().filter(|one| one.kernel == kernel);
        same.any(|one| one.rate().is_some())
    };
    let mut kept: Vec<(&str, Shape)> = Vec::new();
    for record in &records {
        // A kernel that is timed was shown by hand before, at a small size of its own. Only
        // such a row may go: one with a fault says more than the rates beside it.
        let by_hand = record.is_right() && record.rate().is_none() && is_timed(&record.kernel);
        if !by_hand && !kept.contains(&key(record)) {
            kept.push(key(record));
        }
    }
    let title = |&(kernel, shape): &(&str, Shape)| {
        let sizes = kept.iter().filter(|other| other.0 == kernel).count();
        match sizes {
            1 => kernel.to_string(),
            _ => format!("{kernel} {shape}"),
        }
    };
    let unit = |row: &(&str, Shape)| {
        let mut own = records.iter().filter(|one| key(one) == *row);
        let timed = own.find(|one| one.rate().is_some());
        timed.map_or("", |one| one.unit()).to_string()
    };
    let mut shown = String::from("\nAll devices side by side");
    for (number, (label, _)) in results.iter().enumerate() {
        shown += &format!("\n  {number}  {label}");
    }
    let names = (0..results.len()).map(|number| format!("device {number}"));
    let names: Vec<String> = names.collect();
    let names = names.iter().map(String::as_str);
    let heading: Vec<&str> = ["kernel"].into_iter().chain(names).chain([""]).collect();
    let row = |row: &(&str, Shape)| {
        let cells = results.iter().map(|(_, records)| cell(records, *row));
        [vec![title(row)], cells.collect(), vec![unit(row)]].concat()
    };
    let rows: Vec<Vec<String>> = kept.iter().map(row).collect();
    shown + &format!("\n\n{}", table(&heading, &rows))
}

fn key(record: &Record) -> (&str, Shape) {
    (&record.kernel, record.shape())
}

/// What a device made of a kernel, in a word or a rate. The last record counts: what
/// went before it was another attempt.
fn cell(records: &[Record], row: (&str, Shape)) -> String {
    let Some(record) = records.iter().rfind(|record| key(record) == row) else {
        return "not run".to_string();
    };
    match record.rate() {
        _ if record.death().is_some() => "DIED".into(),
        _ if record.skipped().is_some() => "skipped".into(),
        _ if record.wrong().is_some() => "WRONG".into(),
        Some(rate) if record.is_above_limit() => {
            format!("{}, above its limit", significant(rate))
        }
        Some(rate) => significant(rate),
        None if record.is_right() => "right".into(),
        None => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::outcome::Outcome;

    #[test]
    fn a_rate_that_cannot_be_is_marked() {
        let shown = |share| {
            let mut fast = record(20, Some(2.5), None);
            fast.share_of_limit = Some(share);
            side_by_side(&[("x".into(), vec![fast])])
        };
        assert!(shown(8.0).contains("2.50, above its limit"));
        assert!(!shown(0.8).contains("above"));
    }

    fn record(size: usize, gflops: Option<f64>, failed: Option<&str>) -> Record {
        Record {
            kernel: "a".into(),
            m: size,
            n: size,
            k: size,
            gflops,
            outcome: match failed {
                Some(wrong) => Outcome::Wrong(wrong.into()),
                None => Outcome::RIGHT,
            },
            ..Record::default()
        }
    }

    #[test]
    fn what_was_shown_by_hand_goes_and_what_was_wrong_stays() {
        let by_hand = record(3, None, None);
        let wrong = record(16, None, Some("differs"));
        let timed = record(20, Some(2.5), None);
        let table = side_by_side(&[("x".into(), vec![by_hand, wrong, timed])]);
        assert!(!table.contains("3x3x3"), "{table}");
        let row = |size: &str| table.lines().find(|line| line.contains(size));
        assert!(row("16x16x16").is_some_and(|row| row.contains("WRONG")), "{table}");
        assert!(row("20x20x20").is_some_and(|row| row.contains("2.50  GFLOP/s")), "{table}");
    }
}
