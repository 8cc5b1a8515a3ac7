//! What was found, kept: a file of JSON lines, one for each trial. Lines are only appended, but
//! for --reset.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use common::error::{Error, Result};
use lesson::Lesson;
use lesson::results::{self, FOLDER_VARIABLE};
use serde::{Deserialize, Serialize};
use verify::shape::Shape;

use crate::space::Point;

/// What came of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Right, with 1e9 operations a second: by the fastest run, of so many, two where both were
    /// clearly slower than the best; or by the median of one of the best, measured with `care`.
    Right {
        gflops: f64,
        runs: usize,
        care: bool,
    },
    /// It built and ran, and the result is wrong.
    Wrong(String),
    /// The compiler refused it.
    NotBuilt(String),
    /// The device or its driver refused the launch; nothing has run.
    Refused(String),
    /// The process died, or the device failed.
    Crashed(String),
    /// It did not end in time.
    Hung(String),
}

/// The words that tell it.
pub const WORDS: [&str; 6] = [
    "right",
    "wrong",
    "not built",
    "refused",
    "crashed",
    "too slow",
];

impl Outcome {
    /// In a word, and why, where that is worth a line.
    pub fn told(&self) -> (&'static str, Option<&str>) {
        match self {
            Outcome::Right { .. } => ("right", None),
            Outcome::Wrong(why) => ("wrong", Some(why)),
            Outcome::NotBuilt(_) => ("not built", None),
            Outcome::Refused(_) => ("refused", None),
            Outcome::Crashed(why) => ("crashed", Some(why)),
            Outcome::Hung(why) => ("too slow", Some(why)),
        }
    }
}

/// A candidate that was tried: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub shape: Shape,
    pub point: Point,
    /// How long it took, with all that belongs to it.
    pub seconds: f64,
    pub outcome: Outcome,
}

impl Trial {
    /// A line that is whole, and whose figures can have been measured: one that was damaged on
    /// the disk would win for ever, or take the whole budget.
    fn read(text: &str) -> Option<Trial> {
        let trial: Trial = serde_json::from_str(text).ok()?;
        let gflops = trial.gflops().unwrap_or(1.0);
        let can_be = (0.0..1e9).contains(&trial.seconds) && (1e-15..1e15).contains(&gflops);
        (can_be && trial.point.is_known()).then_some(trial)
    }

    /// The rate of what may win.
    fn gflops(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Right { gflops, .. } => Some(gflops),
            _ => None,
        }
    }
}

/// The candidates of one problem that were tried, in order.
#[derive(Clone, Debug, Default)]
pub struct Known(pub Vec<Trial>);

impl Known {
    pub fn note(&mut self, trial: Trial) {
        match self.0.iter_mut().find(|known| known.point == trial.point) {
            Some(known) => *known = trial,
            None => self.0.push(trial),
        }
    }

    /// Seconds that the trials took together.
    pub fn seconds(&self) -> f64 {
        self.0.iter().map(|trial| trial.seconds).sum()
    }

    /// The right ones, the fastest first.
    pub fn ranking(&self) -> Vec<(&Trial, f64)> {
        let right = |trial| Some((trial, Trial::gflops(trial)?));
        let mut ranking: Vec<_> = self.0.iter().filter_map(right).collect();
        ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranking
    }

    /// The best configuration: by the careful measurements where there are any,
    /// since the best of many quick ones owes something to luck.
    pub fn best(&self) -> Option<(&Point, f64)> {
        let ranking = self.ranking();
        let is_careful =
            |one: &&(&Trial, f64)| matches!(one.0.outcome, Outcome::Right { care: true, .. });
        let best = ranking.iter().find(is_careful).or(ranking.first());
        best.map(|(trial, gflops)| (&trial.point, *gflops))
    }
}

/// The file, and what it says.
pub struct Log {
    file: File,
    trials: Vec<Trial>,
    /// Lines that could not be read, and were passed over.
    pub bad_lines: usize,
}

impl Log {
    /// The log of the lesson's device, kernels and type.
    pub fn of(lesson: &mut Lesson) -> Result<Log> {
        let (device, kernels) = (&lesson.session()?.device, &lesson.source()?.text);
        let ty = lesson.flags().ty;
        let path = results::file("autotuning", device, kernels, ty);
        Log::at(&path).map_err(|why| Error::File {
            path,
            why: format!(
                "results cannot be kept there ({why}); {FOLDER_VARIABLE} names another folder"
            ),
        })
    }

    /// The log in this file, which is made where there is none.
    fn at(path: &Path) -> std::io::Result<Log> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let file = File::options().append(true).create(true).open(path)?;
        // Whatever happened to the file, the lines that are whole count.
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let trials: Vec<Trial> = lines.clone().filter_map(Trial::read).collect();
        let bad_lines = lines.count() - trials.len();
        Ok(Log {
            file,
            trials,
            bad_lines,
        })
    }

    /// Notes what came of a candidate, and writes it at once: the process may die on what comes
    /// next.
    pub fn add(&mut self, trial: Trial) -> Result<()> {
        self.trials.push(trial);
        self.write(self.trials.len() - 1)
    }

    /// Notes the rate of a candidate that was measured with care.
    pub fn remeasured(&mut self, shape: Shape, point: &Point, gflops: f64) -> Result<()> {
        let known = self.known(shape);
        let tried = known.0.iter().find(|trial| trial.point == *point);
        let (runs, care) = (0, true);
        self.add(Trial {
            shape,
            point: point.clone(),
            seconds: tried.map_or(0.0, |trial| trial.seconds),
            outcome: Outcome::Right { gflops, runs, care },
        })
    }

    /// Writes the lines from this one on. A line that was cut off must not spoil the next one, so
    /// the line's end comes first.
    fn write(&mut self, first: usize) -> Result<()> {
        let mut lines = String::new();
        for trial in &self.trials[first..] {
            let line = serde_json::to_string(trial).map_err(std::io::Error::from)?;
            lines += &format!("\n{line}");
        }
        Ok(self.file.write_all(lines.as_bytes())?)
    }

    /// What is known about a problem.
    pub fn known(&self, shape: Shape) -> Known {
        let mut known = Known::default();
        let own = self.trials.iter().filter(|trial| trial.shape == shape);
        own.for_each(|trial| known.note(trial.clone()));
        known
    }

    /// The problems that something is known about, with the best of each.
    pub fn bests(&self) -> Vec<(Shape, Point)> {
        let mut shapes: Vec<Shape> = self.trials.iter().map(|trial| trial.shape).collect();
        shapes.sort_by_key(|shape| (shape.m, shape.n, shape.k));
        shapes.dedup();
        let best = |shape| Some((shape, self.known(shape).best()?.0.clone()));
        shapes.into_iter().filter_map(best).collect()
    }

    /// Forgets a problem, and the lines that cannot be read.
    pub fn reset(&mut self, forgotten: Shape) -> Result<()> {
        self.trials.retain(|trial| trial.shape != forgotten);
        self.bad_lines = 0;
        self.file.set_len(0)?;
        self.write(0)
    }
}

#[cfg(test)]
pub mod tests;
