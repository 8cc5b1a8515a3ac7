//! The check, measured: mistakes are made in every correct kernel, one at a time,
//! and whatever the check does not find is told. docs/checking.md explains it.

mod constants;
mod detect;
mod equivalent;
mod guards;
mod mutant;
mod operators;
mod score;
mod tokens;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;
use colored::Colorize;
use common::source::{Source, workspace};
use serde_json::Value;

use crate::lessons::{LESSONS, Lesson};
use detect::{Detectors, Sound};
use equivalent::Equivalents;
use mutant::{Mutant, mutants};
use score::{Fate, Score, Told};

/// What to mutate, and what to do with the score.
#[derive(Args, Default)]
pub struct Options {
    /// Lessons whose kernels are mutated [default: all]
    #[arg(long, value_name = "NUMBER")]
    lesson: Vec<u32>,
    /// Kernels that are mutated [default: all]
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Print one JSON object a line, with every mutant
    #[arg(long)]
    json: bool,
    /// Keep the score of these kernels in data/mutation/score.jsonl
    #[arg(long)]
    write: bool,
}

/// Mutates the kernels, and prints and keeps the score.
pub fn mutate(options: &Options) -> Result<()> {
    let detectors = Detectors::find()?;
    let equivalents = Equivalents::read()?;
    let mut scores = Vec::new();
    let mut out = std::io::stdout();
    if !options.json {
        writeln!(out, "{}", detectors.words().dimmed())?;
        writeln!(out, "{}", score::heading().bold())?;
    }
    for (lesson, kernel) in chosen(options)? {
        let score = measure(lesson, &kernel, &detectors, &equivalents)?;
        match options.json {
            true => writeln!(out, "{}", score.whole())?,
            false => writeln!(out, "{}", score.text())?,
        }
        // Each at once: all kernels together take an hour.
        if options.write {
            keep(&score)?;
        }
        scores.push(score);
    }
    let all: usize = scores.iter().map(|score| score.mutants.len()).sum();
    let survived: usize = scores.iter().map(|score| score.survivors().len()).sum();
    match (all, survived) {
        (0, _) => {
            bail!("no kernel of that name; `course map` names the lessons, --list their kernels")
        }
        (_, 0) => Ok(()),
        (_, n) => bail!("{n} of {all} mutants survived, and are not listed as equivalent"),
    }
}

/// Puts the score into data/mutation/score.jsonl, in teaching order. The lines of
/// other kernels stay as they are.
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
    for (lesson, kernel) in chosen(&Options::default())? {
        let is_it = |line: &&Value| line["lesson"] == lesson.number && line["kernel"] == *kernel;
        if let Some(line) = lines.iter().rfind(is_it) {
            kept += &format!("{line}\n");
        }
    }
    fs::write(&path, kept).with_context(|| format!("cannot write {}", path.display()))
}

/// The lesson's kernel file.
fn kernel_file(lesson: &Lesson) -> PathBuf {
    let name = format!("{}.cl", lesson.folder);
    workspace().join("kernels").join(name)
}

/// The kernels that the options ask for, in teaching order.
fn chosen(options: &Options) -> Result<Vec<(&'static Lesson, String)>> {
    let mut chosen = Vec::new();
    for lesson in LESSONS.iter().filter(|lesson| lesson.number > 1) {
        if !options.lesson.is_empty() && !options.lesson.contains(&lesson.number) {
            continue;
        }
        for kernel in Source::read(&kernel_file(lesson))?.kernels() {
            if options.kernel.is_empty() || options.kernel.contains(&kernel) {
                chosen.push((lesson, kernel));
            }
        }
    }
    Ok(chosen)
}

/// Runs all mutants of a kernel, on all cores.
fn measure(
    lesson: &Lesson,
    kernel: &str,
    detectors: &Detectors,
    equivalents: &Equivalents,
) -> Result<Score> {
    let text = Source::read(&kernel_file(lesson))?.text;
    let mutants = mutants(&text, kernel);
    let folder = Folder::new()?;
    let sound = detectors.sound(lesson, kernel, &folder.0)?;
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; mutants.len()]);
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(at) else {
                return Ok(());
            };
            progress(kernel, at, mutants.len());
            let seen = run(lesson, kernel, mutant, at, detectors, &sound, &folder.0)?;
            found.lock().expect("no thread panics")[at] = seen;
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.expect("no thread panics"))
    })?;
    progress(kernel, mutants.len(), mutants.len());
    let found = found.into_inner().expect("no thread panics");
    let tell = |(mutant, seen): (Mutant, Option<&'static str>)| {
        let listed = equivalents.reason(lesson.number, kernel, &mutant).is_some();
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
    Ok(Score {
        lesson: lesson.number,
        kernel: kernel.into(),
        mutants: mutants.into_iter().zip(found).map(tell).collect(),
    })
}

/// Writes a mutant to a file of its own and looks for what finds it.
fn run(
    lesson: &Lesson,
    kernel: &str,
    mutant: &Mutant,
    number: usize,
    detectors: &Detectors,
    sound: &Sound,
    folder: &Path,
) -> Result<Option<&'static str>> {
    let file = folder.join(format!("{number}.cl"));
    fs::write(&file, &mutant.text)?;
    detectors.find_fault(lesson, kernel, &file, sound)
}

/// On a terminal: where the run is.
fn progress(kernel: &str, done: usize, all: usize) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        let end = if done == all { "\r\x1b[K" } else { "" };
        eprint!("\r  {kernel}: {done} of {all}{end}");
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
