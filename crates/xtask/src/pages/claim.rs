//! What a sentence says of recorded figures, held against them. A sentence may
//! say "about 400 times"; the claim behind it gives the range that this covers,
//! and fails once a new recording leaves it.
//!
//! A claim is `RANGE = FIGURE` or `RANGE = FIGURE / FIGURE`, and a figure is
//!
//! ```text
//! RUN LESSON KERNEL               a kernel's rate, in GFLOP/s or GB/s
//! RUN LESSON best                 that of its fastest product
//! RUN LESSON KERNEL.FIELD         another number of its record: seconds_median, or one deeper
//!                                 in it, traffic_elements.global_loads, helpers.0.seconds_median
//! RUN LESSON KERNEL.intensity     its operations for each byte of global memory
//! RUN LESSON "text" 2             the second number that was printed behind the text at a
//!                                 line's beginning; a time is in seconds
//! peers NAME SIZE LIBRARY         GFLOP/s in `docs/data/peers/NAME.jsonl`; of ours where it says ours
//! peers NAME quantile Q           ours over the best library, at all sizes: 0.5 is the median
//! peers NAME quantile Q LIBRARY   the same over this library
//! machine NAME PROBE VARIANT      nanoseconds that a step of a probe took, as docs/latency.md shows
//! machine NAME PROBE VARIANT GB/s what all units together read meanwhile
//! NUMBER                          itself
//! RUN LESSON "head ... text" 2    the same, of the first such line below that of the head
//! FIGURE + FIGURE                 a sum, on either side of the /
//! limit                           below a kernel: the device's own limit
//! ```
//!
//! Host loops have records too, as `host row, column, inner`. Where a lesson
//! times something twice the first time counts, which is the one in the tables.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use verify::numbers::significant;
use watchdog::data::recording::{Recording, file};
use watchdog::data::size_name;

use crate::kept;
use crate::libraries::comparison::Comparison;

/// Whether a claim holds.
pub fn check(words: &str) -> Result<()> {
    let (range, figures) = words.split_once(" = ").context("write RANGE = FIGURE")?;
    let (low, high) = range.split_once("..").context("a range is written 3..4")?;
    let (low, high): (f64, f64) = (low.parse()?, high.parse()?);
    let value = value(figures)?;
    if !(low..=high).contains(&value) {
        let value = significant(value);
        bail!("the recorded figure is {value}: mend the sentence and its range");
    }
    Ok(())
}

/// A figure, a sum of some, or the ratio of two such.
pub fn value(figures: &str) -> Result<f64> {
    Ok(match figures.split_once(" / ") {
        None => sum(figures)?,
        Some((of, "limit")) => sum(&format!("{of}.share_of_limit"))?,
        Some((of, over)) => sum(of)? / sum(over)?,
    })
}

fn sum(figures: &str) -> Result<f64> {
    figures.split(" + ").map(figure).sum()
}

/// One figure: a number of a kernel's record, or one that was printed.
fn figure(of: &str) -> Result<f64> {
    let words: Vec<&str> = of.split(' ').collect();
    let found = match words[..] {
        [number] if number.parse::<f64>().is_ok() => number.parse().ok(),
        ["peers", name, ref what @ ..] => in_comparison(name, what)?,
        ["machine", name, ref what @ ..] => of_machine(name, what)?,
        [run, lesson, ref name @ ..] if !name.is_empty() => {
            let name = name.join(" ");
            match name.strip_prefix('"') {
                Some(quoted) => Some(printed(run, lesson, quoted)?),
                None => recorded(run, lesson, &name)?,
            }
        }
        _ => bail!("\"{of}\": a figure is named by run, lesson and kernel"),
    };
    found.with_context(|| format!("{of} was not measured"))
}

/// `SIZE LIBRARY`, `quantile Q` or `quantile Q LIBRARY` of a comparison with libraries.
fn in_comparison(name: &str, what: &[&str]) -> Result<Option<f64>> {
    let comparison = Comparison::read(name)?;
    Ok(match what {
        ["quantile", q] => comparison.quantile(q.parse()?, None),
        ["quantile", q, library @ ..] => comparison.quantile(q.parse()?, Some(&library.join(" "))),
        [size, library @ ..] => {
            let mut shapes = comparison.shapes().into_iter();
            let shape = shapes.find(|shape| size_name(*shape) == *size);
            shape.and_then(|shape| comparison.rate(shape, &library.join(" "))?.gflops)
        }
        [] => None,
    })
}

