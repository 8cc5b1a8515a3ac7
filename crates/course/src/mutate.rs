//! The check, measured: mistakes are made in every correct kernel and in the helpers
//! that it calls, one at a time, and whatever the check does not find is told.
//! docs/checking.md explains it.

mod constants;
mod detect;
mod equivalent;
mod functions;
mod guards;
mod mutant;
mod operators;
mod places;
mod score;
mod tokens;
mod units;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;
use colored::Colorize;
use common::source::workspace;
use serde_json::Value;

use detect::{Detectors, Sound};
use equivalent::Equivalents;
use mutant::Mutant;
use score::{Fate, Score, Told};
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
    let units = chosen(options)?;
    if units.is_empty() {
        bail!("no kernel or helper of that name; `course mutate --list` names them");
    }
    if options.list {
        return list(&units, options.json);
    }
    let detectors = Detectors::find()?;
    let equivalents = Equivalents::read()?;
    let (mut all, mut survived) = (0, 0);
    let mut out = std::io::stdout();
    if !options.json {
        writeln!(out, "{}", detectors.words().dimmed())?;
        writeln!(out, "{}", score::heading().bold())?;
    }
    for unit in units {
        let score = measure(unit, &detectors, &equivalents)?;
        if options.json {
            writeln!(out, "{}", score.whole())?
        } else {
            writeln!(out, "{}", score.text())?
        }
        // Each at once: all together take more than an hour.
        if options.write {
            keep(&score)?;
        }
        all += score.mutants.len();
        survived += score.survivors().len();
    }
    match survived {
        0 => Ok(()),
        n => bail!("{n} of {all} mutants survived, and are not listed as equivalent"),
    }
}

/// Prints what would be mutated.
fn list(units: &[Unit], json: bool) -> Result<()> {
    let mut out = std::io::stdout();
    for unit in units {
        let mutants = unit.mutants()?.len();
        if json {
            writeln!(out, "{}", unit.record(mutants))?
        } else {
            writeln!(out, "{}", unit.text(mutants))?
        }
    }
    Ok(())
}

/// Puts the score into data/mutation/score.jsonl, in teaching order. The lines of
/// others stay as they are.
fn keep(score: &Score) -> Result<()> {
    let path = workspace().join("data/mutation/score.jsonl");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut lines: Vec<Value> = before
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", path.display()))?;
    lines.push(score.summary());
    let mut kept = String::new();
    for unit in chosen(&Options::default())? {
        let is_it =
            |line: &&Value| line["lesson"] == unit.lesson.number && line["kernel"] == *unit.name;
        if let Some(line) = lines.iter().rfind(is_it) {
            kept += &format!("{line}\n");
        }
    }
    fs::write(&path, kept).with_context(|| format!("cannot write {}", path.display()))
}

/// Runs all mutants of a function, on all cores.
fn measure(unit: Unit, detectors: &Detectors, equivalents: &Equivalents) -> Result<Score> {
    let mutants = unit.mutants()?;
    let folder = Folder::new()?;
    let sound = |kernel: &String| detectors.sound(unit.lesson, kernel, &folder.0);
    let sounds: Vec<Sound> = unit.checked_by().iter().map(sound).collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; mutants.len()]);
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(at) else {
                return Ok(());
            };
            progress(&unit.name, at, mutants.len());
            let file = folder.0.join(format!("{at}.cl"));
            let seen = run(mutant, &file, detectors, &sounds)?;
            found.lock().expect("no thread panics")[at] = seen;
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.expect("no thread panics"))
    })?;
    progress(&unit.name, mutants.len(), mutants.len());
    let found = found.into_inner().expect("no thread panics");
    let tell = |(mutant, seen): (Mutant, Option<&'static str>)| {
        let listed = equivalents.reason(&unit, &mutant).is_some();
        Told {
            operator: mutant.operator,
            fate: match (seen, listed) {
                (Some(by), _) => Fate::Caught(by),
                (None, true) => Fate::Equivalent,
                (None, false) => Fate::Survived,
            },
            was: mutant.was,
            becomes: mutant.becomes,
        }
    };
    let mutants = mutants.into_iter().zip(found).map(tell).collect();
    Ok(Score { unit, mutants })
}

/// Writes a mutant to a file of its own and looks for what finds it, kernel by kernel.
fn run(
    mutant: &Mutant,
    file: &Path,
    detectors: &Detectors,
    sounds: &[Sound],
) -> Result<Option<&'static str>> {
    fs::write(file, &mutant.text)?;
    for sound in sounds {
        let seen = detectors.find_fault(file, sound)?;
        if seen.is_some() {
            return Ok(seen);
        }
    }
    Ok(None)
}

/// On a terminal: where the run is.
fn progress(name: &str, done: usize, all: usize) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        let end = if done == all { "\r\x1b[K" } else { "" };
        eprint!("\r  {name}: {done} of {all}{end}");
    }
}

/// A folder for mutants and compiled kernels that goes away with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder> {
        let name = format!("opencl-course-mutants-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("cache"))
            .with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing to do about a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
