//! What a wrong result "looks like", measured: the kernels of tests/wrong/, whose fault is
//! known, are run as a lesson would run them, and what is said of them is held against the
//! cause in their first line. docs/checking.md shows the score.
//!
//! ```text
//! // Cause: last terms missing, zero: K is rounded down to whole tiles of 16
//! ```
//!
//! Before the second colon stand the kinds that name the fault, any of them: at one size
//! it may look other than at the next. What no kind names is `unknown`.

use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use common::numbers::percent;
use common::verify::cores::{cores, each_on};
use process::Finished;
use process::data::date;
use process::lessons::numbered;
use serde_json::{Value, json};
use text::{Out, aside};

use crate::kept;

/// What is run, and where.
#[derive(Args)]
pub struct Options {
    /// Kernels of tests/wrong/ [default: all]
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// The device, as a lesson takes it
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Keep the score of these kernels in data/symptoms/score.jsonl
    #[arg(long)]
    write: bool,
}

/// Where the kernels are.
const FOLDER: &str = "tests/wrong";
/// Smaller than a tile; partial tiles; whole ones; long sums; too large to be compared
/// element by element.
const SIZES: &[&str] = &["5x7x3", "37x91x53", "64", "130x70x33", "19x24x300", "520"];

/// What is best to become of a wrong result.
const NAMED: &str = "named";

/// Runs the wrong kernels, and prints and keeps the score.
pub fn symptoms(options: &Options) -> Result<()> {
    let all = names()?;
    if let Some(name) = options.kernel.iter().find(|name| !all.contains(name)) {
        bail!("there is no {FOLDER}/{name}.cl");
    }
    let mut chosen = all.clone();
    chosen.retain(|name| options.kernel.is_empty() || options.kernel.contains(name));
    let device = options.device.as_deref();
    let scores = each_on(cores(), &chosen, |_, name| {
        measure(name, device).with_context(|| name.clone())
    });
    let scores = scores.into_iter().collect::<Result<Vec<_>>>()?;
    for (_, score, said) in &scores {
        said.iter().for_each(|line| aside!("{line}"));
        writeln!(Out, "{score}")?;
    }
    let device = scores.first().map(|(device, ..)| device.clone());
    let scores: Vec<Value> = scores.into_iter().map(|(_, score, _)| score).collect();
    aside!("{}", sum(&scores));
    let wrongly = scores.iter().filter(|one| one["wrongly"] != 0).count();
    if options.write {
        // How it was made, then a line for each kernel. Those that were not run stay as they are.
        let about = json!({ "date": date("+%Y-%m-%d")?, "device": device, "sizes": SIZES });
        let all: Vec<Value> = all.iter().map(|name| json!({ "kernel": name })).collect();
        kept::update("data/symptoms/score.jsonl", Some(about), scores, &all)?;
    }
    match wrongly {
        0 => Ok(()),
        n => bail!("{n} kernels are told to have a fault that they do not have"),
    }
}

/// The wrong kernels, in order.
fn names() -> Result<Vec<String>> {
    let files = kept::entries(FOLDER)?.into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "cl"));
    let names = files.filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned()));
    Ok(names.collect())
}

/// The kinds and the words of the first line.
fn cause(text: &str) -> Option<(Vec<String>, String)> {
    let line = text.lines().next()?.strip_prefix("// Cause: ")?;
    let (kinds, words) = line.split_once(": ")?;
    Some((kinds.split(", ").map(String::from).collect(), words.into()))
}