/// `PROBE VARIANT` or `PROBE VARIANT GB/s` of a device's parts.
fn of_machine(name: &str, what: &[&str]) -> Result<Option<f64>> {
    let lines: Vec<Value> = kept::read_lines(&format!("docs/data/machine/{name}.jsonl"))?;
    let (probe, is_rate) = match what {
        [probe @ .., "GB/s"] => (probe.join(" "), true),
        probe => (probe.join(" "), false),
    };
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_string();
    let is_it = |line: &&Value| [text(line, "probe"), text(line, "variant")].join(" ") == probe;
    let Some(step) = lines.iter().find(is_it) else {
        return Ok(None);
    };
    let (time, bytes) = (step["nanoseconds"].as_f64(), step["bytes"].as_f64());
    Ok(match is_rate {
        true => bytes.zip(time).map(|(bytes, time)| bytes / time),
        false => time,
    })
}

/// The rate of a kernel, or a field of its record, `KERNEL.FIELD`.
fn recorded(run: &str, lesson: &str, name: &str) -> Result<Option<f64>> {
    let recording = Recording::read(run, lesson)?;
    let (kernel, field) = name.split_once('.').unwrap_or((name, ""));
    let best = recording.best().filter(|_| kernel == "best");
    let kernel = best.map_or(kernel, |best| &best.kernel);
    // The first that was timed.
    let mut records = recording.records.iter();
    let at = records.position(|record| record.kernel == kernel && record.rate().is_some());
    let at = at.with_context(|| format!("docs/data/{run}/{lesson}.jsonl has no timed {kernel}"))?;
    Ok(match field {
        "" => recording.records[at].rate(),
        "intensity" => recording.records[at].intensity(),
        field => {
            let pointer = format!("/{}", field.replace('.', "/"));
            recording.values[at]
                .pointer(&pointer)
                .and_then(Value::as_f64)
        }
    })
}

/// The number that `text" 2` names in what a run printed.
fn printed(run: &str, lesson: &str, quoted: &str) -> Result<f64> {
    let (text, which) = quoted.split_once('"').context("the text has no end")?;
    let which: usize = match which.trim() {
        "" => 1,
        which => which.parse()?,
    };
    let output = file(run, lesson, "txt")?;
    let line = behind(&output, text).with_context(|| format!("docs/data/{run}/{lesson}.txt"))?;
    let number = numbers(line).get(which.max(1) - 1).copied();
    number.with_context(|| format!("fewer than {which} numbers stand behind \"{text}\""))
}

/// What stands behind `text` at the beginning of a line; behind `head ... text`, of the first
/// such line below that of the head.
fn behind<'t>(printed: &'t str, beginnings: &str) -> Result<&'t str> {
    let mut lines = printed.lines().map(str::trim_start);
    let mut rest = "";
    for beginning in beginnings.split(" ... ") {
        let found = lines.find_map(|line| line.strip_prefix(beginning));
        rest = found.with_context(|| format!("no line \"{beginning}\" was printed"))?;
    }
    Ok(rest)
}

