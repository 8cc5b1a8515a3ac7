//! Two reports side by side: which kernels differ by more than the noise?

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use colored::{ColoredString, Colorize};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use common::shape::Shape;
use process::data::size_name;
use process::devices::Device;
use serde::Serialize;
use text::Out;

use super::rows::{self, Row};
use super::survey::{Survey, unusable};

/// Medians nearer than this are never told apart: clocks, temperature and
/// neighbours change more than that from one run to the next.
const FLOOR: f64 = 0.03;
/// Fewer samples than this have no spread to speak of.
const FEWEST: usize = 3;

/// How a kernel of the second report differs, in the order of the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Difference {
    Faster,
    Slower,
    Same,
    /// Too few samples on one side.
    Unjudged,
    OnlyInA,
    OnlyInB,
}

impl Difference {
    fn shown(self) -> ColoredString {
        match self {
            Difference::Faster => "faster".green(),
            Difference::Slower => "slower".red(),
            Difference::Same => "same".normal(),
            Difference::Unjudged => "unjudged".yellow(),
            Difference::OnlyInA => "only in a".yellow(),
            Difference::OnlyInB => "only in b".yellow(),
        }
    }
}

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
    #[serde(rename = "verdict")]
    difference: Difference,
}

/// Compares two report files, and prints how every kernel differs.
pub fn compare(a: &Path, b: &Path, json: bool) -> Result<()> {
    let (first, second) = (read(a)?, read(b)?);
    let mut out = Out;
    for (device_a, device_b) in pairs(&first, &second)? {
        let lines = lines(&keyed(&first, device_a), &keyed(&second, device_b));
        if json {
            for line in &lines {
                writeln!(out, "{}", serde_json::to_string(line)?)?;
            }
            continue;
        }
        for (name, path, survey, device) in
            [("a", a, &first, device_a), ("b", b, &second, device_b)]
        {
            let (name, path, label) = (name.bold(), path.display(), device.label());
            let commit = survey.commit.as_deref().unwrap_or("no commit");
            let (driver, begun) = (&device.driver, &survey.begun);
            writeln!(
                out,
                "{name} {path}: {label}, driver {driver}, {begun}, {commit}"
            )?;
        }
        print(&mut out, &lines)?;
    }
    Ok(())
}

/// A report that measured something.
fn read(path: &Path) -> Result<Survey> {
    let survey = Survey::read(path)?;
    if survey.devices.is_empty() {
        let why = "the report names no device, so there is nothing to compare";
        bail!(unusable(path, why.into()));
    }
    Ok(survey)
}

/// The devices to compare: those of the same name, or the only one of each file.
fn pairs<'a>(a: &'a Survey, b: &'a Survey) -> Result<Vec<(&'a Device, &'a Device)>> {
    if let ([a], [b]) = (&a.devices[..], &b.devices[..]) {
        return Ok(vec![(a, b)]);
    }
    let same = |device: &'a Device| {
        let mut others = b.devices.iter();
        let other = others.find(|other| other.label() == device.label())?;
        Some((device, other))
    };
    let pairs: Vec<_> = a.devices.iter().filter_map(same).collect();
    if pairs.is_empty() {
        let [a, b] = [a, b].map(|survey| {
            let labels: Vec<String> = survey.devices.iter().map(Device::label).collect();
            labels.join(", ")
        });
        bail!("the reports have no device in common: {a} and {b}; make them with --device")
    }
    Ok(pairs)
}

/// The size that was asked for, and the kernel.
type Key = (Option<Shape>, String);

/// The timed rows of a device, by what tells them apart.
fn keyed(survey: &Survey, device: &Device) -> Vec<(Key, Record)> {
    let keyed = |size: Option<Shape>, row: &Row| {
        let Record { lesson, kernel, .. } = &row.record;
        let name = match &*row.id {
            "" => kernel.clone(),
            _ => format!("{lesson} {kernel}"),
        };
        ((size, name), row.record.clone())
    };
    let benches = rows::benches(survey, device);
    let products = benches.iter().flat_map(|bench| {
        let rows = bench.timed();
        rows.map(move |row| keyed(bench.size, row))
    });
    let memory = rows::memory_rows(survey, device);
    let memory = memory.iter().map(|row| keyed(None, row));
    products.chain(memory).collect()
}

