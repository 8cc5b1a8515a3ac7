//! `course run`: is a kernel right by its task file, and how fast is it?

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use ::process::watch::each_save;
use ::process::watch::saves::{News, Saves};
use ::process::{Finished, child_status};
use anyhow::Result;
use colored::{ColoredString, Colorize};
use common::element::Type;
use common::record::Record;
use serde::Serialize;
use text::Out;

use crate::exercises;
use crate::game::background::Background;
use crate::game::how::How;
use crate::observation::{Detection, Observation};
use crate::prose::beside;
use crate::rates::{Rates, speed};
use crate::subject::{LaunchFlags, Subject};
use crate::task::child::{self, Purpose, Run};
use crate::task::file::{Sizes, TaskFile, sizes_in_words};

/// The flags of `course run`.
#[derive(clap::Args)]
pub struct Options {
    /// Task files, or kernel files whose arguments say it all
    #[arg(value_name = "FILE.toml|FILE.cl", required = true)]
    files: Vec<PathBuf>,
    /// Of a kernel file only this kernel
    #[arg(short, long, value_name = "KERNEL")]
    only: Vec<String>,
    /// Other sizes than the task's, or "time": those at which it is timed [default: all]
    #[arg(short, long, value_name = "NAME=N,NAME=N")]
    size: Option<String>,
    /// Time it, too, beside what the device copies and computes, and judge at-least
    #[arg(long)]
    time: bool,
    /// Run it again after every save of the kernel or the task
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// What is said of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It computes what it must.
    Right,
    /// Nobody says what it must compute.
    Unchecked,
    /// It could not be launched.
    Unlaunchable,
    /// It does not compute what it must, or it died.
    Wrong,
}

impl Verdict {
    /// In front of a line.
    pub fn mark(self) -> ColoredString {
        match self {
            Verdict::Right => "✓".green(),
            Verdict::Unchecked => "-".dimmed(),
            Verdict::Unlaunchable => "?".yellow(),
            Verdict::Wrong => "✗".red().bold(),
        }
    }

    fn words(self) -> ColoredString {
        match self {
            Verdict::Right => "right".green().bold(),
            Verdict::Unchecked => "not checked: no reference says what is right".dimmed(),
            Verdict::Unlaunchable => "cannot be launched".yellow().bold(),
            Verdict::Wrong => "wrong".red().bold(),
        }
    }
}

/// One size.
#[derive(Serialize)]
pub struct Line {
    size: Sizes,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<usize>,
    #[serde(rename = "bound", skip_serializing_if = "String::is_empty")]
    says: String,
    #[serde(flatten)]
    pub speed: Option<Rates>,
}

/// A kernel, as `--json` prints it.
#[derive(Serialize)]
struct Told<'a> {
    file: &'a Path,
    kernel: &'a str,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    seed: u64,
    sizes: Vec<Line>,
    /// What its task asks beyond a right result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Observation>,
    #[serde(skip)]
    status: u8,
}

/// Runs the kernels of a file, one after the other; the status is the largest.
pub fn run(options: &Options) -> Result<ExitCode> {
    if options.watch {
        return watch(options);
    }
    let Options {
        only, launch, how, ..
    } = options;
    let mut worst = 0;
    for file in &options.files {
        for subject in &Subject::all(file, only, launch, Type::Float, how.device.as_deref())? {
            let told = options.told(file, subject)?;
            if how.json {
                writeln!(Out, "{}", serde_json::to_string(&told)?)?;
            } else {
                told.print(subject)?;
            }
            worst = worst.max(told.status);
        }
    }
    Ok(ExitCode::from(worst))
}

