//! `course report`: every lesson on a device, each in a child process, measured in one run. One
//! page has the roofline and all figures; `page` is what is shown on it.

mod page;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use std::{fs, io};

use anyhow::Result;
use clap::Args;
use colored::Colorize;
use common::Error;
use common::error::Kind;
use common::failure::Failure;
use common::file;
use common::record::Record;
use common::stage::Stage;
use diagnostics::aside;
use diagnostics::terminal::Out;
use serde::Serialize;
use verify::shape::Shape;
use watchdog::devices::{self, Device};
use watchdog::lessons::{self, LESSONS, Lesson};
use watchdog::machine;
use watchdog::worker::{self, PATIENCE};

/// What is run, and where it is written.
#[derive(Args)]
pub struct ReportArgs {
    /// Device to use: its number in `lesson01`'s listing, or part of a name,
    /// platform or type [default: as the lessons choose]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Run on every device of this machine, simulators left out
    #[arg(long, conflicts_with = "device")]
    all_devices: bool,
    /// Sizes of the products, N or MxNxK; may be a list, or given more than once
    /// [default: the lessons' own]
    #[arg(short, long, value_name = "N|MxNxK", value_delimiter = ',')]
    size: Vec<Shape>,
    /// Lessons to run [default: all]
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    lesson: Vec<u32>,
    /// Timed runs of each kernel [default: at least 3, until a quarter of a second or 20 runs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Folder for the page and report.json
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

/// A run of the lessons on one or several devices, as report.json has it.
#[derive(Serialize)]
struct Survey {
    begun: String,
    /// The commit, with "-dirty" where files were changed; where git knows it.
    commit: Option<String>,
    /// The host's CPU.
    host: String,
    devices: Vec<Device>,
    planned: Vec<Job>,
    done: Vec<Done>,
}

/// What one child process does.
#[derive(Clone, Serialize)]
struct Job {
    /// "lesson08 at 1024".
    name: String,
    /// Number of the device in the listing.
    device: usize,
    /// The size that the child is given; none for its own.
    size: Option<Shape>,
    lesson: u32,
}

/// A job that has been done.
#[derive(Serialize)]
struct Done {
    job: Job,
    /// How long the child took.
    seconds: f64,
    records: Vec<Record>,
    /// Its error, where it did not end well.
    failed: Option<String>,
    /// Its exit status then.
    status: Option<u8>,
}

/// Runs what the options ask for. The page is written after every job: what was done is on it,
/// whatever stops the rest.
pub fn report(options: &ReportArgs) -> Result<ExitCode> {
    let lessons = measuring(&options.lesson)?;
    let devices = devices::chosen(options.device.as_deref(), options.all_devices)?;
    // Before any lesson takes its time.
    write(options, &[])?;
    let mut survey = Survey {
        begun: machine::date("+%Y-%m-%d %H:%M")?,
        commit: machine::commit(),
        host: machine::host(),
        planned: jobs(&lessons, &options.size, &devices),
        devices,
        done: Vec::new(),
    };
    for (at, job) in survey.planned.clone().into_iter().enumerate() {
        aside!("  {} of {}  {}", at + 1, survey.planned.len(), job.name);
        survey.done.push(job.run(options.runs)?);
        let figures = serde_json::to_string_pretty(&survey)?;
        let page = page::page(&survey)?;
        write(options, &[("index.html", page), ("report.json", figures)])?;
    }
    for bench in page::benches(&survey) {
        if let Some(shape) = bench.shape {
            let head = format!("{} at {}", bench.device.label(), shape.in_short());
            writeln!(Out, "{}\n  {}", head.bold(), bench.sentence)?;
        }
    }
    writeln!(Out, "page: {}", options.out.join("index.html").display())?;
    let failed = survey.done.iter().filter_map(|done| Some((done.status?, &*done.job.name)));
    let (statuses, names): (Vec<u8>, Vec<&str>) = failed.unzip();
    let Some(status) = statuses.into_iter().max() else {
        return Ok(ExitCode::SUCCESS);
    };
    let message = format!("not everything ran: {}; the page says why", names.join(", "));
    Err(Failure::new(Kind::Ended(status), message, Stage::default()).into())
}

/// The lessons that measure something, or those of them that are asked for.
fn measuring(wanted: &[u32]) -> Result<Vec<&'static Lesson>> {
    let mut lessons = Vec::from_iter(LESSONS);
    lessons.retain(|lesson| !lesson.kernel_files().is_empty());
    if let Some(unknown) =
        wanted.iter().find(|number| lessons.iter().all(|one| one.number != **number))
    {
        let why = "measures nothing, or is not there; `cargo run` lists the lessons";
        return Err(Error::Usage(format!("lesson {unknown} {why}")).into());
    }
    lessons.retain(|lesson| wanted.is_empty() || wanted.contains(&lesson.number));
    Ok(lessons)
}

