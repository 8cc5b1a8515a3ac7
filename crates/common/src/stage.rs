//! What a process of the course does at a moment, and how it came to its end where it did not come
//! to it by itself. Whoever watches it reads from that who is to blame, and how long it may take;
//! people read the words.

#[cfg(all(test, unix))]
mod tests;

use std::fmt::{self, Display, Formatter};
use std::{process::ExitStatus, time::Duration};

use serde::{Deserialize, Serialize};

use crate::device::drivers::{CLEAR_POCL_CACHE, pocl_cache_may_be_damaged};
use crate::{command, failure::Told, host::ulimits_in_words};

/// What is being done; Display makes the words, as "timing matmul_naive, run 3".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nothing yet.
    #[default]
    Starting,
    /// Nothing yet, in a process that goes on for another that died of this kernel.
    StartingAgain(String),
    /// Drivers are loaded.
    Loading,
    /// The device's own limits are measured, by kernels of the course.
    Limits,
    /// The host fills buffers.
    Filling,
    /// Inputs go to the device.
    Uploading,
    /// A driver compiles.
    Building {
        /// The kernel file, or what else is built.
        file: String,
        /// Whose it is.
        of: Whose,
    },
    /// A kernel runs.
    Running {
        /// Its name, or its file's.
        kernel: String,
        /// Whose it is.
        of: Whose,
    },
    /// The result of the kernel of this name is read and checked.
    Checking(String),
    /// It runs again and again.
    Timing {
        /// Its name.
        kernel: String,
        /// The run; none while it warms up.
        run: Option<usize>,
    },
    /// The host works, or what else the course does by itself, in words.
    Working(String),
}

/// Whose kernel is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The one that is measured or checked.
    Own,
    /// That which a result is held against.
    Reference,
    /// That which fills a buffer.
    Fill,
}

impl Stage {
    /// A driver compiles this file, for the kernel that is meant.
    pub fn building(file: impl Display) -> Stage {
        Stage::Building { file: file.to_string(), of: Whose::Own }
    }

    /// The kernel that is meant runs.
    pub fn running(kernel: impl Into<String>) -> Stage {
        Stage::Running { kernel: kernel.into(), of: Whose::Own }
    }

    /// How long it may take, where one launch may take so long.
    pub fn limit(&self, launch: Duration) -> Duration {
        const MINUTE: Duration = Duration::from_secs(60);
        match self {
            Stage::Starting | Stage::StartingAgain(_) | Stage::Loading => MINUTE,
            Stage::Limits => launch.max(MINUTE),
            // That is the course's own work.
            Stage::Filling | Stage::Uploading => 20 * launch,
            _ => launch,
        }
    }

    /// Whose kernel is built or run.
    pub fn whose(&self) -> Option<Whose> {
        match self {
            Stage::Building { of, .. } | Stage::Running { of, .. } => Some(*of),
            _ => None,
        }
    }

    /// Whether a driver's compiler is at work.
    pub fn is_building(&self) -> bool {
        matches!(self, Stage::Building { .. })
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Stage::Starting => f.write_str("starting"),
            Stage::StartingAgain(kernel) => write!(f, "starting again after {kernel}"),
            Stage::Loading => f.write_str("looking for devices"),
            Stage::Limits => f.write_str("measuring the device's own limits"),
            Stage::Filling => f.write_str("filling the buffers"),
            Stage::Uploading => f.write_str("uploading the matrices"),
            Stage::Building { file, of } => write!(f, "building {of}{file}"),
            Stage::Running { kernel, of } => write!(f, "running {of}{kernel}"),
            Stage::Checking(kernel) => write!(f, "checking {kernel}"),
            Stage::Timing { kernel, run } => {
                write!(f, "timing {kernel}")?;
                run.map_or(Ok(()), |run| write!(f, ", run {run}"))
            }
            Stage::Working(what) => f.write_str(what),
        }
    }
}