/// The numbers of a printed line; times in seconds.
fn numbers(line: &str) -> Vec<f64> {
    let end = |c: char| ",;:x░▒▓█".contains(c);
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| word.trim_end_matches(end))
        .collect();
    let number = |at: usize| {
        let unit = match words.get(at + 1) {
            Some(&"ms") => 1e-3,
            Some(&"us") => 1e-6,
            _ => 1.0,
        };
        Some(words[at].parse::<f64>().ok()? * unit)
    };
    (0..words.len()).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: &str = "pocl-1024 lesson09 matmul_blocked wide";
    const NAIVE: &str = "pocl-1024 lesson03 matmul_naive";

    #[test]
    fn a_claim_holds_within_its_range_alone() {
        check(&format!("20..2000 = {BEST} / {NAIVE}")).unwrap();
        check(&format!("20..2000 = {BEST}")).unwrap();
        check(&format!("0.5..1.1 = {BEST} / limit")).unwrap();
        let error = check(&format!("1..2 = {BEST} / {NAIVE}")).unwrap_err();
        assert!(error.to_string().contains("mend the sentence"), "{error}");
    }

    #[test]
    fn a_figure_may_be_a_field_a_host_row_a_sum_or_something_printed() {
        const SAXPY: &str = "pocl-1024 lesson02 saxpy";
        let value = |figures: &str| sum(figures).unwrap();
        // 201 MB by the time are the rate: two fields that must agree.
        let seconds = value(&format!("{SAXPY}.seconds_median"));
        let bytes = seconds * value(SAXPY) * 1e9;
        assert!((bytes - 12.0 * f64::from(1 << 24)).abs() < 1.0, "{bytes}");
        let both = value(&format!("{SAXPY}.write_seconds + {SAXPY}.read_seconds"));
        assert!(both > value(&format!("{SAXPY}.write_seconds")));
        assert!(value("pocl-1024 lesson08 host matrixmultiply") > 0.0);
        let loads = format!("{NAIVE}.traffic_elements.global_loads");
        assert_eq!(value(&loads), 2.0 * f64::from(1 << 30));
        // What is printed has three digits of what is recorded.
        let shown = value("pocl-1024 lesson02 \"START to END of the event\"");
        assert!((shown / seconds - 1.0).abs() < 0.01, "{shown} {seconds}");
        let copy = value("pocl-1024 lesson02 \"limits\" 2");
        let share = value(&format!("{SAXPY}.share_of_limit"));
        assert!((value(SAXPY) / copy / share - 1.0).abs() < 0.01, "{copy}");
        let below = value("pocl-1024 lesson02 \"START to END of the event ... limits\" 2");
        assert_eq!(below, copy);
    }

    #[test]
    fn a_comparison_has_rates_of_ours_and_of_libraries() {
        let of = "peers xeon-sizes 1024 ours / peers xeon-sizes 1024 OpenBLAS";
        check(&format!("1..1.2 = {of}")).unwrap();
    }

    #[test]
    fn a_claim_that_cannot_be_read_or_found_fails() {
        for words in [
            "",
            "1..2",
            "1..2 = pocl-1024 lesson08",
            "1..2 = pocl-1024 lesson08 no_such_kernel",
            "1..2 = no-such-run lesson08 matmul_naive",
            "one = pocl-1024 lesson03 matmul_naive",
            "0..2000 = pocl-1024 lesson02 saxpy.no_such_field",
            "0..2000 = pocl-1024 lesson02 \"no such line\"",
            "0..2000 = pocl-1024 lesson02 \"limits ... START to END of the event\"",
            "0..2000 = pocl-1024 lesson02 \"limits\" 3",
            "0..2000 = pocl-1024 lesson02 \"limits",
            "0..2000 = peers xeon-sizes 1024",
            "0..2000 = peers xeon-sizes 7 OpenBLAS",
            "0..2000 = peers h200",
            "0..2000 = peers h200 7 cuBLAS",
            "0..2000 = peers no-such-machine quantile 0.5",
            "0..2000 = machine pocl",
            "0..2000 = machine no-such-machine chain 1",
            "0..2000 = machine h200 chain 1 GB/s",
        ] {
            assert!(check(words).is_err(), "{words}");
        }
    }

    #[test]
    fn printed_numbers_come_without_their_punctuation_and_in_seconds() {
        let line = "  503 GFLOP/s of fp32 adds, 48.5 GB/s; 20.3 ms, 4.52x";
        assert_eq!(numbers(line), [503.0, 48.5, 20.3 * 1e-3, 4.52]);
        assert_eq!(numbers(" 0  0.4  140.5"), [0.0, 0.4, 140.5]);
        assert_eq!(numbers("  ·  35.3  235░  483█"), [35.3, 235.0, 483.0]);
        assert_eq!(numbers("  2.5 us  3 s"), [2.5 * 1e-6, 3.0]);
    }
}