/// Lessons on products once for each size, or at their own; vectors once.
fn jobs(lessons: &[&Lesson], sizes: &[Shape], devices: &[Device]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for device in devices.iter().map(|device| device.index) {
        for at in 0..sizes.len().max(1) {
            for lesson in lessons.iter().filter(|one| at == 0 || !one.is_of_vectors) {
                let size = sizes.get(at).copied().filter(|_| !lesson.is_of_vectors);
                let at = size.map_or(String::new(), |size| format!(" at {}", size.in_short()));
                let name = lesson.package() + &at;
                jobs.push(Job { name, device, size, lesson: lesson.number });
            }
        }
    }
    jobs
}

impl Job {
    /// Does it, and keeps what was measured.
    fn run(self, runs: Option<u32>) -> Result<Done> {
        let mut work = lessons::numbered(self.lesson)?.work()?;
        work.args(["--json", "--device", &self.device.to_string()]);
        let size = self.size.map(|size| ["--size".to_string(), size.to_string()]);
        let runs = runs.map(|runs| ["--runs".to_string(), runs.to_string()]);
        work.args(size.into_iter().chain(runs).flatten());
        let begin = Instant::now();
        let ended = worker::finish(&work, PATIENCE)?;
        let failed = (ended.status != 0).then(|| ended.refused());
        if let Some(failure) = &failed {
            aside!("  {} failed: {}", self.name, failure.told.in_short());
        }
        Ok(Done {
            job: self,
            seconds: begin.elapsed().as_secs_f64(),
            records: ended.records,
            status: failed.as_ref().map(Failure::status),
            failed: failed.map(|failure| failure.to_string()),
        })
    }
}

/// Makes the folder, if it is not there yet, and writes these files into it.
fn write(options: &ReportArgs, files: &[(&str, String)]) -> Result<()> {
    let unwritable = |error: io::Error| {
        let next = "the same command with --out DIR, a folder of your own";
        Error::file(&options.out, format!("{error}\n  next: {next}"))
    };
    fs::create_dir_all(&options.out).map_err(unwritable)?;
    for (name, text) in files {
        file::write(&options.out.join(name), text).map_err(unwritable)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(measuring(&[1]).is_err() && measuring(&[99]).is_err());
        let both = measuring(&[8, 3]).unwrap().into_iter();
        assert!(both.map(|lesson| lesson.number).eq([3, 8]));
    }

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let jobs = |sizes: &[usize], devices: &[usize]| {
            let device = |&index| Device { index, ..Device::default() };
            let devices: Vec<Device> = devices.iter().map(device).collect();
            let sizes: Vec<Shape> = sizes.iter().map(|&n| Shape::cube(n)).collect();
            jobs(&[&LESSONS[1], &LESSONS[7]], &sizes, &devices)
        };
        let names = jobs(&[64, 100], &[0]);
        let names: Vec<&String> = names.iter().map(|job| &job.name).collect();
        assert_eq!(names, ["lesson02", "lesson08 at 64", "lesson08 at 100"]);
        let own = jobs(&[], &[0, 1]);
        assert_eq!((own.len(), own[3].device), (4, 1));
    }
}