/// In front of the name: "the reference ".
impl Display for Whose {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Whose::Own => "",
            Whose::Reference => "the reference ",
            Whose::Fill => "the filling kernel ",
        })
    }
}

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
    NoEnd(Duration),
    /// The device failed, and with it the process, which told how.
    Device(Told),
    /// Somebody ended it.
    Stopped(i32),
}

impl How {
    /// How a process ended that has not said that it would.
    pub fn of(status: ExitStatus) -> How {
        const HUP_INT_QUIT_TERM: [i32; 4] = [1, 2, 3, 15];
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        match signal {
            Some(signal) if HUP_INT_QUIT_TERM.contains(&signal) => How::Stopped(signal),
            Some(signal) => How::Signal(signal),
            None => How::Exited(status.code().unwrap_or_default()),
        }
    }

    /// In few words: "signal 11, SIGSEGV: bad memory access".
    pub fn in_short(&self) -> String {
        match self {
            How::Signal(signal) | How::Stopped(signal) => {
                let mut names = include_str!("signals.txt").lines();
                let name = names.find_map(|line| line.strip_prefix(&format!("{signal} ")));
                format!("signal {signal}, {}", name.unwrap_or("a signal"))
            }
            How::Exited(status) => format!("exit status: {status}"),
            How::NoEnd(limit) => format!("no end after {} s", limit.as_secs()),
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
        matches!(self.how, How::NoEnd(_))
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
            How::NoEnd(limit) => {
                let limit = verify::numbers::count(limit.as_secs() as usize, "second");
                let happened = format!("no end after {limit} while {stage}; the process was ended");
                let (cause, next) = self.likely();
                (happened, Some(cause.into()), next)
            }
            How::Signal(_) | How::Exited(_) => {
                let (cause, mut next) = self.likely();
                let mut cause = cause.to_string();
                if let How::Signal(signal) = self.how {
                    if pocl_cache_may_be_damaged(signal) {
                        next += &format!("; if right kernels die, too: {CLEAR_POCL_CACHE}");
                    }
                    // It may have been one of the limits that this process runs under.
                    let limits = ulimits_in_words();
                    if !limits.is_empty() {
                        cause += &format!("; or a limit that is set here: {limits}");
                    }
                }
                (format!("the process died ({how}) while {stage}"), Some(cause), next)
            }
        };
        Told { happened, cause, next: Some(next) }
    }

    /// The likely cause of a crash or a hang, and what to do next.
    fn likely(&self) -> (&'static str, String) {
        use Stage::{Checking, Running, Timing};
        let is_building = self.stage.is_building();
        // Or what it left is looked at. All else is the driver's, the course's own probes, too.
        let is_in_a_kernel = matches!(self.stage, Running { .. } | Checking(_) | Timing { .. });
        let doctor = command::course("doctor");
        match self.how {
            How::NoEnd(_) if is_building || is_in_a_kernel => (
                "an endless loop, or a barrier that not every item of a group reaches",
                "look at the kernel's loops and barriers; if the kernel is only slow, use a smaller \
                 --size or a longer --timeout".into(),
            ),
            How::NoEnd(_) => (
                "the driver hangs, and no kernel of yours was running; or the machine is very busy",
                format!("a longer --timeout; {doctor}   asks each driver by itself"),
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
            How::Signal(_) if is_in_a_kernel => (
                "the kernel read or wrote outside its buffers, asked for more private or local \
                 memory than there is, or the driver's compiler failed",
                format!(
                    "{}   names the line of a bad access; if every kernel dies: {doctor}",
                    command::course("inspect FILE --only KERNEL"),
                ),
            ),
            How::Signal(_) => (
                "the driver failed, and no kernel of yours was running",
                format!("{doctor}   says what of this machine the drivers can use"),
            ),
            _ => (
                "something called exit(), which the course does not do here: a driver that gave up, \
                 on a full disk or a folder that it cannot write for example; its own words stand \
                 above, if it had any",
                format!("{doctor}   looks at the driver and at its folders"),
            ),
        }
    }
}

impl Display for Death {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.told().fmt(f)
    }
}
