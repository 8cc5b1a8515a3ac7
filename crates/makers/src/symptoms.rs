//! What a wrong result "looks like", measured: kernels whose fault is known are run as a
//! lesson would run them, and what is said of them is held against the cause in their first
//! line. docs/checking.md shows the score.

mod corpus;
mod score;

use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use process::Finished;
use process::data::date;
use process::lessons::numbered;
use serde_json::json;
use text::Out;

use crate::cores::on_all_cores;
use crate::kept;
use corpus::WrongKernel;
use score::Score;

/// What is run, and where.
#[derive(Args)]
pub struct Options {
    /// Kernels of tests/wrong/ [default: all]
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// The device, as a lesson takes it
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Print one JSON object for each kernel
    #[arg(long)]
    json: bool,
    /// Keep the score of these kernels in data/symptoms/score.jsonl
    #[arg(long)]
    write: bool,
}

/// Smaller than a tile; partial tiles; whole ones; long sums; too large to be compared
/// element by element.
const SIZES: &[&str] = &["5x7x3", "37x91x53", "64", "130x70x33", "19x24x300", "520"];

/// Runs the wrong kernels, and prints and keeps the score.
pub fn symptoms(options: &Options) -> Result<()> {
    let kernels = corpus::read(&options.kernel)?;
    let scores = on_all_cores(&kernels, |_, kernel| {
        measure(kernel, options).with_context(|| kernel.name.clone())
    })?;
    for score in &scores {
        if options.json {
            writeln!(Out, "{}", score.whole())?;
        } else {
            write!(Out, "{}", score.text())?;
        }
    }
    if !options.json {
        writeln!(Out, "{}", score::sum(&scores))?;
    }
    if options.write {
        keep(&scores)?;
    }
    match scores.iter().filter(|score| score.wrongly() > 0).count() {
        0 => Ok(()),
        n => bail!("{n} kernels are told to have a fault that they do not have"),
    }
}

/// What is said of a kernel at each size.
fn measure<'k>(kernel: &'k WrongKernel, options: &Options) -> Result<Score<'k>> {
    let mut command = numbered(3)?.command()?;
    command.args(["--only", "matmul_naive", "--runs", "0", "--json"]);
    command.args(["--size", &SIZES.join(",")]);
    command.arg("--source").arg(&kernel.file);
    if let Some(device) = &options.device {
        command.args(["--device", device]);
    }
    let child = Finished::of(&mut command)?;
    let records: Vec<_> = child.records().collect();
    if !matches!(child.status.code(), Some(0 | 1)) || records.len() != SIZES.len() {
        let (got, all) = (records.len(), SIZES.len());
        bail!("{got} of {all} sizes have a result: {}", child.message());
    }
    Ok(Score::new(kernel, &records))
}

/// Writes data/symptoms/score.jsonl: how it was made, and a line for each kernel. Those of
/// kernels that were not run stay as they are.
fn keep(scores: &[Score]) -> Result<()> {
    let device = scores.first().map(|score| &score.device);
    let about = json!({ "date": date("+%Y-%m-%d")?, "device": device, "sizes": SIZES });
    let all = corpus::read(&[])?
        .into_iter()
        .map(|kernel| json!({ "kernel": kernel.name }));
    let new = scores.iter().map(Score::summary).collect();
    let file = "data/symptoms/score.jsonl";
    kept::update(file, Some(about), new, &all.collect::<Vec<_>>())
}
