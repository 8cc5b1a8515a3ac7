//! A worker: a process that does the work, and is watched. Its watcher is the command that was
//! typed. What it is to do lies in a folder, and what it tells it writes there.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use common::death::{Death, How};
use common::error::{Error, Kind, Result};
use common::failure::Failure;
use common::file;
use common::host::ulimits_in_words;
use common::program::{OF_KERNELS, WORDS_VARIABLE};
use common::record::Record;
use common::stage::Stage;
use diagnostics::terminal::plain;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::end_with_us;
use crate::environment::{Environment, beside, forget_drivers, leave_out_cache, may_be_damaged};
use crate::events::{
    self, DRIVERS_WORDS, Event, EventsFile, PRINTED, SIMULATOR_LOG, WORK_VARIABLE,
};
use crate::resume;
use crate::signals::Terminal;
use crate::simulator::LOG_VARIABLE;
use crate::staff::{self, Idle};
use crate::wait::{End, Pause, patient, wait};

/// What the learner asked of the parent.
#[derive(Clone, Copy, Debug)]
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
impl Default for Orders {
    fn default() -> Orders {
        Orders::within(Duration::from_secs(300))
    }
}

impl Orders {
    /// Of a worker that prints nothing: no launch takes longer than that.
    pub fn within(timeout: Duration) -> Orders {
        Orders { timeout, all_devices: false, json: true, on_stage: false }
    }
}

/// What a worker is to do: a program of the course with its flags, and what flags cannot say.
#[derive(Clone, PartialEq)]
pub struct Work {
    program: PathBuf,
    args: Vec<OsString>,
    environment: Environment,
    told: Told,
    /// Whether each of its threads has a stack of 1 GiB: drivers of CPUs keep there what all items
    /// of a group have of private memory.
    has_large_stack: bool,
}

/// What it is told in a file, where its arguments do not say all.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    /// The number of the device that it must use.
    device: Option<usize>,
    /// Whether its watcher tells what it comes to: then it prints no errors, and leaves what a
    /// simulator reports to the watcher.
    is_heard: bool,
    /// Whether it stays for another task where all was right.
    stays: bool,
    /// What it is to do.
    task: Value,
}

/// Its name in the folder, and that of what a worker prints that is heard.
const WORK: &str = "work.json";
const SAID: &str = "said";

impl Work {
    /// This very command, by a worker.
    pub fn as_typed() -> Result<Work> {
        let mut work = Work::of(std::env::current_exe()?);
        work.told.is_heard = false;
        work.args(std::env::args_os().skip(1));
        Ok(work)
    }

    /// A program of the course, whose watcher tells what it comes to.
    pub fn of(program: PathBuf) -> Work {
        Work {
            program,
            args: Vec::new(),
            environment: Environment::new(),
            told: Told { is_heard: true, ..Told::default() },
            has_large_stack: false,
        }
    }

    /// A task of this program.
    pub fn of_task(task: Value) -> Result<Work> {
        let mut work = Work::of(std::env::current_exe()?);
        work.told.task = task;
        Ok(work)
    }

    /// A worker that stays for another task, where this is one.
    pub(crate) fn that_stays(mut self) -> Work {
        self.told.stays = !self.told.task.is_null();
        self
    }

    /// All of it but the task.
    pub(crate) fn without_task(&self) -> Work {
        let mut work = self.clone();
        work.told.task = Value::Null;
        work
    }

    /// Whether it goes on behind a kernel that took its process down: a lesson does.
    fn resumes(&self) -> bool {
        self.told.task.is_null()
    }

    /// Writes what it is told where its worker reads it.
    pub(crate) fn tell(&self, events: &EventsFile) -> Result<()> {
        let told = serde_json::to_vec(&self.told).map_err(std::io::Error::from)?;
        let file = events.beside(WORK);
        fs::write(&file, told).map_err(|error| Error::temporary(&file, &error))
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

    /// On the device of this number, by these drivers.
    pub(crate) fn on(&self, device: usize, environment: &Environment) -> Work {
        let mut work = self.clone();
        work.told.device = Some(device);
        work.environment.clone_from(environment);
        work
    }

    /// Its variables, and which drivers it finds.
    pub(crate) fn environment(&self) -> Environment {
        let own = self.environment.clone();
        match self.told.device {
            // Whoever chose it knows by which drivers.
            Some(_) => own,
            None => beside(own),
        }
    }
}

/// What this process was told first, if it is a worker.
fn told() -> &'static Told {
    static TOLD: OnceLock<Told> = OnceLock::new();
    TOLD.get_or_init(told_now)
}

