//! A lesson runs in a child process, so that a kernel that crashes or hangs
//! takes down the child and not the course. The parent names the kernel.
//!
//! # Layout
//!
//! - [`events`] is what the child tells the parent: a file of JSON lines, one for each
//!   thing begun and each result; `events_file` is where it lies.
//! - `child` starts one and waits for its end; `obituary` says how it died, and under
//!   which `limits` of the system.
//! - [`resume`] is what the next child needs not measure again.
//! - [`cache`] is what PoCL's cache has to do with a death, `drawings` what PoCL leaves behind.
//! - `bound` is what no process of the course outlives: its parent.
//! - `ask` is a question to another process, `devices` the one which devices it sees;
//!   `fallback` is the driver that `./setup` fetched.
//! - `all_devices` runs the lesson once for each of them; `terminal` is the terminal
//!   after a death.
//! - [`stage`] is where a lesson is that shows itself on a screen of its own; `signals`
//!   are what ends it from outside.
//! - [`watch`] is the parent in a loop: the lesson again after every save.

mod all_devices;
mod ask;
mod bound;
pub mod cache;
mod child;
mod devices;
mod drawings;
pub mod events;
mod events_file;
mod fallback;
mod limits;
mod obituary;
pub mod resume;
mod signals;
pub mod stage;
mod terminal;
pub mod watch;

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use colored::Colorize;
use common::error::{Error, Result};
use common::program::words;
use common::record::Record;
use common::simulator::LOG_VARIABLE;
use common::threads;
use text::aside;

use child::End;
use drawings::Drawings;
use events::{EVENTS_VARIABLE, Event, Sender};
use events_file::EventsFile;
use terminal::Terminal;

pub use ask::{ask, messages};
pub use bound::{end_group, end_with_us, in_a_group, this_program};
pub use cache::CACHE_VARIABLE;
pub use devices::{answer_probe, devices};
pub use fallback::fallback_driver;
pub use obituary::{cause_of_death, was_stopped};
pub use signals::Signals;
pub use terminal::clear_line;

/// Set by the parent to the number of the device that the child must use.
pub const CHILD_DEVICE_VARIABLE: &str = "OPENCL_COURSE_CHILD_DEVICE";
/// Set by a parent that has run the same child before, to the device's limits that
/// were measured then.
pub const LIMITS_VARIABLE: &str = "OPENCL_COURSE_LIMITS";
/// Set to ask a lesson only which devices it sees: a label on each line.
pub const PROBE_VARIABLE: &str = "OPENCL_COURSE_PROBE";
/// Set by who reads a simulator's log by himself: a lesson then tells its results alone.
pub const LOG_IS_READ_VARIABLE: &str = "OPENCL_COURSE_LOG_IS_READ";
/// opencl3 loads the library that this variable names, if it can.
pub const LIBRARY_VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// The environment as it was before OpenCL was loaded.
static ENVIRONMENT: LazyLock<Vec<(OsString, OsString)>> =
    LazyLock::new(|| std::env::vars_os().collect());

/// Keeps the environment as it is now. To be called before OpenCL is loaded: a
/// loader was seen to cut OCL_ICD_FILENAMES in pieces where it stands, so that
/// processes started later inherit the first piece alone, and lack a driver.
pub fn remember_environment() {
    LazyLock::force(&ENVIRONMENT);
}

/// The environment to give to a process that is started after OpenCL was loaded.
pub fn environment_at_start() -> impl Iterator<Item = (OsString, OsString)> {
    ENVIRONMENT.iter().cloned()
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

/// What the learner asked of the parent.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// How long one launch or build may take.
    pub timeout: Duration,
    /// Whether the lesson runs on every device.
    pub all_devices: bool,
    /// Whether it prints JSON, and so no table for people.
    pub json: bool,
    /// Whether it may take the whole terminal: then that is given back, whatever ends us.
    pub on_stage: bool,
}

/// An error on standard error, with the next thing to try.
pub fn complain(error: &Error) {
    text::show_error(format!("{} {}", "error:".red().bold(), error.with_hint()));
}

