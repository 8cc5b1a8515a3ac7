//! What finds a mutant: runs of its lesson, from the quickest to the most thorough.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use common::source::Source;
use process::Finished;
use process::devices::{self, Device};
use process::lessons::Lesson;
use process::simulator::{self, Simulation};
use serde::Deserialize;

use crate::kept;

/// The words of the simulator's log that stand for a detector.
const FAULTS: [(&str, &str); 3] = [
    ("races", "data race"),
    ("bounds", "Invalid "),
    ("uninitialised", "ninitialized "),
];
/// No run takes longer, whatever it does.
const LONGEST: Duration = Duration::from_secs(60);

/// Where mutants are run.
pub struct Detectors {
    pocl: Device,
    oclgrind: PathBuf,
    /// Oclgrind sees bad addresses, but not in local memory where a vector is not
    /// aligned; x86 reads those, and a GPU does not.
    gpu: Option<Device>,
    shapes: Shapes,
}

/// data/mutation/places.toml: the shapes for each kernel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shapes {
    /// Lessons and kernels that the simulator cannot count.
    uncounted: Vec<String>,
    place: Vec<Place>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    #[serde(default)]
    lessons: Vec<u32>,
    #[serde(default)]
    kernel: String,
    quick: Vec<String>,
    thorough: Vec<String>,
    device: Vec<String>,
}

/// How a mutant is run.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// By the simulator, as quickly as it goes. It interprets a kernel, and so is
    /// done with a small shape before a driver has compiled it: most mutants end here.
    Quick,
    /// By the simulator, with all that it can see.
    Thorough,
    /// By a driver.
    Device,
    /// By a GPU's driver, where there is one: the slowest to build, and so the last.
    Gpu,
}

/// How a kernel did in one run.
struct Behaviour {
    /// The detector that it set off.
    seen: Option<&'static str>,
    verified: usize,
    /// What the kernel printed, in no order.
    printed: Vec<String>,
    /// What the simulator counted, where it ran.
    traffic: Vec<String>,
    took: Duration,
}

/// What a kernel does when nothing is wrong with it, at each shape, in each way.
pub struct Original {
    lesson: &'static Lesson,
    kernel: String,
    runs: Vec<(String, Stage, Behaviour)>,
}

impl Shapes {
    fn read() -> Result<Shapes> {
        let path = "data/mutation/places.toml";
        toml::from_str(&kept::read(path)?).context(path)
    }

    /// The runs that a mutant must survive, the cheap ones first.
    fn of(&self, lesson: u32, kernel: &str) -> Result<Vec<(String, Stage)>> {
        let fits = |row: &&Place| {
            let is_lesson = row.lessons.is_empty() || row.lessons.contains(&lesson);
            is_lesson && kernel.starts_with(&row.kernel)
        };
        let row = self.place.iter().find(fits).cloned();
        let row = row.with_context(|| format!("places.toml has no shapes for {kernel}"))?;
        let stages = [
            (row.quick, Stage::Quick),
            (row.thorough, Stage::Thorough),
            (row.device.clone(), Stage::Device),
            (row.device, Stage::Gpu),
        ];
        let places = stages.map(|(sizes, stage)| sizes.into_iter().map(move |size| (size, stage)));
        Ok(places.into_iter().flatten().collect())
    }
}

impl Detectors {
    /// Finds PoCL and Oclgrind, and a GPU.
    pub fn find() -> Result<Detectors> {
        let needed = "mutants need PoCL and Oclgrind: run ./setup --full";
        let is_gpu = |one: &Device| one.kind == "gpu" && one.platform != "rusticl";
        Ok(Detectors {
            pocl: devices::pocl().context(needed)?,
            oclgrind: simulator::oclgrind().context(needed)?,
            gpu: devices::chosen(None, true)?.into_iter().find(is_gpu),
            shapes: Shapes::read()?,
        })
    }

    /// Where mutants are run, in words: a score without a GPU is another score.
    pub fn words(&self) -> String {
        let gpu = match self.gpu {
            Some(_) => "the GPU",
            None => "no GPU, since none is here",
        };
        format!("run by Oclgrind, PoCL and {gpu}")
    }

    /// Runs the kernel as it is, which must set off nothing. A shape that it refuses, for a
    /// device's limit, is left out.
    pub fn original(&self, lesson: &'static Lesson, kernel: &str, to: &Path) -> Result<Original> {
        let file = to.join(format!("{kernel}.cl"));
        let own = Source::path_in_course(&lesson.file_of(kernel)?);
        std::fs::copy(own, &file).context("cannot copy the kernel file")?;
        let mut runs = Vec::new();
        for (size, stage) in self.shapes.of(lesson.number, kernel)? {
            if stage == Stage::Gpu && self.gpu.is_none() {
                continue;
            }
            let found = self.run(lesson, kernel, (&size, stage), &file, LONGEST)?;
            let by = found.seen.unwrap_or_default();
            ensure!(
                by.is_empty(),
                "{kernel} itself, without any change, is found by {by} at {size}"
            );
            if found.verified > 0 {
                runs.push((size, stage, found));
            }
        }
        ensure!(
            runs.iter().any(|(_, stage, _)| *stage == Stage::Thorough),
            "{kernel} itself does not run under the simulator"
        );
        let kernel = kernel.into();
        Ok(Original {
            lesson,
            kernel,
            runs,
        })
    }

