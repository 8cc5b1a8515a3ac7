//! What was found, kept: a file of JSON lines, one for each trial. Lines are only appended. And
//! what it shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use common::error::{Error, Result};
use common::outcome::Outcome;
use diagnostics::{aside, terminal::table};
use lesson::{CACHE_FOLDER_VARIABLE, Lesson, kept_file};
use serde::{Deserialize, Serialize};
use verify::Shape;

use crate::space::Point;

/// A candidate that was tried: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub point: Point,
    /// How long it took, with all that belongs to it.
    pub seconds: f64,
    pub outcome: Outcome,
    /// How often it was timed, and its 1e9 operations a second in the fastest run.
    pub runs: usize,
    pub gflops: Option<f64>,
}

impl Trial {
    /// A line that is whole, and whose figures can have been measured: one that was damaged on
    /// the disk would win for ever, or take the whole budget.
    fn read(line: &str) -> Option<Trial> {
        let trial: Trial = serde_json::from_str(line).ok()?;
        let is_rate = |rate| (1e-15..1e15).contains(&rate);
        let can_be = (0.0..1e9).contains(&trial.seconds) && trial.gflops.is_none_or(is_rate);
        (can_be && trial.point.is_known()).then_some(trial)
    }
}

/// Seconds that these took together.
pub fn seconds(trials: &[Trial]) -> f64 {
    trials.iter().map(|trial| trial.seconds).sum()
}

/// The right ones with their rates, the fastest first.
pub fn ranking(trials: &[Trial]) -> Vec<(&Trial, f64)> {
    let right = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Right { .. }));
    let mut ranking = Vec::from_iter(right.filter_map(|trial| Some((trial, trial.gflops?))));
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranking
}

/// A heat map of a kernel, if it was right with more than one tile of an item: for each tile the
/// best rate of all candidates that had it, with a shade for its share of the best of all.
pub fn landscape(trials: &[Trial], kernel: &str) -> Option<String> {
    let (ranking, mut rates) = (ranking(trials), BTreeMap::new());
    for (trial, gflops) in ranking.iter().filter(|one| one.0.point.kernel == kernel) {
        rates.entry(trial.point.item_tile()).or_insert(*gflops);
    }
    let tiles = rates.keys().copied();
    let (down, across): (BTreeSet<usize>, BTreeSet<usize>) = tiles.map(<(_, _)>::from).unzip();
    let cell = |row: usize, column: usize| {
        let Some(gflops) = rates.get(&[row, column]) else { return "· ".into() };
        // A quarter of the best is the first shade that can be seen.
        let shade = match gflops / ranking[0].1 {
            0.9.. => "█",
            0.7.. => "▓",
            0.5.. => "▒",
            0.25.. => "░",
            _ => " ",
        };
        verify::numbers::significant(*gflops) + shade
    };
    let row = |&row: &usize| {
        let cells = across.iter().map(|&column| cell(row, column));
        [format!(" {row}")].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = down.iter().map(row).collect();
    let columns: Vec<String> = across.iter().map(|column| format!("{column} ")).collect();
    let heading = Vec::from_iter([""].into_iter().chain(columns.iter().map(String::as_str)));
    let table = table(&heading, &rows);
    let title = format!("{kernel}: GFLOP/s by rows (down), columns of an item's tile");
    (rates.len() > 1).then(|| format!("\n  {title}\n{table}"))
}

/// The file, what it says, and how many of its lines cannot be read.
pub struct Log {
    file: File,
    pub trials: Vec<Trial>,
    bad: usize,
}

impl Log {
    /// The log of a problem on the lesson's device, with its kernels and type; with `reset` what
    /// was found is forgotten.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn of(lesson: &mut Lesson, shape: Shape, reset: bool) -> Result<Log> {
        let (device, kernels) = (&lesson.session()?.device, &lesson.source()?.text);
        let folder = format!("autotuning/{shape}");
        let path = kept_file(&folder, device, kernels, lesson.flags.ty);
        let log = Log::at(&path, reset).map_err(|why| {
            let next = format!("{CACHE_FOLDER_VARIABLE} names another folder");
            Error::file(&path, format!("results cannot be kept there ({why}); {next}"))
        })?;
        if log.bad > 0 {
            let what = "line(s) of the results of earlier runs cannot be read";
            aside!("note: {} {what} and are passed over; --reset begins anew", log.bad);
        }
        Ok(log)
    }

    /// The log in this file, which is made where there is none.
    fn at(path: &Path, reset: bool) -> io::Result<Log> {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let file = File::options().append(true).create(true).open(path)?;
        if reset {
            file.set_len(0)?;
        }
        // Whatever happened to the file, the lines that are whole count.
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let trials: Vec<Trial> = lines.clone().filter_map(Trial::read).collect();
        let bad = lines.count() - trials.len();
        Ok(Log { file, trials, bad })
    }

    /// Notes what came of a candidate, and writes it at once: the process may die on what comes
    /// next. A line that was cut off must not spoil this one, so the line's end comes first.
    pub fn add(&mut self, trial: Trial) -> Result<()> {
        let line = serde_json::to_string(&trial).map_err(io::Error::from)?;
        self.file.write_all(format!("\n{line}").as_bytes())?;
        self.trials.push(trial);
        Ok(())
    }
}

#[cfg(test)]
pub mod tests;
