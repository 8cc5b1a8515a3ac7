//! What was found, kept: a file of JSON lines. Lines are only appended, but for --reset.
//!
//! A candidate is noted when it begins and when it has ended. So a run that was
//! interrupted, or took the machine down, leaves a trace: what was begun twice
//! and never ended is not begun a third time.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::error::{Error, Result};
use lesson::Lesson;
use lesson::results::{self, FOLDER_VARIABLE};
use serde::{Deserialize, Serialize};
use verify::shape::Shape;

use crate::space::Point;

/// What came of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trial {
    /// Right, with 1e9 operations a second by the fastest run, of so many: two where both were
    /// clearly slower than the best.
    Right { gflops: f64, runs: usize },
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

impl Trial {
    /// The rate of what may win.
    pub fn gflops(&self) -> Option<f64> {
        match self {
            Trial::Right { gflops, .. } => Some(*gflops),
            _ => None,
        }
    }

    /// In a word, and why, where that is worth a line.
    pub fn told(&self) -> (&'static str, Option<&str>) {
        match self {
            Trial::Right { .. } => ("right", None),
            Trial::Wrong(why) => ("wrong", Some(why)),
            Trial::NotBuilt(_) => ("not built", None),
            Trial::Refused(_) => ("refused", None),
            Trial::Crashed(why) => ("crashed", Some(why)),
            Trial::Hung(why) => ("too slow", Some(why)),
        }
    }
}

/// What happened to a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It is about to be built and run.
    Begun,
    /// What came of it, and how long that took.
    Ended { seconds: f64, trial: Trial },
    /// It is one of the best, and was measured again with care.
    Remeasured { gflops: f64 },
}

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    shape: Shape,
    point: Point,
    event: Event,
}

impl Line {
    /// A line that is whole, and whose figures can have been measured: one that was damaged on
    /// the disk would win for ever, or take the whole budget.
    fn read(text: &str) -> Option<Line> {
        let line: Line = serde_json::from_str(text).ok()?;
        let (seconds, gflops) = match &line.event {
            Event::Begun => (0.0, None),
            Event::Ended { seconds, trial } => (*seconds, trial.gflops()),
            Event::Remeasured { gflops } => (0.0, Some(*gflops)),
        };
        let is_rate = gflops.is_none_or(|gflops| (1e-15..1e15).contains(&gflops));
        (is_rate && (0.0..1e9).contains(&seconds)).then_some(line)
    }
}

/// All that is known about one problem.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The candidates that were tried, in order.
    pub trials: Vec<(Point, Trial)>,
    /// Seconds that the trials took together.
    pub seconds: f64,
    /// What the slowest took that came out right.
    pub slowest: Option<Duration>,
    /// Those that have not ended: what is begun once more counts as crashed, until it ends.
    begun: HashSet<Point>,
    remeasured: HashMap<Point, f64>,
}

impl Known {
    pub fn note(&mut self, point: Point, event: Event) {
        let trial = match event {
            Event::Begun if self.begun.insert(point.clone()) => return,
            Event::Begun => {
                Trial::Crashed("begun twice, and both times the search was cut off".into())
            }
            Event::Ended { seconds, trial } => {
                self.begun.remove(&point);
                self.seconds += seconds;
                if trial.gflops().is_some() {
                    self.slowest = self.slowest.max(Some(Duration::from_secs_f64(seconds)));
                }
                trial
            }
            Event::Remeasured { gflops } => {
                self.remeasured.insert(point, gflops);
                return;
            }
        };
        match self.trials.iter_mut().find(|(noted, _)| *noted == point) {
            Some((_, noted)) => *noted = trial,
            None => self.trials.push((point, trial)),
        }
    }

    /// The right ones, the fastest first.
    pub fn ranking(&self) -> Vec<(&Point, f64)> {
        let right = self
            .trials
            .iter()
            .map(|(point, trial)| Some((point, trial.gflops()?)));
        let mut ranking: Vec<_> = right.flatten().collect();
        ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranking
    }

    /// The fastest that is right.
    pub fn fastest(&self) -> Option<(&Point, f64)> {
        self.ranking().first().copied()
    }

    /// The best configuration: by the careful measurements where there are any,
    /// since the best of many quick ones owes something to luck.
    pub fn best(&self) -> Option<(&Point, f64)> {
        let careful = self.remeasured.iter().map(|(point, rate)| (point, *rate));
        let best = careful.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        best.or(self.fastest())
    }
}

/// The file, and what it says.
pub struct Log {
    file: File,
    lines: Vec<Line>,
    /// Lines that could not be read, and were passed over.
    pub bad_lines: usize,
}

impl Log {
    /// The log of the lesson's device, kernels and type.
    pub fn of(lesson: &mut Lesson) -> Result<Log> {
        let (device, kernels) = (&lesson.session()?.device, &lesson.source()?.text);
        Log::at(results::file(
            "autotuning",
            device,
            kernels,
            lesson.flags().ty,
        ))
    }

    /// The log in this file, which is made where there is none.
    fn at(path: PathBuf) -> Result<Log> {
        let open = || {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            let file = File::options().append(true).create(true).open(&path)?;
            // As bytes: whatever happened to the file, the lines that are whole count.
            Ok((file, fs::read(&path)?))
        };
        let (mut file, bytes) = open().map_err(|error: std::io::Error| Error::File {
            path: path.clone(),
            why: format!(
                "results cannot be kept there ({error}); {FOLDER_VARIABLE} names another folder"
            ),
        })?;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            // A line that was cut off must not spoil the next one.
            file.write_all(b"\n")?;
        }
        let text = String::from_utf8_lossy(&bytes);
        let all = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<Line> = all.clone().filter_map(Line::read).collect();
        Ok(Log {
            file,
            bad_lines: all.count() - lines.len(),
            lines,
        })
    }

    /// Notes what happens to a candidate, and writes it at once: the process may die
    /// on what comes next.
    pub fn add(&mut self, shape: Shape, point: &Point, event: Event) -> Result<()> {
        let point = point.clone();
        self.lines.push(Line {
            shape,
            point,
            event,
        });
        self.write(self.lines.len() - 1)
    }

    /// Writes the lines from this one on.
    fn write(&mut self, first: usize) -> Result<()> {
        let lines = self.lines[first..].iter().map(serde_json::to_string);
        let lines = lines.map(|line| Ok(line.map_err(std::io::Error::from)? + "\n"));
        let text = lines.collect::<Result<String>>()?;
        Ok(self.file.write_all(text.as_bytes())?)
    }

    /// What is known about a problem.
    pub fn known(&self, shape: Shape) -> Known {
        let mut known = Known::default();
        for line in self.lines.iter().filter(|line| line.shape == shape) {
            known.note(line.point.clone(), line.event.clone());
        }
        known
    }

    /// The problems that something is known about, with the best of each.
    pub fn bests(&self) -> Vec<(Shape, Point)> {
        let mut shapes: Vec<Shape> = self.lines.iter().map(|line| line.shape).collect();
        shapes.sort_by_key(|shape| (shape.m, shape.n, shape.k));
        shapes.dedup();
        let best = |shape| Some((shape, self.known(shape).best()?.0.clone()));
        shapes.into_iter().filter_map(best).collect()
    }

    /// Forgets a problem, and the lines that cannot be read.
    pub fn reset(&mut self, forgotten: Shape) -> Result<()> {
        self.lines.retain(|line| line.shape != forgotten);
        self.bad_lines = 0;
        self.file.set_len(0)?;
        self.write(0)
    }
}

#[cfg(test)]
mod tests;
