//! Processes of the course. A lesson runs in a child process, so that a kernel that crashes
//! or hangs takes down the child and not the course; the parent names the kernel.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - [`events`] is what the child tells the parent: a file of JSON lines, one for each
//!   thing begun and each result.
//! - `environment` has the variables by which a child knows what it is, and those that
//!   decide which drivers it finds; drivers that cannot be loaded, and a cache that may be
//!   damaged, are left out.
//! - `child` starts one and waits for its end.
//! - [`resume`] is what the next child needs not measure again.
//! - `ask` is a question to another process, which ends with this one.
//! - `all_devices` runs the lesson once for each device.
//! - `signals` are what ends a lesson from outside, and the terminal after that.
//! - [`watch`] is the parent in a loop: the lesson again after every save.
//! - [`lessons`] is the one list of them, `finished` what one left that ran as a child, and
//!   `status` the exit status of a program of the course.
//! - [`simulator`] is the OpenCL implementation that sees every access.
//! - [`devices`] are those that lesson 1 lists; [`machine`] is what this one tells of itself,
//!   [`packages`] how it gets what it lacks; [`peak`] measures a device's own limits.
//! - [`data`] is what is kept below `docs/data/`; [`scratch`] is for files that nobody needs later.

mod all_devices;
mod ask;
mod child;
pub mod data;
pub mod devices;
mod environment;
pub mod events;
mod finished;
pub mod lessons;
pub mod machine;
pub mod packages;
pub mod peak;
pub mod resume;
pub mod scratch;
mod signals;
pub mod simulator;
mod status;
pub mod watch;

use std::path::Path;
use std::time::Duration;

use common::death::How;
use common::error::{Error, Result};
use common::program::words;
use common::record::Record;
use common::simulator::LOG_VARIABLE;
use common::stage::Stage;

use child::End;
use environment::{leave_out_broken, leave_out_cache, may_be_damaged};
use events::{DRIVERS_WORDS, Event, EventsFile, PRINTED, SIMULATOR_LOG, Sender};
use signals::Terminal;

pub use ask::{ask, end_group, end_with_us, in_a_group, this_program};
pub use common::device::icd::LIBRARY_VARIABLE;
pub use environment::{
    Environment, LOG_IS_READ_VARIABLE, answer_probe, device_of_child, drivers_that_load,
    environment, fallback_driver, is_child, is_probe,
};
pub use finished::{Finished, Refused, child_status};
pub use signals::{Signals, clear_line};
pub use status::{complain, end, leave, status_of};

/// A lesson that came to its end, by itself.
#[derive(Default)]
pub struct Ended {
    /// Its exit status; the largest of all devices'.
    pub status: u8,
    /// Its results.
    pub records: Vec<Record>,
}

/// Waits for at most so long; true when the lesson is to be ended at once.
pub type Pause<'a> = &'a mut dyn FnMut(Duration) -> bool;

/// What the learner asked of the parent.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// How long one launch or build may take.
    pub timeout: Duration,
    /// Whether that is all the time that the whole child has.
    pub in_all: bool,
    /// Whether the lesson runs on every device.
    pub all_devices: bool,
    /// Whether it prints JSON, and so no table for people.
    pub json: bool,
    /// Whether it may take the whole terminal: then that is given back, whatever ends us.
    pub on_stage: bool,
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
        all_devices::run(orders, environment, pause)
    } else {
        on_one_device(orders, environment, pause)
    }
}

/// Runs the lesson to its end: with another child after each kernel that took one down, and
/// once more where a driver cannot be loaded, or its cache may be at fault.
fn on_one_device(
    orders: &Orders,
    mut environment: Environment,
    pause: Pause,
) -> Result<Option<Ended>> {
    let events = EventsFile::new()?;
    let drivers_words = events.beside(DRIVERS_WORDS);
    let of_kernels = drivers_words.with_extension(words::OF_KERNELS);
    if std::env::var_os(LOG_VARIABLE).is_none() {
        // Where the lesson can read it: what a simulator reports is a row's failure.
        environment.push((LOG_VARIABLE, events.beside(SIMULATOR_LOG).into()));
    }
    environment.push((words::VARIABLE, drivers_words.clone().into()));
    let terminal = Terminal::now();
    loop {
        let end = child::run(orders, &environment, &events.path, pause);
        let on_stage = events::on_stage(&events::read(&events.path));
        if !matches!(end, Ok(Some(End::Exit(_)))) {
            terminal.restore(on_stage);
            events.pass_on(&events.beside(PRINTED));
        }
        let death = match end? {
            None => return Ok(None),
            Some(End::Exit(status)) => return Ok(Some(ended(status, &events.path))),
            Some(End::Died(death)) => death,
        };
        if matches!(death.how, How::Stopped(_)) {
            return Err(Error::Died(death.to_string()));
        }
        events.pass_on(&of_kernels);
        events.pass_on(&drivers_words);
        events.must_have_room()?;
        if on_stage {
            Sender::to(&events.path)?.send(&Event::Stage(false))?;
        }
        if resume::note_loss(&events.path, &death)? {
            continue;
        }
        if death.stage == Stage::Loading && leave_out_broken(&mut environment) {
            events.clear();
        } else if death.is_as_by_a_cache()
            && may_be_damaged(&environment, &events::read(&events.path))
        {
            leave_out_cache(&mut environment);
            if resume::is_in_a_kernel(&events.path) {
                // The new child is not to be judged by the last word of the old one.
                Sender::to(&events.path)?.send(&Event::Doing(Stage::StartingAgain(None)))?;
            } else {
                events.clear();
            }
        } else if !resume::note_death(&events.path, &death)? {
            let how = resume::after_earlier_deaths(&events.path, &death);
            return Err(Error::Died(how));
        }
    }
}

/// What the lesson came to; a kernel that died is a failure, however it ended.
fn ended(status: u8, events: &Path) -> Ended {
    let events = events::read(events).into_iter();
    let records = events.filter_map(|event| match event {
        Event::Record(record) => Some(*record),
        _ => None,
    });
    let records: Vec<Record> = records.collect();
    let died = records.iter().any(|record| record.death().is_some());
    let of_death = if died {
        Error::Died(String::new()).status()
    } else {
        0
    };
    let status = status.max(of_death);
    Ended { status, records }
}
