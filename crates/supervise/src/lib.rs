//! A lesson runs in a child process, so that a kernel that crashes or hangs
//! takes down the child and not the course. The parent names the kernel.
//!
//! # Layout
//!
//! - [`events`] is what the child tells the parent: a file of JSON lines, one for each
//!   thing begun and each result.
//! - `child` starts one and waits for its end; `obituary` says how it died.
//! - [`resume`] is what the next child needs not measure again.
//! - [`cache`] is what PoCL's cache has to do with a death.
//! - `probe` asks a process which devices it sees; `side_by_side` is what
//!   `--all-devices` ends with; `terminal` is the terminal after a death.
//! - [`watch`] is the parent in a loop: the lesson again after every save.

pub mod cache;
mod child;
pub mod events;
mod obituary;
mod probe;
pub mod resume;
mod side_by_side;
mod terminal;
pub mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use colored::Colorize;
use common::device::{self, ICD_VARIABLE};
use common::error::{Error, Result};
use common::record::Record;
use common::source::workspace;

use child::End;
use events::{EVENTS_VARIABLE, Event, Sender};
use side_by_side::side_by_side;
use terminal::Terminal;

pub use cache::CACHE_VARIABLE;
pub use obituary::{cause_of_death, was_stopped};
pub use probe::{answer_probe, devices};
pub use terminal::clear_line;

/// Set by the parent to the number of the device that the child must use.
pub const CHILD_DEVICE_VARIABLE: &str = "OPENCL_COURSE_CHILD_DEVICE";
/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
pub const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";
/// Set to ask a lesson only which devices it sees: a label on each line.
pub const PROBE_VARIABLE: &str = "OPENCL_COURSE_PROBE";
/// opencl3 loads the library that this variable names, if it can.
pub const LIBRARY_VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// The environment as it was before OpenCL was loaded.
static ENVIRONMENT: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// Keeps the environment as it is now. To be called before OpenCL is loaded: a
/// loader was seen to cut OCL_ICD_FILENAMES in pieces where it stands, so that
/// processes started later inherit the first piece alone, and lack a driver.
pub fn remember_environment() {
    ENVIRONMENT.get_or_init(|| std::env::vars_os().collect());
}

/// The environment to give to a process that is started after OpenCL was loaded.
pub fn environment_at_start() -> impl Iterator<Item = (OsString, OsString)> {
    ENVIRONMENT
        .get_or_init(|| std::env::vars_os().collect())
        .iter()
        .cloned()
}

/// True in a child.
pub fn is_child() -> bool {
    std::env::var_os(EVENTS_VARIABLE).is_some()
}

/// The device that the parent has chosen for this child, if it has.
pub fn device_of_child() -> Option<String> {
    std::env::var(CHILD_DEVICE_VARIABLE).ok()
}

/// True in a child that is only asked whether there is a device.
pub fn is_probe() -> bool {
    std::env::var_os(PROBE_VARIABLE).is_some()
}

/// A lesson that came to its end, by itself.
#[derive(Default)]
pub struct Ended {
    /// Its exit status; the largest of all devices'.
    pub status: u8,
    /// Its results.
    pub records: Vec<Record>,
}

/// Variables that are set for the child.
pub type Environment = Vec<(&'static str, OsString)>;

/// Waits for at most so long; true when the lesson is to be ended at once.
pub type Pause<'a> = &'a mut dyn FnMut(Duration) -> bool;

/// A [`Pause`] for whoever asks for no early end.
pub fn sleep(time: Duration) -> bool {
    std::thread::sleep(time);
    false
}

/// What the learner asked of the parent.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// How long one launch or build may take.
    pub timeout: Duration,
    /// Whether the lesson runs on every device.
    pub all_devices: bool,
    /// Whether it prints JSON, and so no table for people.
    pub json: bool,
}

/// An error on standard error, with the next thing to try.
pub fn complain(error: &Error) {
    text::show_error(format!("{} {}", "error:".red().bold(), error.with_hint()));
}

/// Runs this very command again as a child, and watches it; with
/// `--all-devices` once for each device, then prints them side by side.
/// `None` when `pause` asked for an early end.
///
/// # Errors
/// [`Error::Died`] when the child crashed or hung.
pub fn run(orders: &Orders, environment: &Environment, pause: Pause) -> Result<Option<Ended>> {
    if !orders.all_devices {
        return watch(orders, environment.clone(), pause);
    }
    let mut results = Vec::new();
    let mut worst = 0;
    let labels = labels(environment);
    if labels.is_empty() {
        // For the error that says what is missing.
        device::list()?;
    }
    for (index, label) in labels.into_iter().enumerate() {
        let mut environment = environment.clone();
        environment.push((CHILD_DEVICE_VARIABLE, index.to_string().into()));
        let ended = match watch(orders, environment, pause) {
            Ok(Some(ended)) => ended,
            Ok(None) => return Ok(None),
            Err(error) => {
                complain(&error);
                Ended {
                    status: error.status(),
                    records: Vec::new(),
                }
            }
        };
        worst = worst.max(ended.status);
        results.push((label, ended.records));
    }
    if !orders.json {
        println_quietly(&side_by_side(&results));
    }
    Ok(Some(Ended {
        status: worst,
        records: results
            .into_iter()
            .flat_map(|(_, records)| records)
            .collect(),
    }))
}

