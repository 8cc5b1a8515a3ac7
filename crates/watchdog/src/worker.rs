//! A worker: a process that does the work, and is watched. Its watcher is the command that was
//! typed. What it is to do lies in a folder, and what it tells it writes there.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::{path::PathBuf, sync::OnceLock, time::Duration};

use common::device::drivers::{
    CLEAR_POCL_CACHE, POCL, POCL_CACHE_VARIABLE, pocl_cache_may_be_damaged,
};
use common::program::{OF_KERNELS, WORDS_VARIABLE};
use common::stage::{Death, How, Stage};
use common::{Error, Result, error::Failure, error::Kind, host::ulimits_in_words, record::Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::{
    self, DRIVERS_WORDS, Event, EventsFile, PRINTED, SIMULATOR_LOG, WORK_VARIABLE,
};
use crate::processes::{Environment, end_with_us, environment};
use crate::staff::{Idle, more_tasks};
use crate::wait::{End, Pause, patient, wait};
use crate::{resume, simulator::LOG_VARIABLE};

/// What the learner asked of the parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders {
    /// How long one launch may take ([`Stage::limit`] says the same of all else).
    pub timeout: Duration,
    /// Whether the lesson runs on every device.
    pub all_devices: bool,
    /// Whether it prints JSON, and so no table for people.
    pub json: bool,
    /// Whether it may take the whole terminal: then that is given back, whatever ends us.
    pub on_stage: bool,
}

/// As long as a lesson gives a launch that nobody limits.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// What a worker is to do: a program of the course with its flags, and what flags cannot say.
#[derive(Clone, PartialEq)]
pub struct Work {
    program: PathBuf,
    args: Vec<OsString>,
    environment: Environment,
    pub(crate) told: Told,
    /// Whether anybody asks for its results, and not only how it ends.
    is_read: bool,
    /// Whether each of its threads has a stack of 1 GiB: drivers of CPUs keep there what all items
    /// of a group have of private memory.
    has_large_stack: bool,
}

/// What it is told in a file, where its arguments do not say all.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    /// Whether its watcher tells what it comes to: then it prints no errors, and leaves what a
    /// simulator reports to the watcher.
    is_heard: bool,
    /// Whether it stays for another task where all was right.
    pub stays: bool,
    /// What it is to do.
    pub task: Value,
}

/// Its name in the folder, and that of what a worker prints that is heard.
const WORK: &str = "work.json";
const SAID: &str = "said";

impl Work {
    /// This very command, by a worker; `is_read` says whether its results are asked for, and not only
    /// how it ends.
    pub fn as_typed(is_read: bool) -> Result<Work> {
        let mut work = Work::of(std::env::current_exe()?);
        (work.told.is_heard, work.is_read) = (false, is_read);
        work.args = std::env::args_os().skip(1).collect();
        Ok(work)
    }

    /// A program of the course, whose watcher tells what it comes to.
    pub fn of(program: PathBuf) -> Work {
        Work {
            program,
            args: Vec::new(),
            environment: Environment::new(),
            told: Told { is_heard: true, stays: false, task: Value::Null },
            is_read: true,
            has_large_stack: false,
        }
    }

    /// A task of this program.
    pub fn of_task(task: Value) -> Result<Work> {
        let mut work = Work::of(std::env::current_exe()?);
        work.told.task = task;
        Ok(work)
    }

    /// All of it but the task.
    pub(crate) fn without_task(&self) -> Work {
        let mut work = self.clone();
        work.told.task = Value::Null;
        work
    }

    /// The same by threads that have a stack of 1 GiB each.
    pub fn with_large_stack(mut self) -> Work {
        self.has_large_stack = cfg!(unix);
        self
    }

    /// With these arguments as well.
    pub fn args(&mut self, all: impl IntoIterator<Item = impl Into<OsString>>) -> &mut Work {
        self.args.extend(all.into_iter().map(Into::into));
        self
    }

    /// With this argument as well.
    pub fn arg(&mut self, one: impl Into<OsString>) -> &mut Work {
        self.args([one])
    }

