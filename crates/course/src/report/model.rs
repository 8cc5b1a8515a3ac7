//! What a report holds: `report.json`, which is written after every job, so that
//! a run that was stopped can go on.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::Result;
use common::Error;
use common::record::Record;
use common::shape::Shape;
use common::source::workspace;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::plain;
use toolbox::{date, size_name};

use super::peers::Peer;
use super::unwritable;
use crate::machine;

/// A run of the lessons and of the peers, on one or several devices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Survey {
    pub begun: String,
    /// The commit, with "-dirty" where files were changed; where git knows it.
    pub commit: Option<String>,
    /// The host's CPU.
    pub host: String,
    pub settings: Settings,
    /// The devices, in the order of the listing.
    pub devices: Vec<Device>,
    /// All that belongs to the run.
    pub planned: Vec<Job>,
    /// What has been done so far.
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
    pub name: String,
    pub platform: String,
    pub driver: String,
    /// "gpu", "cpu", ...
    pub kind: String,
    /// Cores of a CPU, multiprocessors of a GPU.
    pub compute_units: usize,
}

impl Device {
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform)
    }
}

/// What one child process does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Number of the device in the listing.
    pub device: usize,
    /// The size that the child is given; none for its own.
    pub size: Option<Shape>,
    /// Lesson or library.
    #[serde(rename = "work")]
    pub subject: Subject,
}

/// A lesson, or a library beside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Lesson(u32),
    Peer(Peer),
}

/// Lesson 2 works on vectors, and has a size of its own.
pub const VECTORS: Subject = Subject::Lesson(2);

impl Job {
    /// "lesson08 at 1024x1024x1024".
    pub fn name(&self) -> String {
        let subject = match self.subject {
            Subject::Lesson(number) => format!("lesson{number:02}"),
            Subject::Peer(peer) => peer.name().to_string(),
        };
        match self.size {
            Some(size) => format!("{subject} at {}", size_name(size)),
            None => subject,
        }
    }
}

/// A job that has been done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    #[serde(rename = "part")]
    pub job: Job,
    /// How long the child took.
    pub seconds: f64,
    pub records: Vec<Record>,
    /// Its error, where it did not end well.
    pub failed: Option<String>,
}

impl Survey {
    /// A report of nothing yet.
    pub fn new(settings: Settings, devices: Vec<Device>, planned: Vec<Job>) -> Result<Survey> {
        let folder = workspace().display().to_string();
        let describe = ["describe", "--always", "--dirty", "--abbrev=10"];
        Ok(Survey {
            begun: date("+%Y-%m-%d %H:%M")?,
            commit: machine::output("git", &[&["-C", &folder], &describe[..]].concat()),
            host: format!("{}, {} cores", machine::cpu(), machine::cores()),
            settings,
            devices,
            planned,
            done: Vec::new(),
        })
    }

    /// Reads `report.json`, or a copy of it.
    pub fn read(path: &Path) -> Result<Survey> {
        let unusable = |why: String| Error::File {
            path: path.into(),
            why,
        };
        let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        let survey = serde_json::from_str(&text).map(without_control_characters);
        survey.and_then(serde_json::from_value).map_err(|error| {
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
            .map_err(|error| unwritable(path, &error).into())
    }

    /// The jobs that have not been done.
    pub fn left(&self) -> Vec<Job> {
        let is_done = |job: &&Job| self.done.iter().any(|done| done.job == **job);
        let left = self.planned.iter().filter(|job| !is_done(job));
        left.cloned().collect()
    }

    /// Whether it is of the same run as `other`.
    pub fn goes_on_as(&self, other: &Survey) -> bool {
        self.settings == other.settings
            && self.devices == other.devices
            && self.commit == other.commit
    }
}

/// A report may come from elsewhere, and what it says is shown on terminals.
fn without_control_characters(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain(&text)),
        Value::Array(all) => all.into_iter().map(without_control_characters).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| (name, without_control_characters(value)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}

/// A number that changes when a kernel file does. Rust does not promise the same
/// one for ever; another one only makes a stopped run start anew.
pub fn fingerprint_of_kernels() -> Result<u64> {
    let entries = fs::read_dir(workspace().join("kernels"))?;
    let mut paths: Vec<_> = entries.map_while(|one| Some(one.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "cl"));
    paths.sort();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        fs::read(path)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}
