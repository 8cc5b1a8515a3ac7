//! What a report holds: what each lesson measured on a device. The lessons run one after
//! another, each in a child process.

use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result, ensure};
use common::Error;
use common::death::How;
use common::record::Record;
use diagnostics::aside;
use process::data::{date, size_name};
use process::devices::Device;
use process::{Finished, lessons, machine};
use serde::Serialize;
use verify::shape::Shape;

/// A run of the lessons on one or several devices.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    pub begun: String,
    /// The commit, with "-dirty" where files were changed; where git knows it.
    pub commit: Option<String>,
    /// The host's CPU.
    pub host: String,
    /// The devices, in the order of the listing.
    pub devices: Vec<Device>,
    /// All that belongs to the run.
    pub planned: Vec<Job>,
    /// What has been done so far.
    pub done: Vec<Done>,
}

/// What one child process does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Job {
    /// Number of the device in the listing.
    pub device: usize,
    /// The size that the child is given; none for its own.
    pub size: Option<Shape>,
    /// Number of the lesson.
    pub lesson: u32,
}

/// Lesson 2 works on vectors, and has a size of its own.
pub const VECTORS: u32 = 2;

/// A job that has been done.
#[derive(Clone, Debug, Serialize)]
pub struct Done {
    pub job: Job,
    /// How long the child took.
    pub seconds: f64,
    pub records: Vec<Record>,
    /// Its error, where it did not end well.
    pub failed: Option<String>,
    /// Its exit status then.
    pub status: Option<u8>,
}

impl Job {
    /// "lesson08 at 1024x1024x1024".
    pub fn name(&self) -> String {
        let size = self.size.map(|size| format!(" at {}", size_name(size)));
        format!("lesson{:02}{}", self.lesson, size.unwrap_or_default())
    }

    fn command(&self, runs: Option<u32>) -> Result<Command> {
        let mut command = lessons::numbered(self.lesson)?.command()?;
        command.args(["--json", "--device", &self.device.to_string()]);
        if let Some(size) = self.size {
            command.args(["--size", &size.to_string()]);
        }
        if let Some(runs) = runs {
            command.args(["--runs", &runs.to_string()]);
        }
        Ok(command)
    }
}

/// Lessons on products once for each size, or at their own; vectors once.
fn jobs(lessons: &[u32], sizes: &[Shape], devices: &[Device]) -> Vec<Job> {
    let sizes: Vec<Option<Shape>> = match sizes {
        [] => vec![None],
        sizes => sizes.iter().copied().map(Some).collect(),
    };
    let (vectors, products): (Vec<u32>, Vec<u32>) =
        lessons.iter().partition(|one| **one == VECTORS);
    let mut jobs = Vec::new();
    for device in devices {
        let vectors = vectors.iter().map(|&lesson| (None, lesson));
        let products = |&size| products.iter().map(move |&lesson| (size, lesson));
        let all = vectors.chain(sizes.iter().flat_map(products));
        jobs.extend(all.map(|(size, lesson)| Job {
            device: device.index,
            size,
            lesson,
        }));
    }
    jobs
}

impl Survey {
    /// A run of these lessons, at these sizes or at their own; nothing is done yet.
    pub fn new(lessons: &[u32], sizes: &[Shape], devices: Vec<Device>) -> Result<Survey> {
        Ok(Survey {
            begun: date("+%Y-%m-%d %H:%M")?,
            commit: machine::commit(),
            host: machine::host(),
            planned: jobs(lessons, sizes, &devices),
            devices,
            done: Vec::new(),
        })
    }

    /// Does the jobs, and keeps what each measured; `keep` is called after every one.
    pub fn run(&mut self, runs: Option<u32>, keep: impl Fn(&Survey) -> Result<()>) -> Result<()> {
        for (at, job) in self.planned.clone().into_iter().enumerate() {
            let name = job.name();
            aside!("  {} of {}  {name}", at + 1, self.planned.len());
            let begin = Instant::now();
            let finished = Finished::of(&mut job.command(runs)?)
                .with_context(|| format!("{name} could not be run (just rebuilt?)"))?;
            let stopped = matches!(How::of(finished.status), How::Stopped(_));
            ensure!(!stopped, "it was stopped");
            let refused = (!finished.status.success()).then(|| finished.refused());
            if let Some(why) = &refused {
                let first = why.message.lines().next().unwrap_or_default();
                aside!("  {name} failed: {first}");
            }
            // A lesson may print lines of other kinds.
            let lines = finished.stdout.lines();
            let records = lines.filter_map(|line| serde_json::from_str(line).ok());
            self.done.push(Done {
                job,
                seconds: begin.elapsed().as_secs_f64(),
                records: records.collect(),
                status: refused.as_ref().map(|refused| refused.status),
                failed: refused.map(|refused| refused.message),
            });
            keep(self)?;
        }
        Ok(())
    }
}

/// Makes the folder, if it is not there yet, and writes these files into it.
pub fn write(folder: &Path, files: &[(&str, String)]) -> Result<()> {
    let unwritable = |error: io::Error| Error::File {
        path: folder.into(),
        why: format!("{error}\n  next: the same command with --out DIR, a folder of your own"),
    };
    fs::create_dir_all(folder).map_err(unwritable)?;
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(unwritable)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let jobs = |sizes: &[usize], devices: &[usize]| {
            let device = |&index| Device {
                index,
                ..Device::default()
            };
            let devices: Vec<Device> = devices.iter().map(device).collect();
            let sizes: Vec<Shape> = sizes.iter().map(|&n| Shape::cube(n)).collect();
            jobs(&[2, 8], &sizes, &devices)
        };
        let names = jobs(&[64, 100], &[0]);
        let names: Vec<String> = names.iter().map(Job::name).collect();
        assert_eq!(names, ["lesson02", "lesson08 at 64", "lesson08 at 100"]);
        let own = jobs(&[], &[0, 1]);
        assert_eq!((own.len(), own[3].device), (4, 1));
    }
}