    /// With this option, whatever its value begins with.
    pub fn option(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Work {
        let mut option = OsString::from(format!("{name}="));
        option.push(value);
        self.arg(option)
    }

    /// With this variable.
    pub fn env(&mut self, name: &'static str, value: impl Into<OsString>) -> &mut Work {
        self.environment.insert(name, value.into());
        self
    }
}

/// What this process was told first, if it is a worker.
fn told() -> &'static Told {
    static TOLD: OnceLock<Told> = OnceLock::new();
    TOLD.get_or_init(|| {
        let text = events::folder().and_then(|folder| fs::read(folder.join(WORK)).ok());
        let told = text.and_then(|text| serde_json::from_slice(&text).ok());
        told.unwrap_or_default()
    })
}

/// The worker's side: whether its watcher tells what it comes to.
pub fn is_heard() -> bool {
    told().is_heard
}

/// The worker's side: its tasks, one after the other; null where its arguments say all. Behind
/// each that is asked for, the one before it is done, and all was right.
pub fn tasks() -> impl Iterator<Item = Value> {
    let more = told().stays.then(more_tasks).into_iter().flatten();
    std::iter::once_with(|| told().task.clone()).chain(more)
}

/// What a worker came to. Of work that nobody reads, [`Work::as_typed`], the status alone is known.
#[derive(Default)]
pub struct Ended {
    /// Its exit status; the largest of all devices'. 5 of one that died.
    pub status: u8,
    /// Its results.
    pub records: Vec<Record>,
    /// What else it was asked for.
    pub answers: Vec<Value>,
    /// Why it ended before its work was done.
    pub failure: Option<Failure>,
    /// How it died, where no worker goes on for it; the failure has the words.
    pub death: Option<Death>,
    /// What a simulator has reported.
    pub log: String,
    /// With `--all-devices`: those that there are.
    pub(crate) devices: Vec<String>,
    /// Itself, where it awaits another task.
    pub(crate) idle: Option<Idle>,
}

impl Ended {
    /// Why it left undone what it was asked for.
    pub fn refused(&self) -> Failure {
        let kind = Kind::Ended(self.status.max(1));
        let silent = || Failure::new(kind, "it has told nothing".to_string(), Stage::default());
        self.failure.clone().unwrap_or_else(silent)
    }

    /// The error of one that died.
    pub fn lost(&self) -> Option<Error> {
        let failure = self.death.as_ref().and(self.failure.as_ref());
        failure.map(|failure| Error::Died(failure.to_string()))
    }

    /// Of what a worker has written.
    pub(crate) fn of(status: u8, work: &Work, file: &EventsFile) -> Ended {
        let mut ended = Ended { status, ..Ended::default() };
        if !work.is_read {
            return ended;
        }
        let written = file.read();
        for event in written.events() {
            match event {
                Event::Record(record, _) => ended.records.push(*record),
                Event::Answer(answer) => ended.answers.push(answer),
                Event::Device { all, .. } => ended.devices = all,
                Event::Failed(failure) => {
                    ended.failure = Some(Failure { stage: written.stage(), ..failure });
                }
                _ => {}
            }
        }
        ended.log = file.said(SIMULATOR_LOG);
        // Whoever has told no error may have printed it: its arguments make no sense, or it panicked.
        if work.told.is_heard && status > 1 && ended.failure.is_none() && ended.records.is_empty() {
            let said = file.said(SAID).trim().to_string();
            ended.failure = Some(Failure::new(Kind::Ended(status), said, Stage::Starting));
        }
        ended
    }
}

