//! The check, measured: mistakes are made in every correct kernel and in the helpers
//! that it calls, one at a time, and whatever the check does not find is told.
//! docs/checking.md explains it.

mod declarations;
mod detect;
mod mutant;
mod operators;
mod places;
mod score;
mod units;

use std::fs;
use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use colored::Colorize;
use process::scratch::Scratch;
use serde_json::json;
use text::{Out, progress};

use crate::cores::on_all_cores;
use crate::kept;
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
        let (words, heading) = (detectors.words(), score::heading());
        writeln!(Out, "{}\n{}", words.dimmed(), heading.bold())?;
    }
    for unit in units {
        let score = measure(unit, &detectors, &equivalents)?;
        match options.json {
            true => writeln!(Out, "{}", score.whole())?,
            false => writeln!(Out, "{}", score.text())?,
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
        match json {
            true => writeln!(Out, "{}", unit.record(mutants))?,
            false => writeln!(Out, "{}", unit.text(mutants))?,
        }
    }
    Ok(())
}

/// Puts the score into its file, in teaching order.
fn keep(score: &MutationScore) -> Result<()> {
    let all = chosen(&[], &[])?.into_iter();
    let all = all.map(|unit| json!({ "lesson": unit.lesson.number, "kernel": unit.name }));
    let file = "data/mutation/score.jsonl";
    kept::update(file, None, vec![score.summary()], &all.collect::<Vec<_>>())
}

/// Runs all mutants of a function, on all cores.
fn measure(unit: Unit, detectors: &Detectors, equivalents: &[Equivalent]) -> Result<MutationScore> {
    let mutants = unit.mutants()?;
    let folder = Scratch::new()?;
    let originals = unit.checked_by().into_iter();
    let originals = originals.map(|kernel| detectors.original(unit.lesson, kernel, &folder.0));
    let originals: Vec<Original> = originals.collect::<Result<_>>()?;
    let progress = progress::bar(None, "  {msg}");
    let fates = on_all_cores(&mutants, |at, mutant| {
        progress.set_message(format!("{}: {at} of {}", unit.name, mutants.len()));
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
    progress.finish_and_clear();
    let mutants = mutants.into_iter().zip(fates).collect();
    Ok(MutationScore { unit, mutants })
}
