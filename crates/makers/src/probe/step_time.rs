//! One figure: what a step of a probe took.

use common::numbers::significant;
use serde::{Deserialize, Serialize};
use text::aside;

/// What a step of a probe took.
#[derive(Debug, Serialize, Deserialize)]
pub struct StepTime {
    /// The kernel.
    pub probe: String,
    /// How it was launched: a size, a number of chains, who takes which branch.
    pub variant: String,
    /// Median time of a step, in nanoseconds.
    pub nanoseconds: f64,
    /// Bytes that all units together read in a step, where that is what counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Half the interquartile range, as a share of the median.
    pub spread: f64,
    pub runs: usize,
}

impl StepTime {
    /// What all units together read, in GB/s.
    pub fn rate(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.nanoseconds)
    }

    /// Tells it as soon as it is there: all of them take a minute.
    pub fn tell(&self) {
        let (probe, variant) = (&self.probe, &self.variant);
        let time = significant(self.nanoseconds);
        let rate = self.rate();
        let rate = rate.map(|rate| format!(", {} GB/s", significant(rate)));
        aside!("{probe} {variant}: {time} ns{}", rate.unwrap_or_default());
    }
}
