//! Two reports side by side: which kernels differ by more than the noise?

use std::fmt;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use colored::{ColoredString, Colorize};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use common::shape::Shape;
use serde::Serialize;

use super::model::{Device, Report, size_name};
use super::rows::{self, Row};

/// Medians nearer than this are never told apart: clocks, temperature and
/// neighbours change more than that from one run to the next.
const FLOOR: f64 = 0.03;
/// Fewer samples than this have no spread to speak of.
const FEWEST: usize = 3;

/// What came of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Faster,
    Slower,
    Same,
    /// Too few samples on one side.
    Unjudged,
    OnlyInA,
    OnlyInB,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "same",
            Verdict::Unjudged => "unjudged",
            Verdict::OnlyInA => "only in a",
            Verdict::OnlyInB => "only in b",
        })
    }
}

/// In the order of the last line.
const ALL: [Verdict; 6] = [
    Verdict::Faster,
    Verdict::Slower,
    Verdict::Same,
    Verdict::Unjudged,
    Verdict::OnlyInA,
    Verdict::OnlyInB,
];

/// One line of the comparison.
#[derive(Clone, Debug, Serialize)]
struct Line {
    kernel: String,
    size: String,
    unit: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    /// The rate in b over that in a.
    ratio: Option<f64>,
    /// How far the ratio may be from 1 by chance.
    noise: Option<f64>,
    verdict: Verdict,
}

/// Compares two report files, and prints every kernel's verdict.
pub fn compare(a: &Path, b: &Path, json: bool) -> Result<()> {
    let (first, second) = (Report::read(a)?, Report::read(b)?);
    let mut out = std::io::stdout();
    for (device_a, device_b) in pairs(&first, &second)? {
        let lines = lines(&keyed(&first, device_a), &keyed(&second, device_b));
        if json {
            for line in &lines {
                writeln!(out, "{}", serde_json::to_string(line)?)?;
            }
            continue;
        }
        for (name, path, report, device) in
            [("a", a, &first, device_a), ("b", b, &second, device_b)]
        {
            let commit = report.commit.as_deref().unwrap_or("no commit");
            writeln!(
                out,
                "{} {}: {}, driver {}, {}, {commit}",
                name.bold(),
                path.display(),
                device.label(),
                device.driver,
                report.begun
            )?;
        }
        print(&mut out, &lines)?;
    }
    Ok(())
}

/// The devices to compare: those of the same name, or the only one of each file.
fn pairs<'a>(a: &'a Report, b: &'a Report) -> Result<Vec<(&'a Device, &'a Device)>> {
    if let ([a], [b]) = (&a.devices[..], &b.devices[..]) {
        return Ok(vec![(a, b)]);
    }
    let same = |device: &'a Device| {
        let other = b
            .devices
            .iter()
            .find(|other| other.label() == device.label());
        other.map(|other| (device, other))
    };
    let pairs: Vec<_> = a.devices.iter().filter_map(same).collect();
    let names = |report: &Report| {
        let labels: Vec<String> = report.devices.iter().map(Device::label).collect();
        labels.join(", ")
    };
    if pairs.is_empty() {
        bail!(
            "the reports have no device in common, and more than one each: {} and {}; \
             make them with --device",
            names(a),
            names(b)
        )
    } else {
        Ok(pairs)
    }
}

/// A kernel, and the size that was asked for.
type Key = (Option<Shape>, String);

/// The timed rows of a device, by what tells them apart.
fn keyed(report: &Report, device: &Device) -> Vec<(Key, Record)> {
    let mut all = Vec::new();
    let mut add = |size: Option<Shape>, row: &Row| {
        let name = match row.record.lesson {
            _ if row.id.is_empty() => row.record.kernel.clone(),
            lesson => format!("{lesson} {}", row.record.kernel),
        };
        all.push(((size, name), row.record.clone()));
    };
    for bench in rows::benches(report, device) {
        bench.timed().for_each(|row| add(bench.size, row));
    }
    let memory = rows::memory_rows(report, device);
    memory.iter().for_each(|row| add(None, row));
    all
}

fn lines(a: &[(Key, Record)], b: &[(Key, Record)]) -> Vec<Line> {
    let find = |all: &[(Key, Record)], key: &Key| {
        all.iter()
            .find(|(known, _)| known == key)
            .map(|(_, r)| r.clone())
    };
    let keys_a = a.iter().map(|(key, _)| key);
    let only_in_b = b
        .iter()
        .map(|(key, _)| key)
        .filter(|key| find(a, key).is_none());
    keys_a
        .chain(only_in_b)
        .map(|key| line(&key.1, find(a, key), find(b, key)))
        .collect()
}

