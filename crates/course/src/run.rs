//! `course run`: is a kernel right by its task file, and how fast is it?

mod told;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use ::process::watch::each_save;
use ::process::watch::saves::{News, Saves};
use ::process::{Finished, child_status};
use anyhow::Result;
use common::element::Type;
use common::record::Record;
use text::Out;

use crate::exercises;
use crate::game::background::Background;
use crate::game::how::How;
use crate::observation::{Detection, Observation};
use crate::subject::{By, LaunchFlags, Subject};
use crate::task::TaskFile;
use crate::task::child::{self, Purpose, Run};
use crate::task::sizes::{Sizes, in_words};

use told::{DRAWN, EXTREMES, Told};
pub use told::{LIMITED, Line, Verdict, limited, line};

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

/// What came of a child process that checks.
struct Ended {
    child: Finished,
    records: Vec<Record>,
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
        for subject in &Subject::all(file, only, launch, Type::Float, how)? {
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
        let (command, sizes) = match subject.task() {
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
        let Ended {
            child,
            records,
            mut status,
        } = self.ended(command, self.time)?;
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
        let message = || subject.located(&child.message());
        let device = |one: &Record| format!("{} ({})", one.device, one.platform);
        let mut told = Told {
            file,
            kernel: &subject.kernel,
            verdict: verdict.unwrap_or(Verdict::Unlaunchable),
            why: of_child.map(|_| message()),
            device: records.first().map(device),
            seed: self.how.seed,
            sizes: lines,
            untried: None,
            targets: Vec::new(),
            status,
        };
        if let By::Task(task, Some(_), _) = &subject.by
            && (told.verdict, &self.size) == (Verdict::Right, &None)
        {
            self.try_more(task, &mut told)?;
        }
        if let (Some(task), Verdict::Right) = (subject.task(), told.verdict) {
            let last = told.sizes.iter().rfind(|one| one.drawn.is_none());
            told.targets = self.targets(file, task, last)?;
            if told
                .targets
                .iter()
                .any(|one| one.outcome == Detection::Fault)
            {
                told.status = 1;
            }
        }
        Ok(told)
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
        let is_asked = !task.at_least.is_empty();
        seen.extend(
            speed
                .filter(|_| is_asked)
                .map(|speed| speed.beside(&task.at_least)),
        );
        Ok(seen)
    }

    /// Tries what the file does not say: other sizes, and extreme numbers.
    fn try_more(&self, task: &TaskFile, told: &mut Told) -> Result<()> {
        let drawn = task.drawn(self.how.seed);
        let run = |sizes: &Sizes| Run::of(task, Some(sizes.clone()));
        let extremes = Run {
            extremes: true,
            ..run(drawn.first().unwrap_or(&task.small()))
        };
        let runs: Vec<Run> = drawn.iter().map(run).chain([extremes]).collect();
        let command = child::command(runs.clone(), Purpose::Results)?;
        let ended = self.ended(command, false)?;
        // The reference, or a launch that is refused, is nothing against the kernel.
        let is_kernels = ended.status == 5 && !ended.child.stderr.contains("running the ");
        let died = is_kernels.then(|| Record {
            failed: Some(ended.child.message()),
            ..Record::default()
        });
        let last = ended.records.len();
        for (run, record) in runs.iter().zip(ended.records.iter().chain(&died)) {
            let sizes = run.sizes.clone().unwrap_or_default();
            let line = Line {
                drawn: Some(if run.extremes { EXTREMES } else { DRAWN }),
                ..line(record, sizes, Some(task))
            };
            if line.verdict == Verdict::Wrong {
                (told.verdict, told.status) = (Verdict::Limited, 1);
            }
            if line.verdict != Verdict::Unlaunchable {
                told.sizes.push(line);
            }
        }
        let failed = runs.get(last).filter(|_| ended.status > 1 && !is_kernels);
        told.untried = match failed.filter(|run| !run.extremes) {
            Some(run) => {
                let sizes = in_words(&run.sizes.clone().unwrap_or_default());
                Some(format!("{sizes}: {}", ended.child.message()))
            }
            None if drawn.is_empty() && !task.size.is_empty() => {
                Some("the task allows none near it".into())
            }
            None => None,
        };
        Ok(())
    }

    /// A child process that checks.
    fn ended(&self, mut command: Command, times: bool) -> Result<Ended> {
        let [timeout, seed] = [self.how.timeout, self.how.seed].map(|one| one.to_string());
        let device = self.how.device.iter();
        command
            .args(["--json", "--timeout", &timeout, "--seed", &seed])
            .args(device.flat_map(|device| ["--device", device]));
        if !times || self.how.no_timing {
            command.args(["--runs", "0"]);
        }
        let child = Finished::of(&mut command)?;
        Ok(Ended {
            records: child.records().collect(),
            status: child_status(child.status),
            child,
        })
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

/// The same again after every save, until Ctrl-C.
fn watch(options: &Options) -> Result<ExitCode> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--watch")
        .collect();
    let file = &options.files[0];
    let kernel = TaskFile::read(file).map(|task| task.kernel);
    let kernel = kernel.unwrap_or(file.clone());
    let name = kernel.file_name().unwrap_or(kernel.as_os_str());
    let mut saves = Saves::of(&kernel, &name.to_string_lossy()).and(file);
    each_save(&mut saves, |saves| -> Result<News> {
        Ok(Background::start(&words, false)?.until_a_save(saves))
    })?;
    Ok(ExitCode::SUCCESS)
}
