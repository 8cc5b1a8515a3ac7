//! Measures what the parts of a device take, with the kernels of `kernels/machine.cl`,
//! and keeps it in `docs/data/machine/NAME.jsonl`: docs/latency.md shows it.
//!
//! `probe/tasks.rs` times and checks the launches, `expected.rs` computes what each must leave
//! behind.

mod expected;
mod tasks;

use std::rc::Rc;

use anyhow::Result;
use clap::Args;
use common::device;
use common::session::Session;
use diagnostics::aside;
use process::data::date;
use process::peak::peak;
use serde::Serialize;
use serde_json::json;
use verify::numbers::significant;

use crate::kept::{self, must_be_a_name};

/// What to probe, and where to keep it.
#[derive(Args)]
pub struct Options {
    /// File below docs/data/machine/ that receives the figures, for example pocl
    name: String,
    /// Device, as the lessons take it [default: the one that they choose]
    #[arg(long, value_name = "NUMBER|NAME")]
    device: Option<String>,
}

/// What a step of a probe took.
#[derive(Serialize)]
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
    /// Tells it as soon as it is there: all of them take a minute.
    pub fn tell(&self) {
        let (probe, variant) = (&self.probe, &self.variant);
        let time = significant(self.nanoseconds);
        // What all units together read.
        let rate = self.bytes.map(|bytes| bytes as f64 / self.nanoseconds);
        let rate = rate.map(|rate| format!(", {} GB/s", significant(rate)));
        aside!("{probe} {variant}: {time} ns{}", rate.unwrap_or_default());
    }
}

/// Measures everything and writes the file.
pub fn probe(options: &Options) -> Result<()> {
    must_be_a_name(&options.name)?;
    let mut devices = device::list()?;
    let chosen = device::choose_as_told(&devices, options.device.as_deref())?;
    let session = Session::open(devices.swap_remove(chosen.index), Rc::new(()))?;
    aside!("probing {}", session.device.label());
    let device = &session.device;
    let about = json!({
        "command": format!("cargo xtask probe {}", options.name),
        "date": date("+%Y-%m-%d")?,
        "device": device.name,
        "platform": device.platform.name,
        "driver": device.driver,
        "compute_units": device.limits.compute_units,
        "limits": peak(&session)?,
    });
    // Twice: whatever else runs for a second is seen in one of the two.
    let steps = faster([tasks::all(&session)?, tasks::all(&session)?]);
    let lines = [about].into_iter().chain(steps.map(|step| json!(step)));
    let file = format!("docs/data/machine/{}.jsonl", options.name);
    kept::write_lines(file, &Vec::from_iter(lines))
}

/// Of each figure the one that took less time.
fn faster([first, second]: [Vec<StepTime>; 2]) -> impl Iterator<Item = StepTime> {
    let pairs = first.into_iter().zip(second);
    pairs.map(|(one, other)| match other.nanoseconds < one.nanoseconds {
        true => other,
        false => one,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_of_two_passes_counts() {
        let pass = |times: [f64; 2]| -> Vec<StepTime> {
            let step = |nanoseconds| StepTime {
                probe: "chain".into(),
                variant: "1".into(),
                nanoseconds,
                bytes: None,
                spread: 0.1,
                runs: 3,
            };
            times.map(step).into()
        };
        let kept = faster([pass([2.0, 1.0]), pass([1.5, 3.0])]);
        let times: Vec<f64> = kept.map(|one| one.nanoseconds).collect();
        assert_eq!(times, [1.5, 1.0]);
    }
}
