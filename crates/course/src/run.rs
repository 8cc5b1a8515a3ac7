//! `course run`: is a kernel right by its task file, and how fast is it? `spec` drafts such a file.

use std::path::{Path, PathBuf};
use std::{io::Write, process::ExitCode};

use ::watchdog::watch::{News, Saves, each_save};
use anyhow::Result;
use colored::Colorize;
use common::error::{Kind, UNCHECKED, worst};
use common::record::Record;
use diagnostics::terminal::{Out, plain, wrap::beside};
use inspect::judge::rates::{Rates, speed};
use inspect::judge::{
    Case, Check, End, How, LaunchFlags, Observation, Other, Reason, Results, Subject, TIMEOUT,
    Verdict, drafts, exercise,
};
use serde::Serialize;
use task::{form::Form, sizes::Sizes};
use verify::{draw::Far, element::Type};

use crate::{game::background::Background, game::folder::shown};

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

/// Runs the kernels of a file, one after the other, and tells what came of each; the status is the
/// largest but for that of an unchecked one, which comes last.
pub fn run(options: &RunArgs) -> Result<ExitCode> {
    if options.watch {
        return watch(options);
    }
    let RunArgs { only, launch, how, .. } = options;
    let mut all = Vec::new();
    for file in &options.files {
        for subject in &Subject::all(file, only, launch, Type::Float, how, false)? {
            let sizes = match (options.size.as_deref(), subject.task()) {
                (Some("time"), Some(task)) => Some(vec![task.timed()]),
                (words, _) => subject.sizes(words)?,
            };
            let check = Check { subject, how, ty: Type::Float, sizes, times: options.time };
            if !how.json {
                head(file, subject, how.seed)?;
            }
            let results = check.results()?;
            let told = told(how, file, subject, &results)?;
            match how.json {
                true => writeln!(Out, "{}", serde_json::to_string(&told)?)?,
                false => told.print(&results)?,
            }
            all.push(told.status);
        }
    }
    Ok(ExitCode::from(worst(all)))
}

/// What its checks come to.
fn told<'a>(
    how: &How,
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
        seed: how.seed,
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
        told.targets = exercise::counted(task, how, &file.display().to_string())?;
        told.targets.extend(speed.map(|speed| speed.beside(&task.at_least)));
        if told.targets.iter().any(Observation::is_fault) {
            told.status = 1;
        }
    }
    Ok(told)
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

/// The kernel, and how it is launched.
pub fn head(file: &Path, subject: &Subject, seed: u64) -> Result<()> {
    writeln!(
        Out,
        "{}\n\n  File      {}\n  Launched  {}\n  Numbers   of seed {seed}, and what is drawn: the \
         same again by --seed {seed}\n\n{}",
        format!("Kernel {}", subject.kernel()).bold(),
        shown(file),
        beside(&subject.launched, 12),
        "What the checks see".bold()
    )?;
    Ok(Out.flush()?)
}

/// One size.
#[derive(Serialize)]
pub struct Line {
    pub size: Sizes,
    /// How it differs from what the file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn: Option<String>,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<usize>,
    #[serde(rename = "bound", skip_serializing_if = "String::is_empty")]
    pub says: String,
    #[serde(flatten)]
    pub speed: Option<Rates>,
}

/// A kernel, as `--json` prints it.
#[derive(Serialize)]
pub struct Told<'a> {
    pub file: &'a Path,
    #[serde(skip)]
    pub subject: &'a Subject,
    pub kernel: &'a str,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub seed: u64,
    pub sizes: Vec<Line>,
    /// What was not tried, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untried: Vec<String>,
    /// What its task asks beyond a right result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Observation>,
    #[serde(skip)]
    pub status: u8,
}

/// What a record says of a task at a size, which may be `drawn`.
pub fn line(record: &Record, (size, drawn): (Sizes, Option<String>), task: Option<&Form>) -> Line {
    Line {
        verdict: Verdict::of(record),
        why: record.why(),
        compared: record.compared(),
        says: record.says.clone(),
        drawn,
        speed: task.and_then(|task| speed(record, &size, task)),
        size,
    }
}

