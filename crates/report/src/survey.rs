//! What a report holds: `report.json`, which is written after every job, so that
//! a run that was stopped can go on.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use common::Error;
use common::file;
use common::record::Record;
use common::shape::Shape;
use common::source::workspace;
use process::data::{date, size_name};
use process::devices::Device;
use process::machine;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::plain;

use crate::peers::peer::Peer;

/// Bytes that a report may have.
const LONGEST: u64 = 1 << 30;

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

/// What one child process does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Number of the device in the listing.
    pub device: usize,
    /// The size that the child is given; none for its own.
    pub size: Option<Shape>,
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
    /// Its exit status then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
}

impl Job {
    /// "lesson08 at 1024x1024x1024".
    pub fn name(&self) -> String {
        let subject = match self.subject {
            Subject::Lesson(number) => format!("lesson{number:02}"),
            Subject::Peer(peer) => peer.name().to_string(),
        };
        let size = self.size.map(|size| format!(" at {}", size_name(size)));
        subject + &size.unwrap_or_default()
    }
}

impl Settings {
    /// Lessons on products once for each size, then the libraries; vectors once.
    pub fn jobs(&self, devices: &[Device]) -> Vec<Job> {
        let sizes: Vec<Option<Shape>> = match &self.sizes[..] {
            [] => vec![None],
            sizes => sizes.iter().copied().map(Some).collect(),
        };
        let lessons = self.lessons.iter().copied().map(Subject::Lesson);
        let (vectors, products): (Vec<_>, Vec<_>) = lessons.partition(|one| *one == VECTORS);
        let mut jobs = Vec::new();
        for device in devices {
            // The lessons measure the crate themselves.
            let peers = Peer::beside(device).into_iter();
            let peers = peers.filter(|peer| self.peers && *peer != Peer::Matrixmultiply);
            let products = products.iter().copied().chain(peers.map(Subject::Peer));
            let job = |(size, subject)| Job {
                device: device.index,
                size,
                subject,
            };
            let vectors = vectors.iter().map(|&subject| (None, subject));
            let of_size = |size| products.clone().map(move |subject| (size, subject));
            let of_sizes = sizes.iter().flat_map(|&size| of_size(size));
            jobs.extend(vectors.chain(of_sizes).map(job));
        }
        jobs
    }
}

impl Survey {
    pub fn new(settings: Settings, devices: Vec<Device>) -> Result<Survey> {
        let folder = workspace().display().to_string();
        let describe = [
            "-C",
            &folder,
            "describe",
            "--always",
            "--dirty",
            "--abbrev=10",
        ];
        Ok(Survey {
            begun: date("+%Y-%m-%d %H:%M")?,
            commit: machine::output("git", &describe),
            host: machine::host(),
            planned: settings.jobs(&devices),
            settings,
            devices,
            done: Vec::new(),
        })
    }

    pub fn read(path: &Path) -> Result<Survey> {
        let why = "it is no report; `course report` writes one as report.json";
        let bytes = file::read(path, LONGEST).map_err(|error| error.to_string());
        let survey =
            bytes.and_then(|bytes| parse(&bytes).map_err(|what| format!("{why} ({what})")));
        survey.map_err(|why| unusable(path, why).into())
    }

    /// Writes it in one piece: a run that is stopped meanwhile leaves the old file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let fresh = path.with_extension("json.new");
        // What lies there may be a link to something else: it is replaced, not followed.
        let _ = fs::remove_file(&fresh);
        File::create_new(&fresh)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&fresh, path))
            .map_err(|error| unwritable(path, &error).into())
    }

    /// The jobs that have not been done.
    pub fn left(&self) -> Vec<Job> {
        let is_done = |job: &Job| self.done.iter().any(|done| done.job == *job);
        let mut left = self.planned.clone();
        left.retain(|job| !is_done(job));
        left
    }

    pub fn goes_on_as(&self, other: &Survey) -> bool {
        let ours = (&self.settings, &self.devices, &self.commit);
        ours == (&other.settings, &other.devices, &other.commit)
    }
}

/// What a file holds, or why it is no report.
pub fn parse(bytes: &[u8]) -> Result<Survey, String> {
    let value = serde_json::from_slice(bytes);
    let survey = value.and_then(|mut value| {
        strip_control_characters(&mut value);
        serde_json::from_value(value)
    });
    let survey: Survey = survey.map_err(|error| error.to_string())?;
    for done in &survey.done {
        if let Some(what) = done.records.iter().find_map(impossible) {
            return Err(format!("{}: {what}", done.job.name()));
        }
    }
    Ok(survey)
}

/// A report may come from elsewhere, and what it says is shown on terminals.
fn strip_control_characters(value: &mut Value) {
    match value {
        Value::String(text) => *text = plain(text),
        Value::Array(all) => all.iter_mut().for_each(strip_control_characters),
        Value::Object(fields) => fields.values_mut().for_each(strip_control_characters),
        _ => {}
    }
}

/// A figure of a record that nobody can have measured: everything on the page is drawn and
/// divided by such.
fn impossible(record: &Record) -> Option<String> {
    let limits = record.limits.as_ref();
    let bandwidth = limits.map(|limits| limits.gbytes_per_second);
    let figures = [
        ("gflops", record.gflops),
        ("gbytes_per_second", record.gbytes_per_second),
        ("limits.gflops", limits.map(|limits| limits.gflops)),
        ("limits.gbytes_per_second", bandwidth),
        ("seconds_median", record.seconds_median),
        ("share_of_limit", record.share_of_limit),
        ("step_factor", record.step_factor),
        // A spread of nothing is one.
        ("spread", record.spread.filter(|spread| *spread != 0.0)),
    ];
    let parts = record.helpers.iter();
    let parts = parts.map(|part| ("helpers.seconds_median", part.seconds_median));
    let figures = figures.into_iter().chain(parts);
    let mut known = figures.filter_map(|(name, figure)| Some((name, figure?)));
    let (name, figure) = known.find(|(_, figure)| !(1e-15..1e15).contains(figure))?;
    Some(format!("{name} of {} is {figure:?}", record.kernel))
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

pub fn unusable(path: &Path, why: String) -> Error {
    Error::File {
        path: path.into(),
        why,
    }
}

pub fn unwritable(path: &Path, error: &io::Error) -> Error {
    let next = "next: the same command with --out DIR, a folder of your own";
    unusable(path, format!("{error}\n  {next}"))
}