fn told_now() -> Told {
    let text = events::folder().and_then(|folder| fs::read(folder.join(WORK)).ok());
    let told = text.and_then(|text| serde_json::from_slice(&text).ok());
    told.unwrap_or_default()
}

/// The worker's side: the number of the device that it must use, if one is chosen.
pub fn device() -> Option<String> {
    told().device.map(|device| device.to_string())
}

/// The worker's side: whether its watcher tells what it comes to.
pub fn is_heard() -> bool {
    told().is_heard
}

/// The worker's side: its tasks, one after the other; null where its arguments say all. Behind
/// each that is asked for, the one before it is done, and all was right.
pub fn tasks() -> impl Iterator<Item = Value> {
    let more = told().stays.then(staff::orders).into_iter().flatten();
    let more = more.map(|()| told_now().task);
    std::iter::once_with(|| told().task.clone()).chain(more)
}

/// What a worker came to.
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
    pub(crate) fn of(status: u8, file: &EventsFile) -> Ended {
        let mut ended = Ended { status, ..Ended::default() };
        let events = file.read();
        let stage = events::doing(&events);
        for event in events {
            match event {
                Event::Record(record, _) => ended.records.push(*record),
                Event::Answer(answer) => ended.answers.push(answer),
                Event::Failed(failure) => {
                    let stage = stage.clone();
                    ended.failure = Some(Failure { stage, ..failure });
                }
                _ => {}
            }
        }
        if ended.records.iter().any(|record| record.death().is_some()) {
            // However it ended.
            ended.status = ended.status.max(5);
        }
        let log = fs::read(file.beside(SIMULATOR_LOG)).unwrap_or_default();
        ended.log = plain(&String::from_utf8_lossy(&log));
        ended
    }
}

/// Runs a worker to its end, with another one after each kernel that took one down where the work
/// resumes, and once more where PoCL's cache may be at fault; `None`
/// when `pause` asked for an early end.
pub fn run(work: &Work, orders: &Orders, pause: Pause) -> Result<Option<Ended>> {
    let events = EventsFile::new()?;
    if work.told != Told::default() {
        work.tell(&events)?;
    }
    let mut environment = work.environment();
    let drivers_words = events.beside(DRIVERS_WORDS);
    let of_kernels = drivers_words.with_extension(OF_KERNELS);
    if std::env::var_os(LOG_VARIABLE).is_none() || work.told.is_heard {
        // Where it can be read: what a simulator reports is a row's failure.
        environment.insert(LOG_VARIABLE, events.beside(SIMULATOR_LOG).into());
    }
    environment.insert(WORDS_VARIABLE, drivers_words.clone().into());
    let terminal = Terminal::now();
    loop {
        let mut child = start(work, &environment, &events)?;
        let end = wait(&mut child, &events, orders.timeout, pause);
        let written = events.read();
        let on_stage = events::on_stage(&written);
        if !matches!(end, Ok(Some(End::Exit(_)))) && !work.told.is_heard {
            terminal.restore(on_stage);
            events.pass_on(&events.beside(PRINTED));
        }
        let death = match end? {
            None => return Ok(None),
            Some(End::Exit(status)) => return end_of(work, status, &events).map(Some),
            Some(End::Idle) => {
                let mut ended = Ended::of(0, &events);
                ended.idle = Some(Idle::new(child, events, work));
                return Ok(Some(ended));
            }
            Some(End::Died(death)) => death,
        };
        let dead = |told: common::told::Told| {
            Ok(Some(Ended {
                failure: Some(Failure::new(Kind::Died, told, death.stage.clone())),
                death: Some(death.clone()),
                ..Ended::of(5, &events)
            }))
        };
        if matches!(death.how, How::Stopped(_)) {
            return dead(death.told());
        }
        if !work.told.is_heard {
            events.pass_on(&of_kernels);
            events.pass_on(&drivers_words);
        }
        events.must_have_room()?;
        if on_stage {
            events.send(&Event::Stage(false))?;
        }
        // PoCL dies like this on a damaged file of its cache.
        let is_as_by_a_cache = matches!(death.how, How::Signal(6 | 7) | How::Device(_));
        if let Some(lost) = resume::lost_in(&written, &death) {
            events.send(&lost)?;
        } else if is_as_by_a_cache && may_be_damaged(&environment, &written) {
            leave_out_cache(&mut environment);
            if work.resumes() && resume::is_in_a_kernel(&written) {
                // The new worker is not to be judged by the last word of the old one.
                events.send(&Event::Doing(Stage::StartingAgain(None)))?;
            } else {
                events.clear();
            }
        } else if let (true, Some(died)) = (work.resumes(), resume::died_in(&written, &death)) {
            died.iter().try_for_each(|event| events.send(event))?;
        } else {
            return dead(resume::after_earlier_deaths(&written, &death));
        }
    }
}

