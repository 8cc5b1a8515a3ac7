//! What a process of the course does at a moment. Whoever watches it reads from that who is to
//! blame for its end, and how long it may take; people read the words.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
    /// Its result is read and checked.
    Checking {
        /// Its name.
        kernel: String,
    },
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
        let (file, of) = (file.to_string(), Whose::Own);
        Stage::Building { file, of }
    }

    /// The kernel that is meant runs.
    pub fn running(kernel: impl Into<String>) -> Stage {
        let (kernel, of) = (kernel.into(), Whose::Own);
        Stage::Running { kernel, of }
    }

    /// Whether a kernel of the learner's runs, or what it left is looked at. Devices, uploads and
    /// the course's own probes are the driver's.
    pub fn is_in_a_kernel(&self) -> bool {
        use Stage::*;
        matches!(self, Running { .. } | Checking { .. } | Timing { .. })
    }

    /// How long it may take, where one launch may take so long.
    pub fn limit(&self, launch: Duration) -> Duration {
        use Stage::*;
        match self {
            Starting | StartingAgain(_) | Loading => Duration::from_secs(60),
            Limits => launch.max(Duration::from_secs(60)),
            // That is the course's own work.
            Filling | Uploading => 20 * launch,
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
            Stage::Checking { kernel } => write!(f, "checking {kernel}"),
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
