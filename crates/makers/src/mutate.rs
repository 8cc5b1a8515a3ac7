//! The check, measured: mistakes are made in every correct kernel and in the helpers
//! that it calls, one at a time, and whatever the check does not find is told.
//! docs/checking.md explains it.

mod calls;
mod declarations;
mod detect;
mod guards;
mod mutant;
mod operators;
mod places;
mod score;
mod units;

use std::fs;
use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use colored::Colorize;
use common::source::workspace;
use process::scratch::Scratch;
use serde_json::Value;
use text::Out;

use crate::cores::on_all_cores;
use detect::{Detectors, Original};
use score::{Equivalent, Fate, MutationScore};
use units::{Unit, chosen};

/// What to mutate, and what to do with the score.
#[derive(Args, Default)]
pub struct Options {
    /// Lessons whose functions are mutated [default: all]
    #[arg(long, value_name = "NUMBER")]
    lesson: Vec<u32>,
    /// Kernels and helper functions that are mutated [default: all]
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Print one JSON object a line, with every mutant
    #[arg(long)]
    json: bool,
    /// Name what would be mutated, with the number of mutants, and run none
    #[arg(long, conflicts_with = "write")]
    list: bool,
    /// Keep the score of these functions in data/mutation/score.jsonl
    #[arg(long)]
    write: bool,
}

/// Mutates the kernels and their helpers, and prints and keeps the score.
pub fn mutate(options: &Options) -> Result<()> {
    let units = chosen(&options.lesson, &options.kernel)?;
    if units.is_empty() {
        bail!("no kernel or helper of that name; `cargo makers mutate --list` names them");
    }
    if options.list {
        return list(&units, options.json);
    }
    let detectors = Detectors::find()?;
    let equivalents = Equivalent::all()?;
    let (mut all, mut survived) = (0, 0);
    if !options.json {
        writeln!(
            Out,
            "{}\n{}",
            detectors.words().dimmed(),
            score::heading().bold()
        )?;
    }
    for unit in units {
        let score = measure(unit, &detectors, &equivalents)?;
        if options.json {
            writeln!(Out, "{}", score.whole())?;
        } else {
            writeln!(Out, "{}", score.text())?;
        }
        // Each at once: all together take more than an hour.
        if options.write {
            keep(&score)?;
        }
        all += score.mutants.len();
        survived += score.count(Fate::Survived);
    }
    match survived {
        0 => Ok(()),
        n => bail!("{n} of {all} mutants survived, and are not listed as equivalent"),
    }
}

fn list(units: &[Unit], json: bool) -> Result<()> {
    for unit in units {
        let mutants = unit.mutants()?.len();
        if json {
            writeln!(Out, "{}", unit.record(mutants))?;
        } else {
            writeln!(Out, "{}", unit.text(mutants))?;
        }
    }
    Ok(())
}

/// Puts the score into data/mutation/score.jsonl, in teaching order. The lines of
/// others stay as they are.
fn keep(score: &MutationScore) -> Result<()> {
    let path = workspace().join("data/mutation/score.jsonl");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut lines: Vec<Value> = before
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", path.display()))?;
    lines.push(score.summary());
    let mut kept = String::new();
    for unit in chosen(&[], &[])? {
        let is_it =
            |line: &&Value| line["lesson"] == unit.lesson.number && line["kernel"] == *unit.name;
        if let Some(line) = lines.iter().rfind(is_it) {
            kept += &format!("{line}\n");
        }
    }
    fs::write(&path, kept).with_context(|| format!("cannot write {}", path.display()))
}

/// Runs all mutants of a function, on all cores.
fn measure(unit: Unit, detectors: &Detectors, equivalents: &[Equivalent]) -> Result<MutationScore> {
    let mutants = unit.mutants()?;
    let folder = Scratch::new()?;
    let originals = unit.checked_by().into_iter();
    let originals = originals.map(|kernel| detectors.original(unit.lesson, kernel, &folder.0));
    let originals: Vec<Original> = originals.collect::<Result<_>>()?;
    let fates = on_all_cores(&mutants, |at, mutant| {
        progress(&unit.name, at, mutants.len());
        let file = folder.0.join(format!("{at}.cl"));
        fs::write(&file, &mutant.text)?;
        // Kernel by kernel, if it is in a helper.
        let mut seen = originals.iter().map(|one| detectors.find_fault(&file, one));
        Ok(match seen.find_map(Result::transpose).transpose()? {
            Some(by) => Fate::Caught(by),
            None if equivalents.iter().any(|one| one.is(&unit, mutant)) => Fate::Equivalent,
            None => Fate::Survived,
        })
    })?;
    progress(&unit.name, mutants.len(), mutants.len());
    let mutants = mutants.into_iter().zip(fates).collect();
    Ok(MutationScore { unit, mutants })
}

/// On a terminal: where the run is.
fn progress(name: &str, done: usize, all: usize) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        let end = if done == all { "\r\x1b[K" } else { "" };
        // A terminal that has gone away needs no news.
        let _ = write!(std::io::stderr(), "\r  {name}: {done} of {all}{end}");
    }
}