/// Runs this very command again as a child, watches it to its end, and gives its exit
/// status.
///
/// # Errors
/// [`Error::Died`] when the child crashed or hung.
pub fn run(orders: &Orders) -> Result<u8> {
    let signals = orders.on_stage.then(Signals::heard).unwrap_or_default();
    let mut sleep = |time| {
        std::thread::sleep(time);
        signals.came()
    };
    let ended = run_until(orders, environment(), &mut sleep);
    signals.obey();
    Ok(ended?.unwrap_or_default().status)
}

/// The same, with `--all-devices` once for each device; `None` when `pause` asked for an
/// early end.
fn run_until(orders: &Orders, environment: Environment, pause: Pause) -> Result<Option<Ended>> {
    if orders.all_devices {
        all_devices::run(orders, &environment, pause)
    } else {
        watch(orders, environment, pause)
    }
}

/// Runs the lesson to its end: with another child after each kernel that took one
/// down, and once more where the driver's cache was at fault.
fn watch(orders: &Orders, mut environment: Environment, pause: Pause) -> Result<Option<Ended>> {
    let events = EventsFile::new()?;
    if std::env::var_os(LOG_VARIABLE).is_none() {
        // Where the lesson can read it: what a simulator reports is a row's failure.
        environment.push((LOG_VARIABLE, events.simulator_log().into()));
    }
    environment.push((words::VARIABLE, events.drivers_words().into()));
    let terminal = Terminal::now();
    let _drawings = Drawings::new(Path::new("."));
    let mut cached = true;
    loop {
        let end = child::run(orders.timeout, &environment, &events.path, pause);
        let on_stage = stage::is_on(&events.path);
        if !matches!(end, Ok(Some(End::Exit(_)))) {
            terminal.restore(on_stage);
        }
        let how = match end? {
            None => return Ok(None),
            Some(End::Exit(status)) => return Ok(Some(ended(status, &events.path))),
            Some(End::Died(how)) => how,
        };
        events.tell_drivers_words();
        events.must_have_room()?;
        if on_stage {
            Sender::to(&events.path)?.send(&Event::Stage(None))?;
        }
        if let Some(file) = cached.then(cache::damaged_file).flatten() {
            aside!("\n{}", cache::message(&file));
            environment.push((CACHE_VARIABLE, "0".into()));
            cached = false;
            if resume::is_in_a_kernel(&events.path) {
                // The new child is not to be judged by the last word of the old one.
                Sender::to(&events.path)?.send(&Event::Doing("starting again".into()))?;
            } else {
                events.clear();
            }
        } else if !resume::note_death(&events.path, &how)? {
            return Err(Error::Died(resume::after_earlier_deaths(&events.path, how)));
        }
    }
}

/// What the lesson came to; a kernel that died is a failure, however it ended.
fn ended(status: u8, events: &Path) -> Ended {
    let records = events::read(events).into_iter();
    let records = records.filter_map(|event| match event {
        Event::Record(record) => Some(*record),
        _ => None,
    });
    let records: Vec<Record> = records.collect();
    let deaths = records.iter().filter_map(|record| record.died.clone());
    let status = deaths
        .map(|how| Error::Died(how).status())
        .fold(status, u8::max);
    Ended { status, records }
}

/// The child's side: all is done and said, with this status, and the driver's own end may
/// come.
pub fn leave(status: u8) {
    // If the parent cannot be told, it says that the process died, which is half true.
    let _ = Sender::from_environment().and_then(|mut parent| parent.send(&Event::Leaving(status)));
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

/// What a child finds in its environment besides ours: [`fallback_driver`],
/// each thread of PoCL on a core of its own, and as many threads as there are.
pub fn environment() -> Environment {
    let fallback = fallback_driver().map(|(variable, path)| (variable, path.into()));
    let all = fallback.into_iter().chain(thread_per_core());
    all.chain(without_threads()).collect()
}

/// The crate matrixmultiply panics where it gets no threads; so it is to use none there.
fn without_threads() -> Option<(&'static str, OsString)> {
    // Those of a driver, and its own.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let given = threads::are_given(2 * cores + 8);
    (!given).then(|| ("MATMUL_NUM_THREADS", "1".into()))
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

fn println_quietly(text: &str) {
    use std::io::Write;
    // A reader that has gone away is no error.
    let _ = writeln!(std::io::stdout(), "{text}");
}
