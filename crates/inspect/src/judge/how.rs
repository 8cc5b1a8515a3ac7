//! How a file is checked, and what came of it.

use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, FromArgMatches};
use diagnostics::terminal::show_error;
use watchdog::staff::Staff;

use crate::judge::{Detection, Observation};

/// Seconds after which a launch is ended, unless the learner says otherwise.
pub const TIMEOUT: u64 = 20;

/// The largest seed: one that is quickly typed.
pub const SEEDS: u64 = 99_999;

/// Another one each time, so that no kernel can be right for a known one only.
fn new_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) / 7 % SEEDS)
}

/// How a kernel is run.
#[derive(Clone, Args)]
pub struct How {
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(short, long, value_name = "SELECTOR")]
    pub device: Option<String>,
    /// End a launch that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: u64,
    /// Draw from this seed what is new in each check: the numbers, and the size where no task
    /// file says it [default: a new seed]
    #[arg(long, value_name = "NUMBER", default_value_t = new_seed(), hide_default_value = true, value_parser = clap::value_parser!(u64).range(..=SEEDS))]
    pub seed: u64,
    /// Time nothing, so that no speed is judged: for a machine that is busy
    #[arg(long)]
    pub no_timing: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Show a failed build's log in the driver's own words
    #[arg(long)]
    pub raw_log: bool,
    /// Workers that stay for the next kernel
    #[arg(skip)]
    pub staff: Staff,
}

impl Default for How {
    fn default() -> How {
        let none = How::augment_args(clap::Command::new("")).get_matches_from([""]);
        How::from_arg_matches(&none).expect("each flag has a default")
    }
}

impl How {
    /// The flags that say the same.
    pub fn flags(&self) -> Vec<String> {
        let timeout = ["--timeout".to_string(), self.timeout.to_string()];
        let device = self.device.iter().flat_map(|one| ["--device".to_string(), one.clone()]);
        let rest = [("--no-timing", self.no_timing), ("--raw-log", self.raw_log)];
        let rest = rest.into_iter().filter(|one| one.1).map(|one| one.0.into());
        timeout.into_iter().chain(device).chain(rest).collect()
    }
}

/// What all checks together saw.
pub struct Seen {
    /// In the order in which they are to be read; the first is the device's result.
    pub observations: Vec<Observation>,
    /// As the process on the device ended: 0 right, 1 wrong, 3 no device, 4 no build, 5
    /// device failed.
    pub status: u8,
    /// That process's own message.
    pub message: String,
}

impl Seen {
    /// Tells why nothing ran on the device, where that is so.
    pub fn tell_why_not(&self) {
        let first = self.observations.first();
        let has_run = first.is_some_and(|first| first.outcome != Detection::NotRun);
        if !has_run && !self.message.is_empty() {
            show_error("", &self.message);
        }
    }
}
