//! `cargo makers timing`: how long a lesson takes from its start, in fresh processes: until its
//! first row is there, and until it ends.

use std::io::Write;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use colored::Colorize;
use common::device::pocl;
use common::record::Record;
use common::timing::median;
use process::Finished;
use process::lessons::{self, LESSONS, Lesson};
use process::scratch::Scratch;
use serde_json::json;
use text::{Out, progress};

/// Where drivers, and the course, keep what they compiled or found: PoCL, NVIDIA, Mesa,
/// lesson 11.
const CACHES: [&str; 4] = [
    pocl::FOLDER_VARIABLE,
    "CUDA_CACHE_PATH",
    "MESA_SHADER_CACHE_DIR",
    "OPENCL_COURSE_CACHE",
];

/// The flags of `cargo makers timing`.
#[derive(Args)]
pub struct Options {
    /// Lessons, by number [default: all]
    #[arg(value_name = "LESSON")]
    lessons: Vec<u32>,
    /// Pairs of processes for each lesson; medians are shown
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// What the lessons are given besides, such as `-- --device cpu --size 1024`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// What one process took, in seconds from its start: to its first row and to its end; and the
/// timed runs of all rows together.
type Took = [f64; 3];

/// Medians, in seconds, of what processes took that find all of it compiled, and of those that
/// find nothing.
type Medians = [Took; 2];

/// Runs each lesson in pairs of processes that share a new folder for what is compiled:
/// the first finds it empty, the second full.
pub fn timing(options: &Options) -> Result<()> {
    let lessons: Vec<&Lesson> = match &options.lessons[..] {
        [] => LESSONS.iter().collect(),
        numbers => numbers
            .iter()
            .map(|n| lessons::numbered(*n))
            .collect::<Result<_>>()?,
    };
    let mut out = Out;
    if !options.json {
        writeln!(out, "{}", heading(options.runs).bold())?;
    }
    for lesson in lessons {
        let [warm, cold] = measure(lesson, options)?;
        if options.json {
            let line = json!({
                "lesson": lesson.number,
                "runs": options.runs,
                "cold_first_row_seconds": cold[0],
                "cold_seconds": cold[1],
                "first_row_seconds": warm[0],
                "seconds": warm[1],
                "in_timed_runs_seconds": warm[2],
            });
            writeln!(out, "{line}")?;
        } else {
            let (folder, [first, whole, timed]) = (lesson.folder, warm);
            let warm = format!("  {folder:<20.20}{first:>10.2}{whole:>10.2}{timed:>10.2}");
            writeln!(out, "{warm}{:>14.2}{:>10.2}", cold[0], cold[1])?;
        }
    }
    Ok(())
}

fn measure(lesson: &Lesson, options: &Options) -> Result<Medians> {
    let progress = progress::bar(None, "  {spinner} {msg} {elapsed}");
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for pair in 1..=options.runs {
        let folder = Scratch::new()?;
        for (took, how) in [(&mut cold, "anew"), (&mut warm, "again")] {
            let name = lesson.package();
            progress.set_message(format!("{name} {how}, {pair} of {}", options.runs));
            let mut command = lesson.command()?;
            command.args(["--json"]).args(&options.flags);
            command.envs(CACHES.map(|variable| (variable, &folder.0)));
            took.push(run(command).with_context(|| format!("{name} could not be timed"))?);
        }
    }
    progress.finish_and_clear();
    let medians =
        |all: &[Took]| [0, 1, 2].map(|at| median(&Vec::from_iter(all.iter().map(|took| took[at]))));
    Ok([medians(&warm), medians(&cold)])
}

/// Runs a lesson to its end; with `--json` its first line is its first row.
fn run(mut command: Command) -> Result<Took> {
    let begin = Instant::now();
    let (mut first_row, mut in_timed_runs) = (None, 0.0);
    let finished = Finished::following(&mut command, |line| {
        first_row.get_or_insert_with(|| begin.elapsed().as_secs_f64());
        // A lesson prints lines of other kinds, too.
        if let Ok(record) = serde_json::from_str::<Record>(line) {
            in_timed_runs += record.seconds.iter().sum::<f64>();
        }
    })?;
    let whole = begin.elapsed().as_secs_f64();
    // 1 is a wrong row, which took its time like any other.
    if !matches!(finished.status.code(), Some(0 | 1)) {
        bail!(finished.message());
    }
    Ok([first_row.unwrap_or(whole), whole, in_timed_runs])
}

fn heading(runs: u16) -> String {
    let [first, whole] = ["first row", "whole"];
    format!(
        "Seconds from the start of a process; medians of {runs}\n\n  \
         {:<20}{:^30}{:^26}\n  {:<20}{first:>10}{whole:>10}{:>10}{first:>14}{whole:>10}",
        "", "compiled before", "compiled anew", "lesson", "timed"
    )
}