    /// What finds the mutant in this file by the check of one kernel, if anything does.
    pub fn find_fault(&self, file: &Path, original: &Original) -> Result<Option<&'static str>> {
        let Original {
            lesson,
            kernel,
            runs,
        } = original;
        for (size, stage, expected) in runs {
            // An endless loop does not end in this time, and a machine that is busy with other
            // things slows nobody so much.
            let patience = (Duration::from_secs(3) + 20 * expected.took).min(LONGEST);
            let found = self.run(lesson, kernel, (size, *stage), file, patience)?;
            let differs = [
                ("refused", found.verified < expected.verified),
                ("output", found.printed != expected.printed),
                ("traffic", found.traffic != expected.traffic),
            ];
            let differs = differs.iter().find(|(_, differs)| *differs);
            if let Some(seen) = found.seen.or(differs.map(|(by, _)| *by)) {
                return Ok(Some(seen));
            }
        }
        Ok(None)
    }

    fn run(
        &self,
        lesson: &Lesson,
        kernel: &str,
        (size, stage): (&str, Stage),
        file: &Path,
        patience: Duration,
    ) -> Result<Behaviour> {
        let mut command = lesson.command()?;
        let on = match stage {
            Stage::Quick | Stage::Thorough => None,
            Stage::Device => Some(&self.pocl),
            Stage::Gpu => Some(self.gpu.as_ref().context("there is no GPU here")?),
        };
        match on {
            None => simulator::aim(&mut command, &self.oclgrind),
            Some(device) => command.args(["--device", &device.index.to_string()]),
        }
        .args(["--only", kernel, "--runs", "0", "--size", size])
        .args(["--timeout", &patience.as_secs().to_string(), "--source"])
        .arg(file)
        // Thousands of kernels that nobody needs again, one thread for each run:
        // every core has a mutant of its own.
        .env("POCL_CACHE_DIR", file.with_file_name("cache"))
        .env("POCL_MAX_PTHREAD_COUNT", "1");
        // A kernel that prints is left out with --json.
        if kernel != "trace_tiles" {
            command.arg("--json");
        }
        let mut simulate: fn(Command) -> Result<Simulation> = simulator::run_plain;
        if stage == Stage::Thorough {
            simulate = simulator::run;
            let name = format!("{} {kernel}", lesson.number);
            if !self.shapes.uncounted.contains(&name) {
                simulator::count_instructions(&mut command);
            }
        }
        let begin = Instant::now();
        let Simulation { child, log } = simulate(command)?;
        Ok(observe(&child, &log, begin.elapsed()))
    }
}

/// Reads what a run left behind.
fn observe(child: &Finished, log: &str, took: Duration) -> Behaviour {
    let seen = match child.status.code() {
        Some(0) if log.is_empty() => None,
        Some(0) => {
            let fault = FAULTS.iter().find(|(_, words)| log.contains(words));
            Some(fault.map_or("crash", |(detector, _)| *detector))
        }
        Some(1) => Some("checker"),
        Some(4) => Some("build"),
        _ if child.stderr.contains("no end after") => Some("watchdog"),
        _ => Some("crash"),
    };
    let lines = |wanted: fn(&str) -> bool| {
        let lines = child.stdout.lines().filter(|line| wanted(line));
        let mut lines: Vec<String> = lines.map(String::from).collect();
        lines.sort();
        lines
    };
    let verified = lines(|line| line.contains("\"verified\":true") || line.contains('✓')).len();
    let printed = lines(|line| line.starts_with("k0 = "));
    let traffic = lines(moves_data);
    Behaviour {
        seen,
        verified,
        printed,
        traffic,
        took,
    }
}

/// Whether a line of the simulator's counts is about global or local memory.
fn moves_data(line: &str) -> bool {
    let Some((_, what)) = line.split_once(" - ") else {
        return false;
    };
    let kinds = ["load global", "load local", "store global", "store local"];
    let is_call = what.starts_with("call ") && (what.contains("vload") || what.contains("vstore"));
    is_call || kinds.iter().any(|kind| what.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_global_and_local_memory_is_counted() {
        assert!(moves_data("      1000 - store global (4000 bytes)"));
        assert!(moves_data("      74 - call _Z7vstore8Dv8_fmPU3AS1f()"));
        assert!(!moves_data("     9048 - load private (48192 bytes)"));
        assert!(!moves_data("  {\"kernel\":\"load global\"}"));
    }

    #[test]
    fn the_first_row_that_fits_says_the_shapes() {
        let shapes = Shapes::read().unwrap();
        let first = |lesson, kernel| shapes.of(lesson, kernel).unwrap().remove(0).0;
        assert_eq!(first(2, "saxpy"), "303");
        assert_eq!(first(4, "copy_stride"), "9");
        assert_eq!(first(6, "transpose_tile"), "37x41x9");
        assert_eq!(first(6, "matmul_tiled"), "13x11x10");
        assert_eq!(first(3, "matmul_naive"), "37x21x35");
    }
}
