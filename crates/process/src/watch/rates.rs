//! The rates of a run beside those of the run before.

use std::collections::HashMap;
use std::io::{Write, stdout};

use colored::Colorize;
use common::error::Result;
use common::numbers::{factor, significant};
use common::record::Record;

/// The last rate of each kernel, by device, kernel and M, N, K.
#[derive(Default)]
pub struct Rates(HashMap<Key, f64>);

type Key = (String, String, [usize; 3]);

fn key(record: &Record) -> Key {
    let size = [record.m, record.n, record.k];
    (record.device.clone(), record.kernel.clone(), size)
}

impl Rates {
    /// Prints what changed, and remembers the new rates. A kernel that did not
    /// build or is wrong keeps its last rate, for when it is right again.
    pub fn compare(&mut self, records: &[Record], json: bool) -> Result<()> {
        let on_devices = records.iter().filter(|record| record.platform != "host");
        let lines = on_devices.filter_map(|record| {
            let now = record.rate()?;
            let before = self.0.insert(key(record), now)?;
            Some(line(record, before, now))
        });
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() || json {
            return Ok(());
        }
        let heading = "compared with the run before".bold();
        Ok(writeln!(stdout(), "\n  {heading}\n{}", lines.join("\n"))?)
    }
}

/// Green where it is faster, red where it is slower, by more than chance makes it.
fn line(record: &Record, before: f64, now: f64) -> String {
    const CHANCE: f64 = 0.05;
    let [from, to] = [before, now].map(significant);
    let times = factor(now / before);
    let change = format!("{from} -> {to} {}, {times}", record.unit());
    let change = match now / before {
        up if up > 1.0 + CHANCE => change.green(),
        down if down < 1.0 - CHANCE => change.red(),
        _ => change.normal(),
    };
    format!("  {:<34}{change}", record.kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(gflops: f64) -> Record {
        Record {
            kernel: "matmul_naive".into(),
            gflops: Some(gflops),
            ..Record::default()
        }
    }

    #[test]
    fn a_rate_stands_beside_the_one_before() {
        colored::control::set_override(false);
        let shown = line(&record(512.0), 478.0, 512.0);
        assert!(shown.ends_with("478 -> 512 GFLOP/s, 1.07x"), "{shown}");
    }

    #[test]
    fn a_wrong_result_between_two_right_ones_is_passed_over() {
        let mut rates = Rates::default();
        let wrong = Record {
            gflops: None,
            failed: Some("wrong".into()),
            ..record(0.0)
        };
        for records in [[record(100.0)], [wrong]] {
            rates.compare(&records, true).unwrap();
        }
        assert_eq!(rates.0.get(&key(&record(0.0))), Some(&100.0));
    }
}