/// Runs a kernel at each size: what ran it, the line of data/symptoms/score.jsonl, and for people
/// what was said where it was not the cause.
fn measure(name: &str, device: Option<&str>) -> Result<(String, Value, Vec<String>)> {
    let file = common::source::workspace().join(format!("{FOLDER}/{name}.cl"));
    let cause = cause(&kept::read(&file)?);
    let (kinds, cause) = cause.context("the first line must be // Cause: KIND, KIND: words")?;
    let mut command = numbered(3)?.command()?;
    command.args(["--only", "matmul_naive", "--runs", "0", "--json"]);
    command.args(["--size", &SIZES.join(",")]);
    command.arg("--source").arg(&file);
    command.args(device.iter().flat_map(|device| ["--device", device]));
    let child = Finished::of(&mut command)?;
    let records: Vec<_> = child.records().collect();
    if !matches!(child.status.code(), Some(0 | 1)) || records.len() != SIZES.len() {
        let (got, all) = (records.len(), SIZES.len());
        bail!("{got} of {all} sizes have a result: {}", child.message());
    }
    let mut score = json!({
        "kernel": name, "kind": kinds[0], "named": 0, "silent": 0, "wrongly": 0,
    });
    let mut said = Vec::new();
    for (size, record) in SIZES.iter().zip(&records) {
        let failed = record.failed.as_deref();
        let Some(naming) = failed.map(|failed| naming(&kinds, failed)) else {
            continue;
        };
        score[naming] = json!(score[naming].as_u64().unwrap_or(0) + 1);
        if naming != NAMED {
            let looks = looks(failed.unwrap_or_default()).join(" | ");
            said.push(format!("{name} at {size}, {cause}: {naming}: {looks}"));
        }
    }
    let device = format!("{}, {}", records[0].device, records[0].platform);
    Ok((device, score, said))
}

/// What is said of a wrong result: what it looks like, and what was written where nobody may,
/// which is told before.
fn looks(failed: &str) -> Vec<&str> {
    let lines = failed.lines().map(str::trim);
    let looks = lines.filter_map(|line| {
        let look = line.strip_prefix("looks like: ");
        look.or_else(|| line.starts_with("overrun: ").then_some(line))
    });
    looks.collect()
}

/// What became of a wrong result, as the score counts it: a kind of the cause was named and none
/// other, nothing was said, or something that is not the cause.
fn naming(kinds: &[String], failed: &str) -> &'static str {
    // What stands before the colon.
    let told = looks(failed).into_iter().map(|look| look.split(':').next());
    let mut told = told
        .flatten()
        .filter(|kind| *kind != "nothing known")
        .peekable();
    let fits = |kind: &str| kinds.iter().any(|known| known == kind);
    if told.peek().is_none() {
        "silent"
    } else if told.all(fits) {
        NAMED
    } else {
        "wrongly"
    }
}

/// All of it in a line.
fn sum(scores: &[Value]) -> String {
    let of = |name: &str| {
        scores
            .iter()
            .flat_map(|one| one[name].as_u64())
            .sum::<u64>()
    };
    let [named, silent, wrongly] = [NAMED, "silent", "wrongly"].map(of);
    let all = named + silent + wrongly;
    format!(
        "{} kernels, {all} wrong results: {named} named rightly ({}), {silent} silent, \
         {wrongly} named wrongly",
        scores.len(),
        percent(named as f64 / all.max(1) as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_kinds_and_the_cause() {
        let (kinds, words) =
            cause("// Cause: zero, last rows: a guard: too strict\nkernel").unwrap();
        assert_eq!(kinds, ["zero", "last rows"]);
        assert_eq!(words, "a guard: too strict");
        assert!(cause("// Cause: no kind\n").is_none());
        assert!(cause("kernel void\n// Cause: zero: late").is_none());
    }

    #[test]
    fn what_is_said_must_be_the_cause_and_nothing_else() {
        let naming = |kinds: &[&str], failed| {
            let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
            super::naming(&kinds, failed)
        };
        let zero = "9 are wrong\n  looks like: zero: all 0\n  C[0] must be 1";
        assert_eq!(naming(&["zero", "last rows"], zero), NAMED);
        assert_eq!(naming(&["factor"], zero), "wrongly");
        let both = "9 are wrong\n  looks like: zero: all 0\n  looks like: last rows: 8";
        assert_eq!(naming(&["zero", "last rows"], both), NAMED);
        assert_eq!(naming(&["zero"], both), "wrongly");
        let nothing = "9 are wrong\n  looks like: nothing known";
        assert_eq!(naming(&["zero"], nothing), "silent");
        assert_eq!(naming(&["zero"], "9 are wrong"), "silent");
    }
}
