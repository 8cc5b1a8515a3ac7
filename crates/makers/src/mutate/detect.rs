//! What finds a mutant: runs of its lesson, from the quickest to the most thorough.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use common::source::Source;
use process::Finished;
use process::implementations::{self, Implementation};
use process::lessons::Lesson;
use process::simulator::{self, Simulation};

use super::places::{Stage, places};

/// What can find a mutant, in the order in which the reports name it.
pub const DETECTORS: &str =
    "build refused checker crash watchdog output races bounds uninitialised traffic";
/// The words of the simulator's log that stand for a detector.
const FAULTS: [(&str, &str); 3] = [
    ("races", "data race"),
    ("bounds", "Invalid "),
    ("uninitialised", "ninitialized "),
];
/// What Oclgrind cannot count. Version 21.10 corrupts its own memory when it counts groups that
/// call different functions, as those at the edges of C do here.
const UNCOUNTED: [(u32, &str); 5] = [
    (9, "matmul_few_rows"),
    (10, "matmul_shares"),
    (13, "matmul_stages"),
    (10, "sum_shares"),
    (11, "pack_b"),
];
/// No run takes longer, whatever it does.
const LONGEST: Duration = Duration::from_secs(60);

/// Where mutants are run.
pub struct Detectors {
    pocl: Implementation,
    oclgrind: Implementation,
    /// Oclgrind sees bad addresses, but not in local memory where a vector is not
    /// aligned; x86 reads those, and a GPU does not.
    gpu: Option<Implementation>,
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

/// What a kernel does when nothing is wrong with it, at each place.
pub struct Original {
    lesson: &'static Lesson,
    kernel: String,
    runs: Vec<Run>,
}

/// A shape, how it is run, and what is to be expected there: found out when the first mutant
/// comes so far, since the last shapes are the slowest, and few do. `None` where the kernel
/// refuses the shape, for a device's limit; in words what is wrong with the kernel itself.
struct Run {
    size: String,
    stage: Stage,
    /// The kernel as it is.
    file: PathBuf,
    expected: OnceLock<Result<Option<Behaviour>, String>>,
}

impl Detectors {
    /// Finds PoCL and Oclgrind, and a GPU.
    pub fn find() -> Result<Detectors> {
        let mut all = implementations::all()?;
        all.retain(|one| one.selector.is_some());
        let mut take = |name: &str| {
            let at = all.iter().position(|one| one.name == name);
            let found = at.map(|at| all.swap_remove(at));
            found.with_context(|| format!("mutants need {name}: run ./setup --full"))
        };
        Ok(Detectors {
            pocl: take("PoCL")?,
            oclgrind: take("Oclgrind")?,
            gpu: all.into_iter().find(|one| one.gpu),
        })
    }

    /// Where mutants are run, in words: a score without a GPU is another score.
    pub fn words(&self) -> String {
        let gpu = self.gpu.as_ref().map(|gpu| gpu.name.as_str());
        let gpu = gpu.unwrap_or("no GPU, since none is here");
        format!(
            "run by {}, {} and {gpu}",
            self.oclgrind.name, self.pocl.name
        )
    }

    /// The kernel as it is, of which nothing is known yet.
    pub fn original(&self, lesson: &'static Lesson, kernel: &str, to: &Path) -> Result<Original> {
        let own = lesson.file_of(kernel)?;
        let mut runs = Vec::new();
        for (number, (size, stage)) in places(lesson.number, kernel)?.into_iter().enumerate() {
            if stage == Stage::Gpu && self.gpu.is_none() {
                continue;
            }
            let file = to.join(format!("{kernel}-{number}.cl"));
            let copied = fs::copy(Source::path_in_course(&own), &file);
            copied.context("cannot copy the kernel file")?;
            let expected = OnceLock::new();
            runs.push(Run {
                size,
                stage,
                file,
                expected,
            });
        }
        let kernel = kernel.into();
        Ok(Original {
            lesson,
            kernel,
            runs,
        })
    }

    /// What finds the mutant in this file by the check of one kernel, if anything does.
    pub fn find_fault(&self, file: &Path, original: &Original) -> Result<Option<&'static str>> {
        let kernel = &original.kernel;
        let mut simulated = false;
        for run in &original.runs {
            let expected = run.expected.get_or_init(|| {
                let found = self.run(original, run, &run.file, LONGEST);
                let found = found.map_err(|error| format!("{error:#}"))?;
                let itself = |by| {
                    format!(
                        "{kernel} itself, without any change, is found by {by} at {}",
                        run.size
                    )
                };
                found.seen.map_or(Ok(()), |by| Err(itself(by)))?;
                Ok(Some(found).filter(|found| found.verified > 0))
            });
            let Some(expected) = expected.as_ref().map_err(|wrong| anyhow!("{wrong}"))? else {
                continue;
            };
            simulated |= run.stage == Stage::Thorough;
            // An endless loop does not end in this time, and a machine that is busy with other
            // things slows nobody so much.
            let patience = (Duration::from_secs(3) + 20 * expected.took).min(LONGEST);
            let found = self.run(original, run, file, patience)?;
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
        ensure!(
            simulated,
            "{kernel} itself does not run under the simulator"
        );
        Ok(None)
    }

    fn run(
        &self,
        Original { lesson, kernel, .. }: &Original,
        Run { size, stage, .. }: &Run,
        file: &Path,
        patience: Duration,
    ) -> Result<Behaviour> {
        let on = match stage {
            Stage::Quick | Stage::Thorough => &self.oclgrind,
            Stage::Device => &self.pocl,
            Stage::Gpu => self.gpu.as_ref().context("there is no GPU here")?,
        };
        let mut command = lesson.command()?;
        on.choose(&mut command)
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
        if *stage == Stage::Thorough {
            simulate = simulator::run;
            command.env("OCLGRIND_UNIFORM_WRITES", "1");
            if !UNCOUNTED.contains(&(lesson.number, kernel)) {
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
}
