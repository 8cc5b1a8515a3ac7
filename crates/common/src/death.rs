//! How a process came to its end that did not come to it by itself: what happened, what it was
//! doing, and who may be to blame for that.

#[cfg(all(test, unix))]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use verify::numbers::count;

use crate::codes::Told;
use crate::command;
use crate::device::pocl::{CLEAR_CACHE, may_be_damaged};
use crate::host::ulimits_in_words;
use crate::stage::{Stage, Whose};

/// How a process died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// What happened.
    pub how: How,
    /// What it was doing.
    pub stage: Stage,
}

/// What happened to a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It crashed.
    Signal(i32),
    /// Something called exit(), and it was not the course.
    Exited(i32),
    /// It was ended, since it had begun nothing new for so long.
    NoEnd {
        /// How long that was.
        limit: Duration,
    },
    /// The device failed, and with it the process, which told how.
    Device(Told),
    /// Somebody ended it.
    Stopped(i32),
}

impl How {
    /// How a process ended that has not said that it would.
    pub fn of(status: ExitStatus) -> How {
        const HUP_INT_QUIT_TERM: [i32; 4] = [1, 2, 3, 15];
        match signal(status) {
            Some(signal) if HUP_INT_QUIT_TERM.contains(&signal) => How::Stopped(signal),
            Some(signal) => How::Signal(signal),
            None => How::Exited(status.code().unwrap_or_default()),
        }
    }

    /// In few words: "signal 11, SIGSEGV: bad memory access".
    pub fn in_short(&self) -> String {
        match self {
            How::Signal(signal) | How::Stopped(signal) => named(*signal),
            How::Exited(status) => format!("exit status: {status}"),
            How::NoEnd { limit } => format!("no end after {} s", limit.as_secs()),
            How::Device(told) => told.happened.clone(),
        }
    }
}

impl Death {
    /// Whose kernel was at work: none where it is not known, or somebody ended the process.
    pub fn whose(&self) -> Option<Whose> {
        match self.stage {
            _ if matches!(self.how, How::Stopped(_)) => None,
            Stage::Filling => Some(Whose::Fill),
            _ => self.stage.whose(),
        }
    }

    /// Whether it was ended because it did not end.
    pub fn is_hang(&self) -> bool {
        matches!(self.how, How::NoEnd { .. })
    }

    /// What people are told of it.
    pub fn told(&self) -> Told {
        let (how, stage) = (self.how.in_short(), &self.stage);
        let (happened, cause, next) = match &self.how {
            How::Device(told) => return told.clone(),
            How::Stopped(_) => {
                let why = "nothing is wrong with the kernel";
                let happened =
                    format!("the process was ended from outside ({how}) while {stage}: {why}");
                (happened, None, "the same command once more".into())
            }
            How::NoEnd { limit } => {
                let limit = count(limit.as_secs() as usize, "second");
                let happened = format!("no end after {limit} while {stage}; the process was ended");
                let (cause, next) = self.likely();
                (happened, Some(cause.into()), next)
            }
            How::Signal(_) | How::Exited(_) => {
                let (cause, mut next) = self.likely();
                if let How::Signal(signal) = self.how
                    && may_be_damaged(signal)
                {
                    next += &format!("; if right kernels die, too: {CLEAR_CACHE}");
                }
                // It may have been one of the limits that this process runs under.
                let limits = match ulimits_in_words() {
                    limits if limits.is_empty() || matches!(self.how, How::Exited(_)) => {
                        String::new()
                    }
                    limits => format!("; or a limit that is set here: {limits}"),
                };
                let happened = format!("the process died ({how}) while {stage}");
                (happened, Some(format!("{cause}{limits}")), next)
            }
        };
        let next = Some(next);
        Told { happened, cause, next }
    }

    /// The likely cause of a crash or a hang, and what to do next.
    fn likely(&self) -> (&'static str, String) {
        let is_building = self.stage.is_building();
        match self.how {
            How::NoEnd { .. } if is_building || self.stage.is_in_a_kernel() => (
                "an endless loop, or a barrier that not every item of a group reaches",
                "look at the kernel's loops and barriers; if the kernel is only slow, use a smaller \
                 --size or a longer --timeout".into(),
            ),
            How::NoEnd { .. } => (
                "the driver hangs, and no kernel of yours was running; or the machine is very busy",
                format!("a longer --timeout; {}   asks each driver by itself", doctor()),
            ),
            How::Signal(9) => (
                "it was killed, possibly out of memory",
                "a smaller --size, if memory is short: `free -h` shows it, and `dmesg` who was ended".into(),
            ),
            How::Signal(24 | 25) => (
                "a limit of this system",
                "raise the limit (`ulimit -a` shows all of them), or use a smaller --size".into(),
            ),
            How::Signal(_) if is_building => (
                "the driver's compiler failed, for example on a function that calls itself, or on \
                 a barrier that only some items reach",
                "take away what was written last; another driver may say what is wrong with it".into(),
            ),
            How::Signal(_) if self.stage.is_in_a_kernel() => (
                "the kernel read or wrote outside its buffers, asked for more private or local \
                 memory than there is, or the driver's compiler failed",
                format!(
                    "{}   names the line of a bad access; if every kernel dies: {}",
                    command::course("inspect FILE --only KERNEL"),
                    doctor()
                ),
            ),
            How::Signal(_) => (
                "the driver failed, and no kernel of yours was running",
                format!("{}   says what of this machine the drivers can use", doctor()),
            ),
            _ => (
                "something called exit(), which the course does not do here: a driver that gave up, \
                 on a full disk or a folder that it cannot write for example; its own words stand \
                 above, if it had any",
                format!("{}   looks at the driver and at its folders", doctor()),
            ),
        }
    }
}

impl Display for Death {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.told().fmt(f)
    }
}

fn doctor() -> String {
    command::course("doctor")
}

/// A signal by its number and name, in words.
fn named(signal: i32) -> String {
    let begin = format!("{signal} ");
    let mut signals = include_str!("signals.txt").lines();
    let name = signals.find_map(|line| line.strip_prefix(&begin));
    let name = name.unwrap_or("a signal");
    format!("signal {signal}, {name}")
}

/// The signal that ended a process, where the system has signals.
fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = status.code().and(None);
    signal
}