impl Told<'_> {
    /// What every check saw, what follows, and the next thing to try.
    pub fn print(&self, results: &Results) -> Result<()> {
        let mut out = Out;
        if let Some(device) = &self.device {
            writeln!(out, "  on {}\n", beside(device, 5))?;
        }
        let mut speeds = self.sizes.iter().map(|line| line.speed.as_ref());
        for one in &results.tried {
            let mut seen = one.seen();
            let speeds = speeds.by_ref().take(one.records.len()).flatten();
            seen.details.extend(speeds.map(|speed| speed.words().into()));
            let is_told = matches!(one.end, End::Refused(_) | End::Died(_));
            if is_told && self.subject.task().is_some() {
                let message = self.subject.located(&one.end);
                let message = plain(&message).replace('\n', "\n    ");
                writeln!(out, "  {} {}: {message}", seen.outcome.mark(), seen.detector)?;
            } else {
                seen.print(&seen.outcome.mark())?;
            }
        }
        let mut targets = self.targets.iter();
        targets.clone().try_for_each(|one| one.print(&one.outcome.mark()))?;
        let misses = match targets.any(Observation::is_fault) {
            true => ", and not what its task asks",
            false => "",
        };
        let words = format!("{}: {}{misses}", self.kernel, self.verdict.words());
        verdict(&words, &self.untried)?;
        let (file, seed) = (self.file, self.seed);
        match (self.verdict, results.wrong()) {
            (Verdict::Limited, Some(one)) => limited_to(file, &one.case, results.reason, seed)?,
            (Verdict::Wrong, _) => {
                let inspect = format!("cargo course inspect {}", file.display()).cyan();
                writeln!(
                    out,
                    "  next: {inspect} names the lines of races and bad accesses;\n        \
                     the same numbers again: --seed {seed}"
                )?;
            }
            _ => (),
        }
        Ok(writeln!(out)?)
    }
}

/// What follows, and what was not tried.
pub fn verdict(words: &str, untried: &[String]) -> Result<()> {
    writeln!(Out, "\n  {words}")?;
    for why in untried {
        writeln!(Out, "  {}", beside(why, 2).dimmed())?;
    }
    Ok(())
}

/// What to do where a kernel is right as its file says, and wrong in this case alone.
pub fn limited_to(file: &Path, case: &Case, reason: Reason, seed: u64) -> Result<()> {
    if reason == Reason::Fault {
        let says = "The results hide what the simulator sees: mend these lines first.";
        return Ok(writeln!(Out, "  {}", beside(says, 2))?);
    }
    let (at, other) = (task::sizes::in_words(&case.sizes), case.origin.other());
    let size = other.map_or(format!(" --size {at}"), |_| String::new());
    let says = match (other, reason) {
        (Some(Other::Reversed), _) => {
            "No device promises in which order groups run: what one leaves to another takes a \
             launch of its own."
        }
        (Some(Other::Coarse), _) => {
            "The standard lets half_ functions be off by 8192 units in the last place: take \
             others, or say a tolerance."
        }
        (Some(Other::Numbers(Far::Uneven)), _) => {
            "Not for such inputs? What a kernel fills, as in fill = \"make.cl\", stays as it is."
        }
        (Some(other), _) if other.is_of_scalars() => {
            "Not for other arguments? Then it need not be given any: a macro will do."
        }
        (Some(_), _) => {
            "Not for such numbers? Say by fill for which: { ints = [0, 9] }, or a formula of the \
             index."
        }
        (None, Reason::Share) => {
            "A share of each element is hardly a matter of the size: look at constants, at what \
             it divides by, and at functions such as native_exp."
        }
        (None, Reason::Chance) => {
            "Another run leaves other elements, as a race does: inspect names its lines."
        }
        (None, _) => {
            let names = case.sizes.keys().map(|name| format!("{name} = \"64*i\""));
            let names = Vec::from_iter(names).join(", ");
            &format!(
                "Not for {at}? A line such as draw = {{ {names} }} in the task file says for which \
                 sizes it is."
            )
        }
    };
    let next = format!("cargo course run {}{size} --seed {seed}", file.display());
    Ok(writeln!(Out, "  next: {}\n  {}", next.cyan(), beside(says, 2))?)
}

/// The flags of `course spec`.
#[derive(clap::Args)]
pub struct SpecArgs {
    /// A file with kernels of your own
    #[arg(value_name = "FILE.cl")]
    file: PathBuf,
    /// Device whose compiler tells the arguments [default: as the lessons choose it]
    #[arg(short, long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Seconds that the compiler may take
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    raw_log: bool,
    #[command(flatten)]
    launch: LaunchFlags,
}

/// Prints a draft of a task file for each kernel.
pub fn spec(options: &SpecArgs) -> Result<ExitCode> {
    let how = How {
        device: options.device.clone(),
        timeout: options.timeout,
        raw_log: options.raw_log,
        ..How::default()
    };
    let drafts = drafts(&options.file, &options.launch, Type::Float, &how, false)?;
    for (at, (_, draft)) in drafts.iter().enumerate() {
        if at > 0 {
            writeln!(Out, "\n# Another kernel of the file: a file of its own\n")?;
        }
        write!(Out, "{}", draft.text)?;
    }
    Ok(ExitCode::SUCCESS)
}
