//! `--all-devices`: the lesson once for each device, and one table at the end.

use std::io::Write;

use common::{Result, device::DEVICE_VARIABLE, record::Record};
use diagnostics::terminal::{Out, table};
use verify::{Shape, numbers::significant};

use crate::worker::{self, Ended, Orders, Work};
use crate::{ending::complain, wait::Pause};

/// Runs the lesson on every device; its status is the largest of all.
pub fn run(work: &Work, orders: &Orders, pause: Pause) -> Result<Option<Ended>> {
    let mut all = Ended::default();
    let mut results = Vec::new();
    // The first worker tells how many there are.
    while results.len() < all.devices.len().max(1) {
        let mut work = work.clone();
        work.env(DEVICE_VARIABLE, results.len().to_string());
        let ended = match worker::run(&work, orders.timeout, pause) {
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
        if results.is_empty() {
            all.devices = ended.devices;
        }
        results.push(ended.records);
    }
    if !orders.json && !all.devices.is_empty() {
        // A reader that has gone away is no error.
        let _ = writeln!(Out, "{}", side_by_side(&all.devices, &results));
    }
    Ok(Some(all))
}

/// The rates of every kernel at every size, and of the host's own loops beside them: a column for
/// each device, numbered, since their names are long.
fn side_by_side(devices: &[String], results: &[Vec<Record>]) -> String {
    let (mut kept, mut rows) = (Vec::new(), Vec::new());
    for record in results.iter().flatten() {
        // A kernel that is timed was shown by hand before, at a small size of its own. Only
        // such a row may go: one with a fault says more than the rates beside it.
        let is_timed = |one: &Record| one.kernel == record.kernel && one.rate().is_some();
        let by_hand = record.is_right() && record.rate().is_none();
        let by_hand = by_hand && results.iter().flatten().any(is_timed);
        if !by_hand && !kept.contains(&key(record)) {
            kept.push(key(record));
            let title = format!("{} {}", record.kernel, record.shape());
            let cells = results.iter().map(|own| cell(own, key(record)));
            rows.push([vec![title], cells.collect()].concat());
        }
    }
    let numbered = devices.iter().enumerate();
    let labels: String = numbered.map(|(at, label)| format!("\n  {at}  {label}")).collect();
    let heads: Vec<String> = (0..results.len()).map(|at| format!("device {at}")).collect();
    let heads = ["kernel"].into_iter().chain(heads.iter().map(String::as_str));
    let table = table(&heads.collect::<Vec<_>>(), &rows);
    format!("\nAll devices side by side{labels}\n\n{table}")
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
        Some(rate) => {
            let note = if record.is_above_limit() { ", above its limit" } else { "" };
            format!("{} {}{note}", significant(rate), record.unit())
        }
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
            side_by_side(&["x".into()], &[vec![fast]])
        };
        assert!(shown(8.0).contains("2.50 GFLOP/s, above its limit"));
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
        let table = side_by_side(&["x".into()], &[vec![by_hand, wrong, timed]]);
        assert!(!table.contains("3x3x3"), "{table}");
        let row = |size: &str| table.lines().find(|line| line.contains(size));
        assert!(row("16x16x16").is_some_and(|row| row.contains("WRONG")), "{table}");
        assert!(row("20x20x20").is_some_and(|row| row.contains("2.50 GFLOP/s")), "{table}");
    }
}
