//! What was found, kept: a file of JSON lines for each device, driver, kernel
//! text and element type, in the user's cache folder. Lines are only appended, but
//! for --reset.
//!
//! A candidate is noted when it begins and when it has ended. So a run that was
//! interrupted, or took the machine down, leaves a trace: what was begun twice
//! and never ended is not begun a third time.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use common::device::Device;
use common::element::Type;
use common::error::{Error, Result};
use common::shape::Shape;
use serde::{Deserialize, Serialize};

use crate::point::Point;
use crate::search::{Outcome, Trials};

/// Names the folder for the results, in place of the user's cache folder.
const FOLDER_VARIABLE: &str = "OPENCL_COURSE_CACHE";

/// One line of the file. Points are written as [`Point`] displays them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// What all lines of this file are about, for whoever reads it.
    About {
        platform: String,
        device: String,
        driver: String,
        kernels: String,
        #[serde(rename = "type")]
        ty: Type,
    },
    /// A candidate is about to be built and run.
    Begun { shape: Shape, point: String },
    /// What came of it, and how long that took.
    Ended {
        shape: Shape,
        point: String,
        seconds: f64,
        outcome: Outcome,
    },
    /// One of the best, measured again with care.
    Remeasured {
        shape: Shape,
        point: String,
        gflops: f64,
    },
}

/// The problem that a line is about, if it is about one.
fn shape_of(line: &Line) -> Option<Shape> {
    match line {
        Line::About { .. } => None,
        Line::Begun { shape, .. } | Line::Ended { shape, .. } | Line::Remeasured { shape, .. } => {
            Some(*shape)
        }
    }
}

/// All that is known about one problem.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub trials: Trials,
    /// Seconds that the trials took together.
    pub seconds: f64,
    begun: HashMap<Point, usize>,
    remeasured: HashMap<Point, f64>,
}

impl Known {
    /// The fastest configuration: by the careful measurements where there are any,
    /// since the best of many quick ones owes something to luck.
    pub fn best(&self) -> Option<(&Point, f64)> {
        let careful = self
            .remeasured
            .iter()
            .map(|(point, gflops)| (point, *gflops));
        let best = careful.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        best.or(self.trials.best())
    }

    fn note(&mut self, line: Line) -> Option<()> {
        match line {
            Line::About { .. } => {}
            Line::Begun { point, .. } => {
                *self.begun.entry(point.parse().ok()?).or_default() += 1;
            }
            Line::Ended {
                point,
                seconds,
                outcome,
                ..
            } => {
                let point: Point = point.parse().ok()?;
                self.begun.remove(&point);
                self.seconds += seconds;
                self.trials.note(point, outcome);
            }
            Line::Remeasured { point, gflops, .. } => {
                self.remeasured.insert(point.parse().ok()?, gflops);
            }
        }
        Some(())
    }

    /// What was begun twice and never ended counts as crashed.
    fn close(&mut self) {
        let mut lost: Vec<Point> = self
            .begun
            .drain()
            .filter(|b| b.1 > 1)
            .map(|b| b.0)
            .collect();
        lost.sort();
        for point in lost {
            let why = "begun twice, and both times the search was cut off".into();
            self.trials.note(point, Outcome::Crashed(why));
        }
    }
}

/// The file, and what it says.
pub struct Log {
    path: PathBuf,
    file: File,
    known: HashMap<Shape, Known>,
    /// Lines that could not be read, and were passed over.
    pub bad_lines: usize,
}

