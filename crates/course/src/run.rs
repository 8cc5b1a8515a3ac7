//! `course run`: is a kernel right by its task file, and how fast is it?

mod told;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::watchdog::watch::each_save;
use ::watchdog::watch::saves::{News, Saves};
use anyhow::Result;
use common::error::Kind;
use common::error::{UNCHECKED, worst};
use diagnostics::terminal::Out;
use inspect::judge::{
    Check, End, How, LaunchFlags, Observation, Results, Subject, Verdict, exercise,
};
use task::form::Form;
use verify::element::Type;

use crate::game::background::Background;

use told::Told;
pub use told::{head, limited_to, line, verdict};

/// The flags of `course run`.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Task files, or kernel files whose arguments say it all
    #[arg(value_name = "FILE.toml|FILE.cl", required = true)]
    files: Vec<PathBuf>,
    /// Of a kernel file only this kernel
    #[arg(short, long, value_name = "KERNEL")]
    only: Vec<String>,
    /// Another size than the task's, or "time": that at which it is timed [default: all]
    #[arg(short, long, value_name = "NAME=N,NAME=N")]
    size: Option<String>,
    /// Time it, too, beside what the device copies and computes, and judge at-least
    #[arg(long, conflicts_with = "no_timing")]
    time: bool,
    /// Run it again after every save of the kernel or the task
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Runs the kernels of a file, one after the other; the status is the largest but
/// for that of an unchecked one, which comes last.
pub fn run(options: &RunArgs) -> Result<ExitCode> {
    if options.watch {
        return watch(options);
    }
    let RunArgs { only, launch, how, .. } = options;
    let mut all = Vec::new();
    for file in &options.files {
        for subject in &Subject::all(file, only, launch, Type::Float, how, false)? {
            all.push(options.show(file, subject)?);
        }
    }
    Ok(ExitCode::from(worst(all)))
}

impl RunArgs {
    /// Checks a kernel and tells what came of it; the exit status.
    fn show(&self, file: &Path, subject: &Subject) -> Result<u8> {
        let how = &self.how;
        let sizes = match (self.size.as_deref(), subject.task()) {
            (Some("time"), Some(task)) => Some(vec![task.timed()]),
            (words, _) => subject.sizes(words)?,
        };
        let check = Check { subject, how, ty: Type::Float, sizes, times: self.time };
        if !how.json {
            head(file, subject, how.seed)?;
        }
        let results = check.results()?;
        let told = self.told(file, subject, &results)?;
        if how.json {
            writeln!(Out, "{}", serde_json::to_string(&told)?)?;
        } else {
            told.print(&results)?;
        }
        Ok(told.status)
    }

    fn told<'a>(
        &self,
        file: &'a Path,
        subject: &'a Subject,
        results: &Results,
    ) -> Result<Told<'a>> {
        let task = subject.task();
        let end = results.end();
        if let Some(one) = end
            && let End::Refused(failure) = &one.end
            && (failure.kind == Kind::NoDevice
                || failure.kind == Kind::Usage && task.is_none() && one.records.is_empty())
        {
            return Err(failure.clone().into());
        }
        let lines = results.tried.iter().flat_map(|one| {
            let at = || (one.case.sizes.clone(), one.words());
            one.records.iter().map(move |record| line(record, at(), task))
        });
        let mut told = Told {
            file,
            subject,
            kernel: subject.kernel(),
            verdict: results.verdict(subject),
            why: end.map(|one| subject.located(&one.end)),
            device: results.device(),
            seed: self.how.seed,
            sizes: lines.collect(),
            untried: results.untried.clone(),
            targets: Vec::new(),
            status: match (results.status(subject), results.verdict(subject)) {
                (0, Verdict::Unchecked) => UNCHECKED,
                (status, _) => status,
            },
        };
        if let (Some(task), Verdict::Right) = (task, told.verdict) {
            let last = told.sizes.iter().rfind(|one| one.drawn.is_none());
            let speed = last.and_then(|line| line.speed.as_ref());
            let speed = speed.filter(|_| !task.at_least.is_empty());
            told.targets = exercise::counted(task, &self.how, &file.display().to_string())?;
            told.targets.extend(speed.map(|speed| speed.beside(&task.at_least)));
            if told.targets.iter().any(Observation::is_fault) {
                told.status = 1;
            }
        }
        Ok(told)
    }
}

/// The same again after every save, until Ctrl-C.
fn watch(options: &RunArgs) -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--watch").collect();
    let file = &options.files[0];
    let kernel = Form::read(file).map(|task| task.kernel);
    let kernel = kernel.unwrap_or(file.clone());
    let name = kernel.file_name().unwrap_or(kernel.as_os_str());
    let mut saves = Saves::of(&[&kernel, file], &name.to_string_lossy())?;
    each_save(&mut saves, |saves| -> Result<News> {
        Ok(Background::start(&words, false)?.until_a_save(saves))
    })?;
    Ok(ExitCode::SUCCESS)
}
