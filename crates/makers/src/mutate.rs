//! The check, measured: mistakes are made in every correct kernel and in the helpers
//! that it calls, one at a time, and whatever the check does not find is told.
//! docs/checking.md explains it.
//!
//! `units` are what is scored, `mutant` and `operators` make the mistakes, and `detect` runs them.

mod detect;
mod mutant;
mod operators;
mod units;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use common::verify::cores::{cores, each_on};
use process::scratch::Scratch;
use serde_json::{Value, json};
use text::{Out, aside, progress};

use crate::kept;
use detect::{Detectors, Original};
use mutant::Mutant;
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
    /// Name what would be mutated, with the number of mutants, and run none
    #[arg(long, conflicts_with = "write")]
    list: bool,
    /// Keep the score of these functions in data/mutation/score.jsonl
    #[arg(long)]
    write: bool,
}

/// The fate of a mutant that no check can find, since it computes the same.
const EQUIVALENT: &str = "equivalent";
/// The fate of any other that was not found.
const SURVIVED: &str = "survived";

/// Mutates the kernels and their helpers, and prints and keeps the score, with every mutant.
pub fn mutate(options: &Options) -> Result<()> {
    let units = chosen(&options.lesson, &options.kernel)?;
    if units.is_empty() {
        bail!("no kernel or helper of that name; `cargo makers mutate --list` names them");
    }
    if options.list {
        for unit in &units {
            writeln!(Out, "{}", unit.record(unit.mutants()?.len()))?;
        }
        return Ok(());
    }
    let detectors = Detectors::find()?;
    let equivalents = equivalents()?;
    let (mut all, mut survived) = (0, 0);
    aside!("{}", detectors.words());
    for unit in units {
        let fates = fates(&unit, &detectors, &equivalents)?;
        for (mutant, _) in fates.iter().filter(|(_, fate)| *fate == SURVIVED) {
            let Mutant { was, becomes, .. } = mutant;
            let (name, operator) = (&unit.name, mutant.operator);
            aside!("{name} survived: {operator}\n  - {was}\n  + {becomes}");
            survived += 1;
        }
        all += fates.len();
        let score = score(&unit, &fates);
        let mut whole = score.clone();
        whole["each"] = fates.into_iter().map(told).collect();
        writeln!(Out, "{whole}")?;
        // Each at once: all together take more than an hour.
        if options.write {
            keep(score)?;
        }
    }
    match survived {
        0 => Ok(()),
        n => bail!("{n} of {all} mutants survived, and are not listed as equivalent"),
    }
}

/// Puts the score into its file, in teaching order.
fn keep(score: Value) -> Result<()> {
    let all = chosen(&[], &[])?.into_iter();
    let all = all.map(|unit| json!({ "lesson": unit.lesson.number, "kernel": unit.name }));
    let file = "data/mutation/score.jsonl";
    kept::update(file, None, vec![score], &all.collect::<Vec<_>>())
}

/// The line of data/mutation/score.jsonl: how many of a function's mutants each detector found,
/// and how many have another fate.
fn score(unit: &Unit, fates: &[(Mutant, &str)]) -> Value {
    let mut caught = BTreeMap::<&str, usize>::new();
    for (_, fate) in fates {
        *caught.entry(fate).or_default() += 1;
    }
    let mut score = unit.record(fates.len());
    for fate in [EQUIVALENT, SURVIVED] {
        score[fate] = json!(caught.remove(fate).unwrap_or(0));
    }
    score["caught"] = json!(caught);
    score
}

/// A mutant with its fate, and what found it.
fn told((mutant, fate): (Mutant, &str)) -> Value {
    let mut told = json!(mutant);
    let is_fate = [EQUIVALENT, SURVIVED].contains(&fate);
    told["fate"] = json!(if is_fate { fate } else { "caught" });
    told["by"] = json!((!is_fate).then_some(fate));
    told
}

/// The mutants that are known to compute the same: listed by hand, with the reason.
fn equivalents() -> Result<Vec<Value>> {
    let mut all: Vec<Value> = kept::read_lines("data/mutation/equivalent.jsonl")?;
    for one in &mut all {
        let reason = one.as_object_mut().and_then(|one| one.remove("because"));
        if reason.is_none_or(|reason| reason == "") {
            bail!("equivalent.jsonl: {one} needs a reason");
        }
    }
    Ok(all)
}

/// Runs all mutants of a function, on all cores: what found each, or its fate.
fn fates(
    unit: &Unit,
    detectors: &Detectors,
    equivalents: &[Value],
) -> Result<Vec<(Mutant, &'static str)>> {
    let mutants = unit.mutants()?;
    let folder = Scratch::new()?;
    let originals = unit.checked_by().into_iter();
    let originals = originals.map(|kernel| detectors.original(unit.lesson, kernel, &folder.0));
    let originals: Vec<Original> = originals.collect::<Result<_>>()?;
    let progress = progress::bar(None, "  {msg}");
    let fates = each_on(cores(), &mutants, |at, mutant| {
        progress.set_message(format!("{}: {at} of {}", unit.name, mutants.len()));
        let file = folder.0.join(format!("{at}.cl"));
        fs::write(&file, &mutant.text)?;
        // Kernel by kernel, if it is in a helper.
        let mut seen = originals.iter().map(|one| detectors.find_fault(&file, one));
        let seen = seen.find_map(Result::transpose).transpose()?;
        let is_known = equivalents.contains(&unit.entry(mutant));
        Ok(seen.unwrap_or(if is_known { EQUIVALENT } else { SURVIVED }))
    });
    progress.finish_and_clear();
    let fates = fates.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(mutants.into_iter().zip(fates).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_equivalent_mutant_is_listed_by_its_fields() {
        let listed = equivalents().unwrap();
        assert!(listed.len() > 9);
        let units = chosen(&[3], &["matmul_local_ids".into()]).unwrap();
        let mutants = units[0].mutants().unwrap();
        let known = mutants
            .iter()
            .filter(|one| listed.contains(&units[0].entry(one)));
        assert_eq!(known.count(), 2);
    }
}