impl Options {
    fn told<'a>(&'a self, file: &'a Path, subject: &'a Subject) -> Result<Told<'a>> {
        let How {
            device,
            timeout,
            seed,
            ..
        } = &self.how;
        let (mut command, sizes) = match subject.task() {
            Some(task) => {
                let sizes = self.sizes(task)?;
                // Where the task says a size for that, no other is timed.
                let is_timed = |at: usize| task.time.is_empty() || at + 1 == sizes.len();
                let runs = sizes.iter().enumerate().map(|(at, size)| Run {
                    timed: is_timed(at),
                    ..Run::of(task, Some(size.clone()))
                });
                (child::command(runs.collect(), Purpose::Results)?, sizes)
            }
            None => (
                subject.program(self.size.as_deref(), Purpose::Results)?,
                Vec::new(),
            ),
        };
        command
            .args([
                "--json",
                "--timeout",
                &timeout.to_string(),
                "--seed",
                &seed.to_string(),
            ])
            .args(device.iter().flat_map(|device| ["--device", device]));
        if !self.time || self.how.no_timing {
            command.args(["--runs", "0"]);
        }
        let child = Finished::of(&mut command)?;
        let records: Vec<Record> = child.records().collect();
        let mut status = child_status(child.status);
        if status == 3 || (status == 2 && records.is_empty() && subject.task().is_none()) {
            return Err(child.refused().into());
        }
        let of = |at: usize| sizes.get(at).cloned().unwrap_or_default();
        let lines = records.iter().enumerate();
        let lines: Vec<Line> = lines
            .map(|(at, one)| line(one, of(at), subject.task()))
            .collect();
        let of_child = match status {
            0..=1 => None,
            2 if lines.iter().any(|one| one.verdict == Verdict::Unlaunchable) => None,
            2 | 4 => Some(Verdict::Unlaunchable),
            _ if child.stderr.contains("running the ") => Some(Verdict::Unlaunchable),
            _ => Some(Verdict::Wrong),
        };
        if status == 0 && lines.iter().any(|one| one.verdict == Verdict::Unlaunchable) {
            status = 2;
        }
        let verdict = lines.iter().map(|one| one.verdict).chain(of_child).max();
        let targets = match (subject.task(), verdict) {
            (Some(task), Some(Verdict::Right)) => self.targets(file, task, lines.last())?,
            _ => Vec::new(),
        };
        if targets.iter().any(|one| one.outcome == Detection::Fault) {
            status = 1;
        }
        let message = || subject.located(&child.message());
        Ok(Told {
            file,
            kernel: &subject.kernel,
            verdict: verdict.unwrap_or(Verdict::Unlaunchable),
            why: of_child.map(|_| message()),
            device: records
                .first()
                .map(|one| format!("{} ({})", one.device, one.platform)),
            seed: *seed,
            sizes: lines,
            targets,
            status,
        })
    }

    /// What the task's `at-most` and `at-least` say of a right kernel.
    fn targets(
        &self,
        file: &Path,
        task: &TaskFile,
        last: Option<&Line>,
    ) -> Result<Vec<Observation>> {
        let name = file.display().to_string();
        let mut seen = exercises::counted(task, &self.how, &name)?;
        let speed = last.and_then(|line| line.speed.as_ref());
        let of_rate = |speed| exercises::of_rate(speed, &task.at_least);
        let is_asked = !task.at_least.is_empty();
        seen.extend(speed.filter(|_| is_asked).map(of_rate));
        Ok(seen)
    }

    /// What is asked for, else all sizes of the task.
    fn sizes(&self, task: &TaskFile) -> common::Result<Vec<Sizes>> {
        if let Some(words) = &self.size {
            return Ok(vec![match &**words {
                "time" => task.timed(),
                words => task.sizes_of(words)?,
            }]);
        }
        let mut all = task.all_sizes()?;
        if self.time && !task.time.is_empty() {
            all.push(task.timed());
        }
        Ok(all)
    }
}

