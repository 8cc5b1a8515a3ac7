//! What a report holds: what each lesson measured on a device.

use std::io;
use std::path::Path;

use anyhow::Result;
use common::Error;
use common::record::Record;
use common::shape::Shape;
use common::source::workspace;
use process::data::{date, size_name};
use process::devices::Device;
use process::machine;
use serde::Serialize;

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

/// What is run on each device.
#[derive(Default)]
pub struct Settings {
    /// Numbers of the lessons.
    pub lessons: Vec<u32>,
    /// Sizes of the products; empty for the lessons' own.
    pub sizes: Vec<Shape>,
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
}

impl Settings {
    /// Lessons on products once for each size; vectors once.
    pub fn jobs(&self, devices: &[Device]) -> Vec<Job> {
        let sizes: Vec<Option<Shape>> = match &self.sizes[..] {
            [] => vec![None],
            sizes => sizes.iter().copied().map(Some).collect(),
        };
        let lessons = self.lessons.iter().copied();
        let (vectors, products): (Vec<_>, Vec<_>) = lessons.partition(|one| *one == VECTORS);
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
}

impl Survey {
    pub fn new(settings: &Settings, devices: Vec<Device>) -> Result<Survey> {
        let folder = workspace().display().to_string();
        let describe = ["describe", "--always", "--dirty", "--abbrev=10"];
        Ok(Survey {
            begun: date("+%Y-%m-%d %H:%M")?,
            commit: machine::output("git", &[&["-C", &folder], &describe[..]].concat()),
            host: machine::host(),
            planned: settings.jobs(&devices),
            devices,
            done: Vec::new(),
        })
    }
}

pub fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::File {
        path: path.into(),
        why: format!("{error}\n  next: the same command with --out DIR, a folder of your own"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let jobs = |sizes: &[usize], devices: &[usize]| {
            let settings = Settings {
                lessons: vec![2, 8],
                sizes: sizes.iter().map(|&n| Shape::cube(n)).collect(),
            };
            let device = |&index| Device {
                index,
                ..Device::default()
            };
            settings.jobs(&devices.iter().map(device).collect::<Vec<_>>())
        };
        let names = jobs(&[64, 100], &[0]);
        let names: Vec<String> = names.iter().map(Job::name).collect();
        assert_eq!(names, ["lesson02", "lesson08 at 64", "lesson08 at 100"]);
        let own = jobs(&[], &[0, 1]);
        assert_eq!((own.len(), own[3].device), (4, 1));
    }
}