/// Runs the lesson to its end: with another child after each kernel that took one
/// down, and once more where the driver's cache was at fault.
fn watch(orders: &Orders, mut environment: Environment, pause: Pause) -> Result<Option<Ended>> {
    let events = EventsFile::new();
    let terminal = Terminal::now();
    let mut cached = true;
    loop {
        let Some(end) = child::run(orders.timeout, &environment, &events.0, pause)? else {
            return Ok(None);
        };
        let how = match end {
            End::Exit(status) => return Ok(Some(ended(status, &events.0))),
            End::Died(how) => how,
        };
        terminal.restore();
        if let Some(file) = cached.then(cache::damaged_file).flatten() {
            eprintln!("\n{}", cache::message(&file));
            environment.push((cache::CACHE_VARIABLE, "0".into()));
            cached = false;
            match resume::is_in_a_kernel(&events.0) {
                // The new child is not to be judged by the last word of the old one.
                true => Sender::to(&events.0)?.send(&Event::Doing("starting again".into()))?,
                false => events.clear(),
            }
        } else if !resume::note_death(&events.0, &how)? {
            return Err(Error::Died(resume::after_earlier_deaths(&events.0, how)));
        }
    }
}

/// What the lesson came to; a kernel that died is a failure, however it ended.
fn ended(status: u8, events: &Path) -> Ended {
    let records: Vec<Record> = events::read(events)
        .into_iter()
        .filter_map(|event| match event {
            Event::Record(value) => serde_json::from_value(value).ok(),
            _ => None,
        })
        .collect();
    let died = records.iter().any(|record| record.died.is_some());
    let status = if died {
        status.max(Error::Died(String::new()).status())
    } else {
        status
    };
    Ended { status, records }
}

/// The child's side: it is not to run on without anybody who watches it, whoever ends
/// the parent and how. Only Linux can be asked for that.
pub fn end_with_the_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        // Where the system refuses, it is as it is elsewhere.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}

/// The child's side: the device failed. The parent goes on with the next kernel, or
/// says why not.
fn tell_failure(error: &Error) {
    let told = Sender::from_environment()
        .and_then(|mut parent| parent.send(&Event::Failed(error.with_hint())));
    if told.is_err() {
        complain(error);
    }
}

/// The exit status of a parent or a child; what went wrong is told.
pub fn status_of(result: Result<u8>) -> u8 {
    let error = match result {
        Ok(status) => return status,
        Err(error) => error,
    };
    match &error {
        _ if error.is_closed_pipe() => return 0,
        Error::Asked(_) => {}
        Error::OpenCl { .. } if is_child() => tell_failure(&error),
        _ => complain(&error),
    }
    error.status()
}

/// An environment variable, and the value that makes a driver of the workspace
/// visible.
pub type Fallback = (&'static str, PathBuf);

/// What `./setup` put into the workspace, where the system itself offers no
/// device and the learner has not chosen drivers by these variables: ICD files
/// for drivers that are installed but not announced, or a CPU driver. A program
/// that asks must answer the probe ([`answer_probe`]), since it is itself asked.
pub fn fallback_driver() -> Option<Fallback> {
    let folder = workspace().join(".opencl");
    let fallbacks = [
        (ICD_VARIABLE, folder.join("vendors")),
        (LIBRARY_VARIABLE, folder.join("intel/libintelocl.so")),
    ];
    let chosen = fallbacks
        .iter()
        .any(|(variable, _)| std::env::var_os(variable).is_some());
    if chosen || !folder.is_dir() || !labels(&Environment::new()).is_empty() {
        return None;
    }
    fallbacks.into_iter().find(|(variable, path)| {
        let environment = vec![(*variable, path.into())];
        path.exists() && !labels(&environment).is_empty()
    })
}

/// What a child finds in its environment besides ours: [`fallback_driver`], and
/// each thread of PoCL on a core of its own.
pub fn environment() -> Environment {
    let fallback = fallback_driver().map(|(variable, path)| (variable, path.into()));
    fallback.into_iter().chain(thread_per_core()).collect()
}

/// Where the system places the threads, two of PoCL's may share a core for a whole
/// launch of less than a millisecond while another core is idle, and the kernel
/// takes twice as long. Who has set one of these variables knows better.
fn thread_per_core() -> Option<(&'static str, OsString)> {
    let chosen = ["POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT"];
    let is_chosen = chosen.iter().any(|name| std::env::var_os(name).is_some());
    (!is_chosen).then(|| ("POCL_AFFINITY", "1".into()))
}

/// The labels of the devices, as a child of ours sees them.
fn labels(environment: &Environment) -> Vec<String> {
    let this = std::env::current_exe();
    this.map_or_else(|_| Vec::new(), |this| devices(&this, environment))
}

/// A file for events that goes away with its owner. Ctrl-C ends the owner at once, so
/// the next one clears away what is older than any lesson.
struct EventsFile(PathBuf);

impl EventsFile {
    const BEGIN: &str = "opencl-course-events-";

    fn new() -> EventsFile {
        let folder = std::env::temp_dir();
        EventsFile::clear_old(&folder);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{}{}-{}.jsonl",
            EventsFile::BEGIN,
            std::process::id(),
            now.map_or(0, |now| now.as_nanos())
        );
        EventsFile(folder.join(name))
    }

    fn clear_old(folder: &Path) {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_ours = name.to_string_lossy().starts_with(EventsFile::BEGIN);
            let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
            if is_ours && age().is_some_and(|age| age > DAY) {
                // Another may have been quicker.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Forgets what was written.
    fn clear(&self) {
        // Nothing to do about a file that cannot be removed from a temporary folder.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Drop for EventsFile {
    fn drop(&mut self) {
        self.clear();
    }
}

fn println_quietly(text: &str) {
    use std::io::Write;
    // A reader that has gone away is no error.
    let _ = writeln!(std::io::stdout(), "{text}");
}