/// What a record says of a task at a size.
pub fn line(record: &Record, size: Sizes, task: Option<&TaskFile>) -> Line {
    let verdict = match record {
        Record {
            skipped: Some(_), ..
        } => Verdict::Unlaunchable,
        Record {
            verified: false, ..
        } => Verdict::Wrong,
        Record {
            elements_compared: Some(0),
            ..
        } => Verdict::Unchecked,
        _ => Verdict::Right,
    };
    let why = record
        .failed
        .clone()
        .or(record.skipped.clone())
        .or(record.died.clone());
    Line {
        verdict,
        why: why.map(|why| why.trim_end().into()),
        compared: record.elements_compared,
        says: record.says.clone(),
        speed: task.and_then(|task| speed(record, &size, task)),
        size,
    }
}

impl Told<'_> {
    fn print(&self, subject: &Subject) -> Result<()> {
        let mut out = Out;
        writeln!(out, "{}\n", format!("Kernel {}", self.kernel).bold())?;
        writeln!(out, "  Launched  {}", beside(&subject.launched(), 12))?;
        if let Some(device) = &self.device {
            writeln!(out, "  Device    {}", beside(device, 12))?;
        }
        writeln!(out)?;
        for line in &self.sizes {
            let (mark, size) = (line.verdict.mark(), sizes_in_words(&line.size));
            let says = match (line.verdict, &line.why, line.compared) {
                (_, Some(why), _) => why.replace('\n', "\n    "),
                (Verdict::Right, _, Some(compared)) => {
                    let Line { says, .. } = line;
                    let within = if says.is_empty() { "" } else { ": " };
                    format!("right, {compared} elements compared{within}{says}")
                }
                (verdict, ..) => verdict.words().to_string(),
            };
            writeln!(
                out,
                "  {mark} {size}{}{says}",
                if size.is_empty() { "" } else { ": " }
            )?;
            if let Some(speed) = &line.speed {
                writeln!(out, "    {}", beside(&speed.words(), 4))?;
            }
        }
        if let Some(why) = &self.why {
            writeln!(
                out,
                "  {} {}",
                self.verdict.mark(),
                why.replace('\n', "\n    ")
            )?;
        }
        for target in &self.targets {
            target.print(&target.outcome.mark(), &target.says)?;
        }
        let misses = self
            .targets
            .iter()
            .any(|one| one.outcome == Detection::Fault);
        let misses = if misses {
            ", and not what its task asks"
        } else {
            ""
        };
        let words = self.verdict.words();
        writeln!(out, "\n  {}: {words}{misses}", self.kernel)?;
        let tried = subject.task().filter(|_| self.sizes.len() == 1);
        let tried =
            tried.filter(|task| self.verdict == Verdict::Right && self.sizes[0].size == task.size);
        if let Some(words) = tried.and_then(TaskFile::has_full_groups_only) {
            writeln!(out, "  {}", beside(&words, 2).dimmed())?;
        }
        if self.verdict == Verdict::Wrong {
            let words = std::env::args().nth(2).unwrap_or_default();
            writeln!(
                out,
                "  next: {} names the lines of races and bad accesses;\n        the same numbers \
                 again: --seed {}",
                format!("cargo course inspect {words}").cyan(),
                self.seed
            )?;
        }
        Ok(writeln!(out)?)
    }
}

/// The same again after every save, until Ctrl-C.
fn watch(options: &Options) -> Result<ExitCode> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--watch")
        .collect();
    let file = &options.files[0];
    let kernel = TaskFile::read(file).map(|task| task.kernel);
    let file = kernel.unwrap_or(file.clone());
    let name = file
        .file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy();
    let mut saves = Saves::of(&file, &name);
    each_save(&mut saves, |saves| {
        let mut job = Background::start(&words, false)?;
        while job.status().is_none() {
            let news = saves.wait(Duration::from_millis(20));
            if news != News::Nothing {
                return Ok::<_, anyhow::Error>(news);
            }
        }
        Ok(News::Nothing)
    })?;
    Ok(ExitCode::SUCCESS)
}
