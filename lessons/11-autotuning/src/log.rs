//! What was found, kept: a file of JSON lines. Lines are only appended, but for --reset.
//!
//! A candidate is noted when it begins and when it has ended. So a run that was
//! interrupted, or took the machine down, leaves a trace: what was begun twice
//! and never ended is not begun a third time.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use common::error::{Error, Result};
use common::shape::Shape;
use lesson::Lesson;
use lesson::results::{self, FOLDER_VARIABLE};
use serde::{Deserialize, Serialize};

use crate::search::{Trial, Trials};
use crate::space::Point;

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    shape: Shape,
    point: Point,
    event: Event,
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

impl Line {
    /// A line that is whole, and whose figures can have been measured: one that was damaged on
    /// the disk would win for ever, or take the whole budget.
    fn read(text: &str) -> Option<Line> {
        let line: Line = serde_json::from_str(text).ok()?;
        let is_rate = |gflops: f64| (1e-15..1e15).contains(&gflops);
        let is_possible = match &line.event {
            Event::Begun => true,
            Event::Ended { seconds, trial } => {
                (0.0..1e9).contains(seconds) && trial.gflops().is_none_or(is_rate)
            }
            Event::Remeasured { gflops } => is_rate(*gflops),
        };
        is_possible.then_some(line)
    }

    fn text(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(std::io::Error::from)?;
        Ok(text + "\n")
    }
}

/// All that is known about one problem.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub trials: Trials,
    /// Seconds that the trials took together.
    pub seconds: f64,
    /// Those that have not ended: what is begun once more counts as crashed, until it ends.
    begun: HashSet<Point>,
    remeasured: HashMap<Point, f64>,
}

impl Known {
    /// The fastest configuration: by the careful measurements where there are any,
    /// since the best of many quick ones owes something to luck.
    pub fn best(&self) -> Option<(&Point, f64)> {
        let careful = self.remeasured.iter().map(|(point, rate)| (point, *rate));
        let best = careful.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        best.or(self.trials.best())
    }

    fn note(&mut self, point: Point, event: Event) {
        match event {
            Event::Begun => {
                if !self.begun.insert(point.clone()) {
                    let why = "begun twice, and both times the search was cut off";
                    self.trials.note(point, Trial::Crashed(why.into()));
                }
            }
            Event::Ended { seconds, trial } => {
                self.begun.remove(&point);
                self.seconds += seconds;
                self.trials.note(point, trial);
            }
            Event::Remeasured { gflops } => {
                self.remeasured.insert(point, gflops);
            }
        }
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
        let (device, kernels) = (&lesson.session()?.device, lesson.source()?.text);
        let ty = lesson.flags().ty;
        Log::at(results::file("autotuning", device, &kernels, ty))
    }

    /// The log in this file, which is made where there is none.
    fn at(path: PathBuf) -> Result<Log> {
        let refuse = |error: std::io::Error| Error::File {
            path: path.clone(),
            why: format!(
                "results cannot be kept there ({error}); {FOLDER_VARIABLE} names another folder"
            ),
        };
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(refuse)?;
        let mut file = File::options();
        let mut file = file.append(true).create(true).open(&path).map_err(refuse)?;
        // As bytes: whatever happened to the file, the lines that are whole count.
        let bytes = fs::read(&path).map_err(refuse)?;
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
        let line = Line {
            shape,
            point,
            event,
        };
        self.file.write_all(line.text()?.as_bytes())?;
        self.lines.push(line);
        Ok(())
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
        let kept: Result<String> = self.lines.iter().map(Line::text).collect();
        self.file.set_len(0)?;
        self.file.write_all(kept?.as_bytes())?;
        self.bad_lines = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