impl Log {
    /// The log of this device, driver, kernel text and type.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(device: &Device, kernels: &str, ty: Type) -> Result<Log> {
        let kernels = format!("{:016x}", fnv1a(kernels));
        let identity = format!(
            "{} {} {} {kernels} {}",
            device.platform.name,
            device.name,
            device.driver,
            ty.name()
        );
        let name = format!("{}-{:016x}.jsonl", slug(&device.name), fnv1a(&identity));
        let about = Line::About {
            platform: device.platform.name.clone(),
            device: device.name.clone(),
            driver: device.driver.clone(),
            kernels,
            ty,
        };
        Log::at(folder().join(name), &about)
    }

    fn at(path: PathBuf, about: &Line) -> Result<Log> {
        let refuse = |error: std::io::Error| Error::File {
            path: path.clone(),
            why: format!(
                "results cannot be kept there ({error}); {FOLDER_VARIABLE} names another folder"
            ),
        };
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(refuse)?;
        let mut file = File::options();
        let file = file.append(true).create(true).open(&path).map_err(refuse)?;
        // As bytes: whatever happened to the file, the lines that are whole count.
        let bytes = fs::read(&path).map_err(refuse)?;
        let mut log = Log {
            path,
            file,
            known: HashMap::new(),
            bad_lines: 0,
        };
        log.read(&String::from_utf8_lossy(&bytes));
        if bytes.is_empty() {
            log.write(about)?;
        } else if !bytes.ends_with(b"\n") {
            // A line that was cut off must not spoil the next one.
            log.file.write_all(b"\n")?;
        }
        Ok(log)
    }

    fn read(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let understood = serde_json::from_str(line)
                .ok()
                .and_then(|line| self.note(line));
            self.bad_lines += usize::from(understood.is_none());
        }
        self.known.values_mut().for_each(Known::close);
    }

    fn note(&mut self, line: Line) -> Option<()> {
        match shape_of(&line) {
            Some(shape) => self.known.entry(shape).or_default().note(line),
            None => Some(()),
        }
    }

    /// Appends a line, at once: the process may die on what comes next.
    fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line).map_err(std::io::Error::from)?;
        text.push('\n');
        Ok(self.file.write_all(text.as_bytes())?)
    }

    fn add(&mut self, line: Line) -> Result<()> {
        self.write(&line)?;
        // Our own lines are understood.
        let _ = self.note(line);
        Ok(())
    }

    /// What is known about a problem.
    pub fn known(&self, shape: Shape) -> Known {
        self.known.get(&shape).cloned().unwrap_or_default()
    }

    /// The problems that something is known about, with the best of each.
    pub fn bests(&self) -> Vec<(Shape, Point, f64)> {
        let best = |(shape, known): (&Shape, &Known)| {
            let (point, gflops) = known.best()?;
            Some((*shape, point.clone(), gflops))
        };
        let mut bests: Vec<_> = self.known.iter().filter_map(best).collect();
        bests.sort_by_key(|(shape, ..)| (shape.m, shape.n, shape.k));
        bests
    }

    /// Notes that a candidate begins.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begun(&mut self, shape: Shape, point: &Point) -> Result<()> {
        let point = point.to_string();
        self.add(Line::Begun { shape, point })
    }

    /// Notes what came of it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn ended(
        &mut self,
        shape: Shape,
        point: &Point,
        seconds: f64,
        outcome: Outcome,
    ) -> Result<()> {
        let point = point.to_string();
        self.add(Line::Ended {
            shape,
            point,
            seconds,
            outcome,
        })
    }

    /// Notes a careful measurement.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remeasured(&mut self, shape: Shape, point: &Point, gflops: f64) -> Result<()> {
        let point = point.to_string();
        self.add(Line::Remeasured {
            shape,
            point,
            gflops,
        })
    }

    /// Forgets a problem, and the lines that cannot be read.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn reset(&mut self, forgotten: Shape) -> Result<()> {
        let bytes = fs::read(&self.path)?;
        self.file.set_len(0)?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            match serde_json::from_str(line) {
                Ok(line) if shape_of(&line) != Some(forgotten) => self.write(&line)?,
                _ => {}
            }
        }
        self.known.remove(&forgotten);
        self.bad_lines = 0;
        Ok(())
    }

    /// A file beside this one, for a picture of this problem.
    pub fn beside(&self, shape: Shape, end: &str) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}-{shape}.{end}"))
    }
}

/// Where results are kept: `opencl-course/autotuning` in the user's cache folder
/// (XDG_CACHE_HOME or ~/.cache on Linux), or in the temporary folder where there
/// is none.
fn folder() -> PathBuf {
    let chosen = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let cache = || dirs::cache_dir().unwrap_or_else(std::env::temp_dir);
    let folder = chosen.unwrap_or_else(|| cache().join("opencl-course"));
    folder.join("autotuning")
}

/// A name that any file system takes.
fn slug(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    name.chars().map(plain).take(40).collect()
}

/// The hash FNV-1a: the standard library's may change from version to version.
fn fnv1a(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests;