/// Runs a worker to its end, whatever happens meanwhile.
///
/// # Errors
/// When it cannot be started, or somebody ended it: then nothing is known.
pub fn finish(work: &Work, orders: &Orders) -> Result<Ended> {
    let ended = run(work, orders, &mut patient)?.unwrap_or_default();
    match &ended.death {
        Some(death) if matches!(death.how, How::Stopped(_)) => Err(Error::Died(death.to_string())),
        _ => Ok(ended),
    }
}

/// Of a worker that ended by itself. One that was heard, and has told no error, may have printed it:
/// its arguments make no sense, or it panicked.
fn end_of(work: &Work, status: u8, events: &EventsFile) -> Result<Ended> {
    let mut ended = Ended::of(status, events);
    let found_none = |failure: &Failure| matches!(failure.kind, Kind::NoDevice);
    if ended.failure.as_ref().is_some_and(found_none) {
        forget_drivers();
    }
    if work.told.is_heard && status > 1 && ended.failure.is_none() && ended.records.is_empty() {
        const LONGEST: u64 = 1 << 16;
        let said = file::read(&events.beside(SAID), LONGEST).unwrap_or_default();
        ended.failure = Some(Failure::new(
            Kind::Ended(status),
            plain(String::from_utf8_lossy(&said).trim()),
            Stage::Starting,
        ));
    }
    Ok(ended)
}

fn start(work: &Work, environment: &Environment, events: &EventsFile) -> Result<Child> {
    let mut command = Command::new(&work.program);
    if work.has_large_stack {
        // A shell becomes the program; where it may not have so much, with what it has.
        command = Command::new("sh");
        command.args(["-c", "ulimit -s 1048576; exec \"$0\" \"$@\""]);
        command.arg(&work.program);
    }
    let folder = events.path.parent().unwrap_or(Path::new("."));
    command.args(&work.args).env(WORK_VARIABLE, folder).envs(environment);
    if work.told.is_heard {
        let said = File::create(events.beside(SAID))?;
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(said);
    }
    if work.told.stays {
        // The thread that starts it may end before it.
        command.stdin(Stdio::piped());
    } else {
        end_with_us(&mut command);
    }
    let child = command.spawn();
    child.map_err(|error| Error::file(&work.program, not_started(&error)))
}

fn not_started(error: &std::io::Error) -> String {
    let limits = ulimits_in_words();
    // No more files, or no more processes.
    let is_refused = error.kind() != ErrorKind::NotFound && !limits.is_empty();
    let advice = if is_refused {
        format!("likely cause: a limit that is set here: {limits}\n  next: raise it")
    } else {
        "likely cause: it was rebuilt while it ran, and nothing is wrong with your file\n  \
         next: the same command once more"
            .into()
    };
    format!("it cannot be started again ({error})\n  {advice}")
}