fn line(kernel: &str, a: Option<Record>, b: Option<Record>) -> Line {
    let (rate_a, rate_b) = (
        a.as_ref().and_then(Record::rate),
        b.as_ref().and_then(Record::rate),
    );
    let ratio = rate_a.zip(rate_b).map(|(a, b)| b / a);
    let noise = a.as_ref().zip(b.as_ref()).and_then(|(a, b)| noise(a, b));
    let verdict = match (&a, &b, ratio, noise) {
        (Some(_), None, ..) => Verdict::OnlyInA,
        (None, ..) => Verdict::OnlyInB,
        (.., Some(ratio), Some(noise)) => judge(ratio, noise),
        _ => Verdict::Unjudged,
    };
    let shape = |r: &Record| {
        size_name(Shape {
            m: r.m,
            n: r.n,
            k: r.k,
        })
    };
    let sizes = [&a, &b].map(|r| r.as_ref().filter(|r| r.gflops.is_some()).map(shape));
    let unit = if sizes.iter().any(Option::is_some) {
        "GFLOP/s"
    } else {
        "GB/s"
    };
    let size = match sizes {
        [Some(a), Some(b)] if a != b => format!("{a} and {b}"),
        [a, b] => a.or(b).unwrap_or_default(),
    };
    Line {
        kernel: kernel.into(),
        size,
        unit,
        a: rate_a,
        b: rate_b,
        ratio,
        noise,
        verdict,
    }
}

/// The sum of both half-quartile distances, relative to the medians, and no less
/// than the floor; none where a side has too few samples.
fn noise(a: &Record, b: &Record) -> Option<f64> {
    let enough = |record: &Record| record.seconds.len() >= FEWEST;
    let both = enough(a) && enough(b);
    both.then(|| (a.spread.unwrap_or(0.0) + b.spread.unwrap_or(0.0)).max(FLOOR))
}

fn judge(ratio: f64, noise: f64) -> Verdict {
    match ratio {
        _ if ratio > 1.0 + noise => Verdict::Faster,
        _ if 1.0 / ratio > 1.0 + noise => Verdict::Slower,
        _ => Verdict::Same,
    }
}

fn print(out: &mut impl Write, lines: &[Line]) -> Result<()> {
    let mut size = None;
    let cell = |value: Option<f64>| value.map_or("-".into(), significant);
    for line in lines {
        if size != Some((&line.size, line.unit)) {
            size = Some((&line.size, line.unit));
            let head = format!(
                "\n  {:<35}{:>8}{:>8}{:>7}{:>7}  {}",
                [&line.size, line.unit].join(" ").trim(),
                "a",
                "b",
                "b/a",
                "noise",
                "b is"
            );
            writeln!(out, "{}", head.bold())?;
        }
        writeln!(
            out,
            "  {:<35}{:>8}{:>8}{:>7}{:>7}  {}",
            line.kernel,
            cell(line.a),
            cell(line.b),
            line.ratio.map_or("-".into(), factor),
            line.noise
                .map_or("-".into(), |n| format!("±{}", percent(n))),
            coloured(line.verdict)
        )?;
    }
    let count = |verdict| lines.iter().filter(|line| line.verdict == verdict).count();
    let told: Vec<String> = ALL
        .into_iter()
        .filter(|&verdict| count(verdict) > 0)
        .map(|verdict| format!("{} {verdict}", count(verdict)))
        .collect();
    let told = if told.is_empty() {
        "nothing to compare".into()
    } else {
        told.join(", ")
    };
    writeln!(
        out,
        "\n  {}\n  Noise: both half-quartile distances together, at least {}. It is that within\n  \
         a run; two reports of the same kernels show what changes from run to run.\n",
        told.bold(),
        percent(FLOOR)
    )?;
    Ok(())
}

fn coloured(verdict: Verdict) -> ColoredString {
    let text = verdict.to_string();
    match verdict {
        Verdict::Faster => text.green(),
        Verdict::Slower => text.red(),
        Verdict::Same => text.normal(),
        _ => text.yellow(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(gflops: f64, spread: f64, samples: usize) -> Record {
        Record {
            m: 8,
            n: 8,
            k: 8,
            gflops: Some(gflops),
            spread: Some(spread),
            seconds: vec![1.0; samples],
            ..Record::default()
        }
    }

    fn verdict(a: Record, b: Record) -> Verdict {
        line("k", Some(a), Some(b)).verdict
    }

    #[test]
    fn a_difference_beyond_both_spreads_is_told() {
        assert_eq!(
            verdict(record(100.0, 0.05, 5), record(120.0, 0.05, 5)),
            Verdict::Faster
        );
        assert_eq!(
            verdict(record(120.0, 0.05, 5), record(100.0, 0.05, 5)),
            Verdict::Slower
        );
        assert_eq!(
            verdict(record(100.0, 0.1, 5), record(119.0, 0.1, 5)),
            Verdict::Same
        );
    }

    #[test]
    fn a_difference_below_the_floor_is_not_told() {
        assert_eq!(
            verdict(record(100.0, 0.0, 5), record(102.0, 0.0, 5)),
            Verdict::Same
        );
        assert_eq!(
            verdict(record(100.0, 0.0, 5), record(104.0, 0.0, 5)),
            Verdict::Faster
        );
    }

    #[test]
    fn single_runs_are_not_judged_and_lone_kernels_are_named() {
        assert_eq!(
            verdict(record(1.0, 0.0, 1), record(9.0, 0.0, 5)),
            Verdict::Unjudged
        );
        let a = [((None, "x".to_string()), record(1.0, 0.0, 5))];
        let b = [((None, "y".to_string()), record(1.0, 0.0, 5))];
        let both = lines(&a, &b);
        assert_eq!(both[0].verdict, Verdict::OnlyInA);
        assert_eq!(
            (both[1].verdict, both[1].kernel.as_str()),
            (Verdict::OnlyInB, "y")
        );
    }
}