/// Runs a worker to its end, with another one after each kernel or trial that took one down, where
/// the work resumes; `None` when `pause` asked for an early end.
pub fn run(work: &Work, timeout: Duration, pause: Pause) -> Result<Option<Ended>> {
    let events = EventsFile::new()?;
    if work.told.is_heard {
        let told = serde_json::to_vec(&work.told).map_err(std::io::Error::from)?;
        let place = events.folder.0.join(WORK);
        fs::write(&place, told).map_err(|error| Error::temporary(&place, &error))?;
    }
    let mut environment = environment(work.environment.clone());
    if std::env::var_os(LOG_VARIABLE).is_none() || work.told.is_heard {
        // Where it can be read: what a simulator reports is a row's failure.
        environment.insert(LOG_VARIABLE, events.folder.0.join(SIMULATOR_LOG).into());
    }
    environment.insert(WORDS_VARIABLE, events.folder.0.join(DRIVERS_WORDS).into());
    // A task has nothing to go on with.
    let is_lesson = work.told.task.is_null();
    let terminal = crate::ending::Terminal::now();
    // A kernel that died is no success, however the worker ends that goes on.
    let mut least = 0;
    loop {
        let mut child = start(work, &environment, &events)?;
        let end = wait(&mut child, &events, timeout, pause);
        if let Ok(Some(End::Exit(status))) = end {
            return Ok(Some(Ended::of(status.max(least), work, &events)));
        }
        let written = events.read();
        if !work.told.is_heard {
            terminal.restore(written.is_on_stage());
            events.pass_on(PRINTED);
        }
        let death = match end? {
            Some(End::Died(death)) => death,
            Some(End::Idle) => {
                let ended = Ended::of(0, work, &events);
                let idle = Some(Idle { child, events, work: work.without_task() });
                return Ok(Some(Ended { idle, ..ended }));
            }
            None | Some(End::Exit(_)) => return Ok(None),
        };
        // A lesson tells it; but of a kernel that is judged a verdict would be made.
        let is_pocls =
            |event| matches!(event, Event::Device { platform, .. } if platform.contains(POCL));
        if let (How::Signal(signal), false) = (&death.how, is_lesson)
            && written.events().any(is_pocls)
            && pocl_cache_may_be_damaged(*signal)
            && environment.insert(POCL_CACHE_VARIABLE, "0".into()).is_none()
        {
            diagnostics::aside!(
                "\nThe driver failed, perhaps on a damaged file in PoCL's cache of compiled kernels.\n  \
                 It is tried again without the cache. If that helps, clear it: {CLEAR_POCL_CACHE}"
            );
            events.clear();
            continue;
        }
        if !work.told.is_heard {
            events.pass_on(&format!("{DRIVERS_WORDS}.{OF_KERNELS}"));
            events.pass_on(DRIVERS_WORDS);
        }
        let Some(known) = resume::next(&written, &death).filter(|_| is_lesson) else {
            let told = resume::after_earlier_deaths(&written, &death);
            let failure = Some(Failure::new(Kind::Died, told, death.stage.clone()));
            return Ok(Some(Ended { failure, death: Some(death), ..Ended::of(5, work, &events) }));
        };
        if written.is_on_stage() {
            events.sender.send(&Event::Stage(false))?;
        }
        for event in known {
            events.sender.send(&event)?;
            if matches!(event, Event::Died(_)) {
                least = 5;
            }
        }
    }
}

/// Runs a worker to its end, whatever happens meanwhile; no launch takes longer than that.
///
/// # Errors
/// When it cannot be started, or somebody ended it: then nothing is known.
pub fn finish(work: &Work, timeout: Duration) -> Result<Ended> {
    let ended = run(work, timeout, &mut patient)?.unwrap_or_default();
    match &ended.death {
        Some(death) if matches!(death.how, How::Stopped(_)) => Err(Error::Died(death.to_string())),
        _ => Ok(ended),
    }
}

fn start(work: &Work, environment: &Environment, events: &EventsFile) -> Result<Child> {
    let mut command = Command::new(&work.program);
    if work.has_large_stack {
        // A shell becomes the program; where it may not have so much, with what it has.
        command = Command::new("sh");
        command.args(["-c", "ulimit -s 1048576; exec \"$0\" \"$@\""]);
        command.arg(&work.program);
    }
    command.args(&work.args).env(WORK_VARIABLE, &events.folder.0).envs(environment);
    if work.told.is_heard {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::create(events.folder.0.join(SAID))?);
    }
    if work.told.stays {
        // The thread that starts it may end before it.
        command.stdin(Stdio::piped());
    } else {
        end_with_us(&mut command);
    }
    command.spawn().map_err(|error| {
        // No more files, or no more processes.
        let limits = ulimits_in_words();
        let advice = match &*limits {
            "" => "it was rebuilt while it ran, and nothing is wrong with your file\n  \
                   next: the same command once more"
                .into(),
            limits => format!("a limit that is set here: {limits}\n  next: raise it"),
        };
        let why = format!("it cannot be started ({error})\n  likely cause: {advice}");
        Error::file(&work.program, why)
    })
}