fn lines(a: &[(Key, Record)], b: &[(Key, Record)]) -> Vec<Line> {
    fn find<'a>(all: &'a [(Key, Record)], key: &Key) -> Option<&'a Record> {
        let found = all.iter().find(|(known, _)| known == key);
        found.map(|(_, record)| record)
    }
    let only_in_b = b.iter().filter(|(key, _)| find(a, key).is_none());
    let keys = a.iter().chain(only_in_b).map(|(key, _)| key);
    keys.map(|key| line(&key.1, find(a, key), find(b, key)))
        .collect()
}

fn line(kernel: &str, a: Option<&Record>, b: Option<&Record>) -> Line {
    let rates = [a, b].map(|record| record.and_then(Record::rate));
    let ratio = rates[0].zip(rates[1]).map(|(a, b)| b / a);
    let noise = a.zip(b).and_then(|(a, b)| noise(a, b));
    let difference = match (a, b, ratio, noise) {
        (Some(_), None, ..) => Difference::OnlyInA,
        (None, ..) => Difference::OnlyInB,
        (.., Some(ratio), Some(noise)) if ratio > 1.0 + noise => Difference::Faster,
        (.., Some(ratio), Some(noise)) if 1.0 / ratio > 1.0 + noise => Difference::Slower,
        (.., Some(_), Some(_)) => Difference::Same,
        _ => Difference::Unjudged,
    };
    let both = [a, b].into_iter().flatten();
    let products = both.filter(|one| one.gflops.is_some());
    let mut sizes: Vec<String> = products.map(|one| size_name(one.shape())).collect();
    sizes.dedup();
    Line {
        kernel: kernel.into(),
        unit: if sizes.is_empty() { "GB/s" } else { "GFLOP/s" },
        size: sizes.join(" and "),
        a: rates[0],
        b: rates[1],
        ratio,
        noise,
        difference,
    }
}

/// The sum of both half-quartile distances, relative to the medians, and no less
/// than the floor; none where a side has too few samples.
fn noise(a: &Record, b: &Record) -> Option<f64> {
    let enough = |record: &Record| record.seconds.len() >= FEWEST;
    let both = enough(a) && enough(b);
    both.then(|| (a.spread.unwrap_or(0.0) + b.spread.unwrap_or(0.0)).max(FLOOR))
}

fn print(out: &mut impl Write, lines: &[Line]) -> Result<()> {
    let mut size = None;
    let mut counts = BTreeMap::<Difference, usize>::new();
    let row = |name: &str, [a, b, ratio, noise]: [String; 4]| {
        format!("  {name:<35}{a:>8}{b:>8}{ratio:>7}{noise:>7}  ")
    };
    for line in lines {
        *counts.entry(line.difference).or_default() += 1;
        if size != Some((&line.size, line.unit)) {
            size = Some((&line.size, line.unit));
            let what = format!("{} {}", line.size, line.unit);
            let head = row(what.trim(), ["a", "b", "b/a", "noise"].map(String::from));
            writeln!(out, "{}", format!("\n{head}b is").bold())?;
        }
        let noise = line.noise.map(|noise| format!("±{}", percent(noise)));
        let [a, b] = [line.a, line.b].map(|rate| rate.map(significant));
        let cells = [a, b, line.ratio.map(factor), noise];
        let row = row(&line.kernel, cells.map(|cell| cell.unwrap_or("-".into())));
        writeln!(out, "{row}{}", line.difference.shown())?;
    }
    let told = counts.iter();
    let told = told.map(|(difference, count)| format!("{count} {}", difference.shown().clear()));
    let told = match told.collect::<Vec<String>>().join(", ") {
        none if none.is_empty() => "nothing to compare".bold(),
        told => told.bold(),
    };
    let floor = percent(FLOOR);
    writeln!(
        out,
        "\n  {told}\n  Noise: both half-quartile distances together, at least {floor}. It is that \
         within\n  a run; two reports of the same kernels show what changes from run to run.\n"
    )?;
    Ok(())
}
