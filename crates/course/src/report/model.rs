//! What a report holds: `report.json`, which is written after every part, so that
//! a run that was stopped can go on.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use common::Error;
use common::record::Record;
use common::shape::Shape;
use common::source::workspace;
use serde::{Deserialize, Serialize};
use toolbox::date;
pub use toolbox::size_name;

use super::peers::Peer;

/// A run of the lessons and of the peers, on one or several devices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// When it was begun.
    pub begun: String,
    /// The commit, with "-dirty" where files were changed; where git knows it.
    pub commit: Option<String>,
    /// The host's CPU.
    pub host: String,
    /// What was asked for.
    pub settings: Settings,
    /// The devices, in the order of the listing.
    pub devices: Vec<Device>,
    /// All that belongs to the run.
    pub planned: Vec<Part>,
    /// What has been run so far.
    pub done: Vec<Done>,
}

/// What must be the same for a run that was stopped to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Numbers of the lessons.
    pub lessons: Vec<u32>,
    /// Sizes of the products; empty for the lessons' own.
    pub sizes: Vec<Shape>,
    /// Timed runs of each kernel; none for as many as a lesson finds enough.
    pub runs: Option<usize>,
    /// Whether libraries are measured, too.
    pub peers: bool,
    /// Changes when a kernel file does.
    pub kernels: u64,
}

/// A device, as lesson 1 lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its number in the listing.
    pub index: usize,
    /// What the driver calls it.
    pub name: String,
    /// Its platform.
    pub platform: String,
    /// Version of the driver.
    pub driver: String,
    /// "gpu", "cpu", ...
    pub kind: String,
    /// Cores of a CPU, multiprocessors of a GPU.
    pub compute_units: usize,
}

impl Device {
    /// Name and platform.
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform)
    }
}

/// What one child process runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Number of the device in the listing.
    pub device: usize,
    /// The size that the child is given; none for its own.
    pub size: Option<Shape>,
    /// Lesson or library.
    pub work: Work,
}

/// A lesson, or a library beside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    Lesson(u32),
    Peer(Peer),
}

impl Part {
    /// "lesson08 at 1024x1024x1024".
    pub fn name(&self) -> String {
        let work = match self.work {
            Work::Lesson(number) => format!("lesson{number:02}"),
            Work::Peer(peer) => peer.name().to_string(),
        };
        match self.size {
            Some(size) => format!("{work} at {}", size_name(size)),
            None => work,
        }
    }
}

/// A part that has been run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// Which one.
    pub part: Part,
    /// How long the child took.
    pub seconds: f64,
    /// What it measured.
    pub records: Vec<Record>,
    /// Its error, where it did not end well.
    pub failed: Option<String>,
}

impl Report {
    /// A report of nothing yet.
    pub fn new(settings: Settings, devices: Vec<Device>, planned: Vec<Part>) -> Result<Report> {
        Ok(Report {
            begun: date("+%Y-%m-%d %H:%M")?,
            commit: commit(),
            host: host(),
            settings,
            devices,
            planned,
            done: Vec::new(),
        })
    }

    /// Reads `report.json`, or a copy of it.
    pub fn read(path: &Path) -> Result<Report> {
        let unusable = |why: String| Error::File {
            path: path.into(),
            why,
        };
        let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| {
            let why = "it is no report; `course report` writes one as report.json";
            unusable(format!("{why} ({error})")).into()
        })
    }

    /// Writes it in one piece: a run that is stopped meanwhile leaves the old file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let fresh = path.with_extension("json.new");
        fs::write(&fresh, text)
            .and_then(|()| fs::rename(&fresh, path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// The parts that have not been run.
    pub fn left(&self) -> Vec<Part> {
        let is_done = |part: &&Part| self.done.iter().any(|done| done.part == **part);
        let left = self.planned.iter().filter(|part| !is_done(part));
        left.cloned().collect()
    }

    /// Whether it was stopped before its end, and is of the same run as `other`.
    pub fn goes_on_as(&self, other: &Report) -> bool {
        !self.left().is_empty()
            && self.settings == other.settings
            && self.devices == other.devices
            && self.commit == other.commit
    }
}

/// A number that changes when a kernel file does. Rust does not promise the same
/// one for ever; another one only makes a stopped run start anew.
pub fn fingerprint_of_kernels() -> Result<u64> {
    let mut paths: Vec<_> = fs::read_dir(workspace().join("kernels"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "cl"))
        .collect();
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        fs::read(path)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn commit() -> Option<String> {
    let git = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=10"])
        .current_dir(workspace())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&git.stdout).trim().to_string();
    (git.status.success() && !text.is_empty()).then_some(text)
}

/// The CPU's name where the system tells it, and its cores.
fn host() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_string())
    });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.into());
    format!("{model}, {cores} cores")
}
